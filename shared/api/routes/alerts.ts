// Alerts of any source.

import * as z from 'zod';
import { TOPICS } from '../../contract/publisher.ts';
import { alertKeyOf, DELIVERY_ATTRIBUTE } from '../../runtime/kernel/session/sessionId.ts';
import { attributesOf } from '../../runtime/tenants/alertContext.ts';
import { alertKeyType, paths } from '../../schema/documents.ts';
import { type Alert, alertSchema } from '../../schema/session.ts';
import { Problem } from '../problem.ts';
import { type AnyRoute, type Caller, defineRoute, type RequestDeps } from '../route.ts';

/**
 * Publishes an alert for the caller's tenant.
 * @param messageId identifies it in the place of Pub/Sub's id, so that copies with the same one open nothing. Default: that id.
 * @throws TerminalError `ALERT_*`; RetryableError `PUBLISH_FAILED`.
 */
export async function submitAlert(
  data: Buffer,
  chain: string | undefined,
  caller: Caller,
  { publisher, checkAlert }: RequestDeps,
  messageId?: string,
): Promise<{ alertKey: string; alert: Alert }> {
  const attributes = { ...attributesOf(caller), ...(chain !== undefined && { chain }) };
  const alert = checkAlert(data, attributes);
  const withId = { ...attributes, ...(messageId !== undefined && { [DELIVERY_ATTRIBUTE]: messageId }) };
  const publishedId = await publisher.publish(TOPICS.alerts, data, withId);
  return { alertKey: alertKeyOf({ messageId: publishedId, attributes: withId, data }), alert };
}

/** The answer to a published alert. */
export const alertAnswerSchema = z.strictObject({
  alertKey: z.string().describe('For `findAlert`'),
  alert: alertSchema.describe('What it is read as, without its secrets'),
});

/** What `submitAlert` may throw. */
export const ALERT_PROBLEMS = ['ALERT_EMPTY', 'ALERT_INVALID', 'ALERT_TOO_LARGE', 'PUBLISH_FAILED'] as const;

const submit = defineRoute({
  method: 'post',
  path: '/v1/alerts',
  id: 'submitAlert',
  summary: 'Publishes an alert as its source sends it: any JSON or text that an adapter reads',
  description:
    'It is stored and investigated by `ingestAlert`, as rules say; `findAlert` says which session it belongs to, once it is taken.',
  role: 'responder',
  query: z.strictObject({
    chain: z.string().min(1).max(200).optional().describe('The chain to run; without it the rules choose'),
  }),
  body: 'bytes',
  status: 202,
  answer: alertAnswerSchema,
  problems: ALERT_PROBLEMS,
  handle: ({ query: { chain }, body, caller }, deps) =>
    submitAlert(body as unknown as Buffer, chain, caller, deps),
});

const find = defineRoute({
  method: 'get',
  path: '/v1/alerts/{alertKey}',
  id: 'findAlert',
  summary: 'The session that an alert opened or joined',
  role: 'viewer',
  params: z.strictObject({ alertKey: z.string().regex(/^[0-9a-f]{64}$/, 'must be what `submitAlert` gave') }),
  status: 200,
  answer: z.strictObject({ sessionId: z.string(), createdAt: z.date() }),
  problems: ['NOT_FOUND'],
  async handle({ params: { alertKey } }, { store }) {
    const found = await store.get(paths.alertKey(alertKey), alertKeyType);
    if (found === undefined)
      throw new Problem(
        'NOT_FOUND',
        'the alert has no session: it was not taken yet, or was refused or dropped',
      );
    return { sessionId: found.value.sessionId, createdAt: found.value.createdAt };
  },
});

/** All routes for alerts. */
export const ALERT_ROUTES: AnyRoute[] = [submit, find];
