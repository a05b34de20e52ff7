// Derives the id of the session that an alert opens.

import { createHash } from 'node:crypto';

/**
 * Derives the id from the Pub/Sub message alone, so that a redelivered alert finds its session. Message ids are unique in
 * a topic, but a restarted emulator repeats them; the digest of the body keeps those apart.
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
