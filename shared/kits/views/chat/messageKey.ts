// The keys of the messages of a session, for looking up a shortened message.

/**
 * The key of a message: `session-{id}-msg-{index}`. It is never cut: ids of sessions are short.
 * @param index its position in the session, from 0: question and answer of the nth question are 2n - 2 and 2n
 * - 1.
 */
export function messageKey(sessionId: string, index: number): string {
  return `session-${sessionId}-msg-${index}`;
}

/** The session and the position that a key names; undefined for any other text. */
export function parseMessageKey(key: string): { sessionId: string; index: number } | undefined {
  const [, sessionId, digits] =
    /^session-([A-Za-z0-9][A-Za-z0-9_-]{0,199})-msg-(0|[1-9]\d{0,5})$/.exec(key.trim()) ?? [];
  return sessionId === undefined ? undefined : { sessionId, index: Number(digits) };
}
