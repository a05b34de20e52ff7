// The write of a changed session, and its commit.

import { type AnnounceDeps, announce } from '../../../contract/announce.ts';
import { type CommitResult, replaceDocument, type Stored, type Write } from '../../../contract/store.ts';
import { sessionType } from '../../../schema/documents.ts';
import { checkPart, withCheckResult } from '../../../schema/features/check.ts';
import { withPart } from '../../../schema/parts.ts';
import { type Session, sessionDueAt } from '../../../schema/session.ts';
import { withTrigrams } from './searchable.ts';

/** Replaces a session unless it changed since the read. Updates `dueAt`, trigrams, a check's result. */
export function replaceSession({ path, value, version }: Stored<Session>, changed: Session): Write {
  const session = withTrigrams(
    withPart(checkPart, { ...changed, dueAt: sessionDueAt(changed) }, withCheckResult(changed)),
    value,
  );
  return replaceDocument(path, sessionType, session, version);
}

/** Commits and announces a changed session, together with `others`. A failed precondition is a result. */
export function saveSession(
  stored: Stored<Session>,
  session: Session,
  others: Write[],
  deps: AnnounceDeps,
): Promise<CommitResult> {
  return announce({ session: stored.value }, { session }, [replaceSession(stored, session), ...others], deps);
}
