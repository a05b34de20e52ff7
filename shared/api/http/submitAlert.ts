// Publishes an alert for a caller: the route of alerts, webhooks, reruns and the MCP server use it.

import * as z from 'zod';
import { type Alert, alertSchema } from '../../alerts/schema/alert.ts';
import { TOPICS } from '../../core/contract/publisher.ts';
import { errorMessage, TerminalError } from '../../core/errors.ts';
import { DELIVERY_ATTRIBUTE, deriveAlertKey } from '../../kits/alerts/sessionId.ts';
import { buildTenantAttributes } from '../../kits/tenants/alertContext.ts';
import { storeRefusedFate } from '../../kits/views/alerts/storeRefusedFate.ts';
import type { Caller, RequestDeps } from './route.ts';

/** How an alert is published. */
interface Submission {
  /** The chain to run. Default: the rules select it. */
  chain?: string | undefined;
  /** Further attributes of the message. */
  attributes?: Readonly<Record<string, string>> | undefined;
  /** Identifies the alert instead of Pub/Sub's id, so that copies open no session. Default: that id. */
  deliveryId?: string | undefined;
}

/**
 * Publishes an alert for the caller's tenant.
 * @throws TerminalError `ALERT_*`; RetryableError `PUBLISH_FAILED`.
 */
export async function submitAlert(
  data: Buffer,
  { chain, attributes: given, deliveryId }: Submission,
  caller: Caller,
  deps: RequestDeps,
): Promise<{ messageId: string; alertKey: string; alert: Alert }> {
  const attributes = { ...given, ...buildTenantAttributes(caller), ...(chain !== undefined && { chain }) };
  const { alert } = await checkOrRecord(data, attributes, caller, deps);
  const withId = { ...attributes, ...(deliveryId !== undefined && { [DELIVERY_ATTRIBUTE]: deliveryId }) };
  const messageId = await deps.publisher.publish(TOPICS.alerts, data, withId);
  return { messageId, alertKey: deriveAlertKey({ messageId, attributes: withId, data }), alert };
}

/** Checks an alert, and stores the fate of one that is refused. */
async function checkOrRecord(
  data: Buffer,
  attributes: Record<string, string>,
  { tenantId, name }: Caller,
  deps: RequestDeps,
) {
  try {
    return await deps.checkAlert(data, attributes);
  } catch (error) {
    if (!(error instanceof TerminalError)) throw error;
    await storeRefusedFate({ tenantId, caller: name, data, error }, deps).catch((failure: unknown) => {
      deps.log.warn(`the fate of a refused alert was not stored: ${errorMessage(failure)}`);
    });
    throw error;
  }
}

/** The answer to a published alert. */
export const alertAnswerSchema = z.strictObject({
  messageId: z.string().describe('Its id in Pub/Sub'),
  alertKey: z.string().describe('For `findAlert`'),
  alert: alertSchema.describe('The alert as Inquest reads it, with secrets masked'),
});

/** Codes of the errors that `submitAlert` throws. */
export const ALERT_PROBLEMS = ['ALERT_EMPTY', 'ALERT_INVALID', 'ALERT_TOO_LARGE', 'PUBLISH_FAILED'] as const;
