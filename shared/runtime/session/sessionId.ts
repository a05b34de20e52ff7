// The id of the session an alert opens.

import { createHash } from 'node:crypto';

/**
 * Derived from the Pub/Sub message alone, so that a redelivered alert finds its session. Message ids are unique in a
 * topic, but repeat when an emulator starts anew: a digest of the body tells those apart.
 */
export function sessionIdOf(message: { messageId: string; data: Uint8Array }): string {
  const digest = createHash('sha256').update(message.data).digest('hex').slice(0, 8);
  const id =
    message.messageId
      .replace(/[^A-Za-z0-9_-]/g, '_')
      .replace(/^[_-]+/, '')
      .slice(0, 100) || 'message';
  return `${id}-${digest}`;
}
