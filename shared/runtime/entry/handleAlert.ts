// The body of `ingestAlert`: a message of the topic `alerts` becomes a session and its first iterations.

import { isInvestigated } from '../../alerts/fields/status.ts';
import type { OwnNames } from '../../alerts/ownAlert.ts';
import type { SessionConfig } from '../../config/config.ts';
import { errorMessage } from '../../errors.ts';
import { addLogContext } from '../../log.ts';
import { storeRejectedFate } from '../features/alertFates/feature.ts';
import { takeCanary } from '../features/canary/takeCanary.ts';
import { INTAKE_FEATURES } from '../features/intake.ts';
import { publishDelivery } from '../features/outbox/deliveryMessage.ts';
import { ingestAlert } from '../intake/ingestAlert.ts';
import { ruleName } from '../intake/message/triageMessage.ts';
import type { AlertDeps } from '../kernel/deps.ts';
import type { IntakeFeature } from '../kernel/feature/intakeFeature.ts';
import type { PubsubMessage } from '../kernel/pubsubEvent.ts';
import { traceparentOf } from '../kernel/session/sessionId.ts';
import { handleCheck } from './handleCheck.ts';
import { type OnRejected, receiveMessage } from './receiveMessage.ts';

/**
 * Handles one event of the topic `alerts`.
 * @param own the names of Inquest's own functions and topics; none when absent.
 * @param features the features of intake; all of them by default.
 * @throws RetryableError when it must be delivered again.
 */
export async function handleAlert(
  event: unknown,
  config: SessionConfig,
  deps: AlertDeps,
  own?: OwnNames,
  features: readonly IntakeFeature[] = INTAKE_FEATURES,
): Promise<void> {
  const handle = async (message: PubsubMessage) => {
    const { messageId } = message;
    addLogContext({ traceparent: traceparentOf(message) });
    const canaryDelayMs = await takeCanary(message, deps);
    if (canaryDelayMs !== undefined) {
      deps.log.info({ messageId, canaryDelayMs }, 'canary arrived');
      return;
    }
    if (await handleCheck(message, config, deps)) return;
    const ingested = await ingestAlert(message, config, deps, features, own);
    if (ingested.outcome === 'dropped') {
      const { outcome, rule, text, path } = ingested;
      deps.log.info({ messageId, outcome, rule, path }, `alert dropped: ${ruleName(rule)}: ${text}`);
      return;
    }
    const { sessionId, outcome } = ingested;
    if (outcome === 'attached') {
      const { report } = ingested;
      deps.log.info({ sessionId, messageId, outcome, report }, 'alert belongs to a session');
      return;
    }
    if (outcome === 'deferred') {
      const { reason, subject, text } = ingested.deferral;
      if (ingested.alert !== null && !isInvestigated(ingested.alert.status)) {
        const { source, title, identity } = ingested.alert;
        const code = reason === 'resolved' ? { code: 'ALERT_RESOLVED' } : {};
        const fields = { ...code, sessionId, messageId, outcome, reason, source, title, identity };
        deps.log.info(fields, `nothing to investigate: ${text}`);
        return;
      }
      if (reason === 'settling') {
        deps.log.info({ sessionId, messageId, outcome, reason, subject }, `alert accepted: ${text}`);
        return;
      }
      if (reason === 'triage' || reason === 'watchdog') {
        deps.log.info({ sessionId, messageId, outcome, reason, subject }, `alert recorded: ${text}`);
        return;
      }
      deps.log.warn({ sessionId, messageId, outcome, reason, subject }, `alert deferred: ${text}`);
      return;
    }
    deps.log.info({ sessionId, messageId, outcome }, 'alert accepted');
  };
  const storeFate = async (...[message, original, failure]: Parameters<OnRejected>) => {
    for (const groupId of await storeRejectedFate(message, original, failure, config, deps))
      await publishDelivery(deps.publisher, { groupId }).catch((error: unknown) => {
        deps.log.warn({ err: error, groupId }, `the sweep sends a message: ${errorMessage(error)}`);
      });
  };
  await receiveMessage('ingestAlert', event, deps, handle, storeFate);
}
