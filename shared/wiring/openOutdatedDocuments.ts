// Opens what a migration needs beside the store. A module of its own: no function migrates.

import type { OutdatedDocuments } from '../contract/store.ts';
import { projectIdOf } from '../environment.ts';
import { createOutdatedDocuments } from '../store/firestore/outdatedDocuments.ts';

/** The older documents of the database that `openCloud` opens. Throws like it. */
export function openOutdatedDocuments(env: NodeJS.ProcessEnv): OutdatedDocuments {
  return createOutdatedDocuments({ projectId: projectIdOf(env) });
}
