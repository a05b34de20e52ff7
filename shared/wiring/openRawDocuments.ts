// Opens raw documents for people. A separate module, because most functions never read them.

import type { RawDatabase } from '../contract/rawDocuments.ts';
import { readDatabaseName, readProjectId } from '../environment.ts';
import { createRawDocuments } from '../store/firestore/rawDocuments.ts';

/** The stored documents of the database that `openCloud` opens. Throws like `openCloud`. */
export function openRawDocuments(env: NodeJS.ProcessEnv, timeoutMs: number): RawDatabase {
  return createRawDocuments({ projectId: readProjectId(env), databaseId: readDatabaseName(env), timeoutMs });
}
