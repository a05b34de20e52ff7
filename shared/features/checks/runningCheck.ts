// Whether a check has ended, and how.

import { checkEnd, checkPart, type SessionCheck } from '../../alerts/schema/sessionCheck.ts';
import type { StateDeps } from '../../core/kernel/deps.ts';
import { readOrWarn, UNREADABLE } from '../../core/kernel/documents/reading.ts';
import { isTerminal } from '../../core/schema/common.ts';
import { paths, sessionType } from '../../core/schema/coreDocuments.ts';
import { readPart } from '../../core/schema/parts.ts';
import type { Session } from '../../core/schema/session.ts';
import { type Check, checkType } from './check.ts';

type ReadDeps = Pick<StateDeps, 'store' | 'log'>;

/** Reads a check and its session, undefined if deleted or unreadable. @throws RetryableError (store). */
async function readCheck(
  checkId: string,
  { store, log }: ReadDeps,
): Promise<{ check: Check | undefined; session: Session | undefined }> {
  const check = await readOrWarn(
    store.get(checkType.paths.check(checkId), checkType),
    'a check counts as ended',
    log,
  );
  if (check === UNREADABLE || check === undefined) return { check: undefined, session: undefined };
  const { sessionId } = check.value;
  if (sessionId === null) return { check: check.value, session: undefined };
  const reading = store.get(paths.session(sessionId), sessionType);
  const session = await readOrWarn(reading, 'a check counts as ended', log);
  return { check: check.value, session: session === UNREADABLE ? undefined : session?.value };
}

/** Whether a check waits for its session, or that has not ended. @throws RetryableError (store). */
export async function isCheckRunning(checkId: string, deps: ReadDeps): Promise<boolean> {
  const { check, session } = await readCheck(checkId, deps);
  if (check === undefined || check.state === 'refused') return false;
  if (check.sessionId === null) return true;
  return session !== undefined && !isTerminal(session.status);
}

/** How a check ended; null without an end to compare with later. @throws RetryableError (store). */
export async function endOfCheck(checkId: string | null, deps: ReadDeps): Promise<SessionCheck['previous']> {
  if (checkId === null) return null;
  const { session } = await readCheck(checkId, deps);
  const run = session && readPart(checkPart, session);
  if (session === undefined || run === undefined || !isTerminal(session.status)) return null;
  return checkEnd(run, session.status);
}
