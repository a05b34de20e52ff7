// Step 1 of intake, read: opens the message of an alert once and masks its secrets.

import { type MaskedAlert, maskAlert } from '../../../alerts/index.ts';
import { type OpenedAlert, openAlert } from '../../../alerts/openAlert.ts';
import { TerminalError } from '../../../errors.ts';
import type { Masker } from '../../../masking/masker.ts';
import { type AlertDeps, randomHex } from '../../kernel/deps.ts';
import type { PubsubMessage } from '../../kernel/pubsubEvent.ts';
import { alertKeyOf, traceparentOf } from '../../kernel/session/sessionId.ts';

/** An alert as it was read from its message. */
export interface ReadAlert extends Omit<MaskedAlert, 'trace'> {
  /** The key of the alert, the same for each delivery of its message. */
  key: string;
  messageId: string;
  attributes: Record<string, string>;
  /** When Pub/Sub accepted the message; null if unknown. */
  publishedAt: Date | null;
  traceparent: string;
  /** The alert before masking. For a session that exists, it is masked again with that session's key. */
  opened: OpenedAlert;
  /** The key of the marks that stand for secrets in `alert` and `body`, 32 hexadecimal digits, and the masker with this key. */
  maskKey: string;
  masker: Masker;
}

/**
 * Reads the alert of a message, with marks for a session of its own.
 * @throws TerminalError `ALERT_*` for a body that contains no alert.
 */
export function readMessage(
  message: PubsubMessage,
  deps: Pick<AlertDeps, 'maskerFor' | 'randomBytes'>,
): ReadAlert {
  const { messageId, data, attributes, publishedAt } = message;
  const maskKey = randomHex(deps, 16);
  const masker = deps.maskerFor(maskKey);
  const opening = openAlert(data, attributes);
  if (!opening.ok) throw new TerminalError(opening.failure.code, opening.failure.message);
  const { opened } = opening;
  const { alert, body, endedAt } = maskAlert(opened, masker, { receivedAt: publishedAt });
  const source = { messageId, attributes, publishedAt, traceparent: traceparentOf(message) };
  return { ...source, key: alertKeyOf(message), opened, maskKey, masker, alert, body, endedAt };
}
