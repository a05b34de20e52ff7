// Recognises the message of a rerun.

import { TerminalError } from '../../../errors.ts';

/** The message attribute of a rerun; its value is the id of the session whose alert it repeats. */
export const RERUN_ATTRIBUTE = 'rerunOf';
const SESSION_ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,199}$/;

/**
 * The session of which an alert's message is a rerun; null for any other alert.
 * @throws TerminalError `MESSAGE_MALFORMED` when the attribute is not a valid session id.
 */
export function readRerunOf(attributes: Record<string, string>): string | null {
  const rerunOf = attributes[RERUN_ATTRIBUTE];
  if (rerunOf === undefined) return null;
  if (SESSION_ID.test(rerunOf)) return rerunOf;
  throw new TerminalError(
    'MESSAGE_MALFORMED',
    `attribute ${RERUN_ATTRIBUTE}: not the id of a session; leave it out for an alert that is no rerun`,
  );
}
