// The body of `ingestAlert`: a message of the topic `alerts` becomes a session and its first iterations.

import type { OwnNames } from '../../alerts/ownAlert.ts';
import type { SessionConfig } from '../../config/config.ts';
import { addLogContext } from '../../log.ts';
import type { AlertDeps } from '../deps.ts';
import { ingestAlert } from '../session/ingestAlert.ts';
import { traceparentOf } from '../session/sessionId.ts';
import { receiveMessage } from './receiveMessage.ts';

/**
 * Handles one event of the topic `alerts`.
 * @param own the names of Inquest's own functions and topics; none when absent.
 * @throws RetryableError when it must be delivered again.
 */
export async function handleAlert(
  event: unknown,
  config: SessionConfig,
  deps: AlertDeps,
  own?: OwnNames,
): Promise<void> {
  await receiveMessage('ingestAlert', event, deps, async (message) => {
    const { messageId } = message;
    addLogContext({ traceparent: traceparentOf(message) });
    const ingested = await ingestAlert(message, config, deps, own);
    if (ingested.outcome === 'resolved') {
      const { source, title, identity } = ingested.alert;
      const fields = { code: 'ALERT_RESOLVED', messageId, source, title, identity };
      deps.log.info(fields, 'resolved alert, nothing to investigate');
      return;
    }
    const { sessionId, outcome } = ingested;
    if (outcome === 'deferred') {
      const { reason, subject, text } = ingested.deferral;
      deps.log.warn({ sessionId, messageId, outcome, reason, subject }, `alert deferred: ${text}`);
      return;
    }
    deps.log.info({ sessionId, messageId, outcome }, 'alert accepted');
  });
}
