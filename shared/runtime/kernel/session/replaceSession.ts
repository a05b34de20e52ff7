// The write of a changed session.

import { replace, type Stored, type Write } from '../../../contract/store.ts';
import { sessionType } from '../../../schema/documents.ts';
import { type Session, sessionDueAt } from '../../../schema/session.ts';
import { searchable } from './searchable.ts';

/** Replaces a session unless it changed after it was read. Updates `dueAt` and the trigrams. */
export function replaceSession({ path, value, version }: Stored<Session>, changed: Session): Write {
  const session = searchable({ ...changed, dueAt: sessionDueAt(changed) }, value);
  return replace(path, sessionType, session, version);
}
