// The body of `ingestAlert`: a message of the topic `alerts` becomes a session and its first iterations.

import type { SessionConfig } from '../../config/config.ts';
import type { StateDeps } from '../deps.ts';
import { ingestAlert } from '../session/ingestAlert.ts';
import { receiveMessage } from './receiveMessage.ts';

/**
 * Handles one event of the topic `alerts`.
 * @throws RetryableError when it must be delivered again.
 */
export async function handleAlert(event: unknown, config: SessionConfig, deps: StateDeps): Promise<void> {
  await receiveMessage('ingestAlert', event, deps, async (message) => {
    const { sessionId, outcome } = await ingestAlert(message, config, deps);
    deps.log.info({ sessionId, messageId: message.messageId, outcome }, 'alert accepted');
  });
}
