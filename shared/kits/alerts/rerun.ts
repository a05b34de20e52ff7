// Recognises the messages of a rerun and of a split.

import { TerminalError } from '../../core/errors.ts';

/** The message attribute of a rerun; its value is the id of the session whose alert it repeats. */
export const RERUN_ATTRIBUTE = 'rerunOf';
/** The attribute of an alert that a person took out of a session; its value is that session's id. */
export const SPLIT_ATTRIBUTE = 'splitOf';
const SESSION_ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,199}$/;

/**
 * The session that an attribute of a person's request names; null for any other alert.
 * @throws TerminalError `MESSAGE_MALFORMED` when the attribute is not a valid session id.
 */
export function readNamedSession(
  name: typeof RERUN_ATTRIBUTE | typeof SPLIT_ATTRIBUTE,
  attributes: Record<string, string>,
): string | null {
  const sessionId = attributes[name];
  if (sessionId === undefined) return null;
  if (SESSION_ID.test(sessionId)) return sessionId;
  throw new TerminalError(
    'MESSAGE_MALFORMED',
    `attribute ${name}: not the id of a session; leave it out for an alert of a source`,
  );
}
