// Finds documents of newer releases, which a release cannot read.

import { COLLECTIONS } from '../../shared/lists/documents.ts';
import { openOutdatedDocuments } from '../../shared/wiring/openOutdatedDocuments.ts';

/** The versions that this release reads, by collection. */
export const OWN_VERSIONS: Readonly<Record<string, number>> = Object.fromEntries(
  Object.entries(COLLECTIONS).map(([collection, { version }]) => [collection, version]),
);

/**
 * The collections with documents that a release cannot read, in the database that `env` names.
 * @param versions the versions that the release reads. It reads no other collections, so these are no
 * obstacle.
 * @returns a line for each collection: `sessions: 2 newer than version 3`.
 */
export async function findNewer(
  env: NodeJS.ProcessEnv,
  versions: Readonly<Record<string, number>>,
): Promise<string[]> {
  const documents = openOutdatedDocuments(env);
  try {
    const lines = await Promise.all(
      Object.entries(versions).map(async ([collection, version]) => {
        const count = await documents.countNewer(collection, version);
        return count === 0 ? [] : [`${collection}: ${count} newer than version ${version}`];
      }),
    );
    return lines.flat();
  } finally {
    await documents.close();
  }
}
