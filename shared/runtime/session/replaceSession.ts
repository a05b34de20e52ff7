// The write of a changed session.

import { replace, type Stored, type Write } from '../../contract/store.ts';
import { sessionType } from '../../schema/documents.ts';
import { type Session, sessionDueAt } from '../../schema/session.ts';

/** Replaces a session unless it has changed since it was read. Its `dueAt` follows from the rest. */
export function replaceSession({ path, version }: Stored<Session>, changed: Session): Write {
  return replace(path, sessionType, { ...changed, dueAt: sessionDueAt(changed) }, version);
}
