// Opens the documents for migrations. A separate module, because functions never migrate.

import type { NewerDocuments, OutdatedDocuments } from '../core/contract/store.ts';
import { readDatabaseName, readProjectId } from '../environment.ts';
import { INDEXED_VERSIONS } from '../lists/documents.ts';
import { createOutdatedDocuments } from '../store/firestore/outdatedDocuments.ts';

/** The older documents of the database that `openCloud` opens. Throws like it. */
export function openOutdatedDocuments(env: NodeJS.ProcessEnv): OutdatedDocuments & NewerDocuments {
  return createOutdatedDocuments({
    projectId: readProjectId(env),
    databaseId: readDatabaseName(env),
    indexed: INDEXED_VERSIONS,
  });
}
