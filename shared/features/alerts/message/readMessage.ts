// Step 1 of intake, read: opens the message of an alert once and masks its secrets.

import { decodeAlert } from '../../../alerts/decodeAlert.ts';
import { maskAlertGradually } from '../../../alerts/index.ts';
import { TerminalError } from '../../../core/errors.ts';
import { type AlertDeps, randomHex } from '../../../core/kernel/deps.ts';
import type { PubsubMessage } from '../../../core/kernel/pubsubEvent.ts';
import type { ReadAlert } from '../../../kits/alerts/alert.ts';
import { deriveAlertKey, deriveTraceparent } from '../../../kits/alerts/sessionId.ts';

/**
 * Reads the alert of a message, with marks for a session of its own.
 * @throws TerminalError `ALERT_*` for a body that contains no alert.
 */
export async function readMessage(
  message: PubsubMessage,
  deps: Pick<AlertDeps, 'maskerFor' | 'randomBytes'>,
): Promise<ReadAlert> {
  const { messageId, data, attributes, publishedAt } = message;
  const maskKey = randomHex(deps, 16);
  const masker = deps.maskerFor(maskKey);
  const opening = decodeAlert(data, attributes);
  if (!opening.ok) throw new TerminalError(opening.failure.code, opening.failure.message);
  const { opened } = opening;
  const { alert, body, endedAt } = await maskAlertGradually(opened, masker, { receivedAt: publishedAt });
  const source = { messageId, attributes, publishedAt, traceparent: deriveTraceparent(message) };
  const key = deriveAlertKey(message);
  const isSent = message.key === undefined;
  return { ...source, key, isSent, opened, maskKey, masker, alert, body, endedAt };
}
