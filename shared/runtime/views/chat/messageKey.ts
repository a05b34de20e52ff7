// The keys of the messages of a session, for looking up a shortened message.

import { createHash } from 'node:crypto';

/** Maximum length of a key, in characters. */
const MAX_KEY = 255;
const DIGEST_CHARACTERS = 8;

/**
 * The key of a message: `session-{id}-msg-{index}`.
 * @param index its position in the session, from 0: question and answer of the nth question are 2n - 2 and 2n - 1.
 */
export function messageKey(sessionId: string, index: number): string {
  return boundedKey(`session-${sessionId}-msg-${index}`);
}

/** The session and the position that a key names; undefined for any other text and for a cut key. */
export function parseMessageKey(key: string): { sessionId: string; index: number } | undefined {
  const [, sessionId, digits] =
    /^session-([A-Za-z0-9][A-Za-z0-9_-]*)-msg-(0|[1-9]\d{0,5})$/.exec(key.trim()) ?? [];
  return sessionId === undefined || key.length > MAX_KEY ? undefined : { sessionId, index: Number(digits) };
}

/** The key, or its start with a digest of the whole key, so that it has at most 255 characters. */
export function boundedKey(key: string): string {
  const characters = [...key];
  if (characters.length <= MAX_KEY) return key;
  const digest = createHash('md5').update(key).digest('hex').slice(0, DIGEST_CHARACTERS);
  return `${characters.slice(0, MAX_KEY - DIGEST_CHARACTERS - 1).join('')}-${digest}`;
}
