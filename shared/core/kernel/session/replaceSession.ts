// The write of a changed session, and its commit.

import { type AnnounceDeps, announce } from '../../contract/announce.ts';
import { type CommitResult, replaceDocument, type Stored, type Write } from '../../contract/store.ts';
import { sessionType } from '../../schema/coreDocuments.ts';
import { type Session, sessionDueAt } from '../../schema/session.ts';
import type { StateDeps } from '../deps.ts';
import { deriveFields } from '../stageFeature.ts';

/** Replaces a session unless it changed since the read. Updates `dueAt` and the fields of features. */
export function replaceSession(
  { path, value, version }: Stored<Session>,
  changed: Session,
  deps: Pick<StateDeps, 'stageFeatures'>,
): Write {
  const session = deriveFields({ ...changed, dueAt: sessionDueAt(changed) }, value, deps);
  return replaceDocument(path, sessionType, session, version);
}

/** The dependencies of a function that changes a session. */
export interface SaveDeps extends AnnounceDeps, Pick<StateDeps, 'stageFeatures'> {}

/** Commits and announces a changed session, together with `others`. A failed precondition is a result. */
export function saveSession(
  stored: Stored<Session>,
  session: Session,
  others: Write[],
  deps: SaveDeps,
): Promise<CommitResult> {
  const writes = [replaceSession(stored, session, deps), ...others];
  return announce({ session: stored.value }, { session }, writes, deps);
}
