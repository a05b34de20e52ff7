// Opens what people look into. A module of its own: no function reads documents that way.

import type { RawDocuments } from '../contract/rawDocuments.ts';
import { projectIdOf } from '../environment.ts';
import { createRawDocuments } from '../store/firestore/rawDocuments.ts';

/** The documents of the database that `openCloud` opens, as they are stored. Throws like it. */
export function openRawDocuments(env: NodeJS.ProcessEnv, timeoutMs: number): RawDocuments {
  return createRawDocuments({ projectId: projectIdOf(env), timeoutMs });
}
