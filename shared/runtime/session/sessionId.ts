// Derives the id of the session that an alert opens, and its trace.

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

/**
 * The trace of an investigation: its alert's, or else one that derives from the session's id, so that a redelivered alert
 * has the same. That one is marked as not sampled, because nobody recorded it: it ties the lines of the log together.
 */
export function traceparentOf(message: {
  messageId: string;
  data: Uint8Array;
  traceparent: string | null;
}): string {
  if (message.traceparent !== null) return message.traceparent;
  const digest = createHash('sha256').update(sessionIdOf(message)).digest('hex');
  return `00-${digest.slice(0, 32)}-${digest.slice(32, 48)}-00`;
}
