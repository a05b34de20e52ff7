// The content of firestore.indexes.json, from the rows of the collections.

import type { Collection } from '../../shared/core/schema/defineCollection.ts';
import { COLLECTIONS } from '../../shared/lists/documents.ts';
import { describeIndexes } from '../../shared/lists/indexes.ts';
import { PARTS } from '../../shared/lists/parts.ts';

/** Where the file is, from the root of the repository. */
export const INDEX_FILE = 'firestore.indexes.json';

/** The text of the file. */
export function formatIndexes(collections: readonly Collection[] = Object.values(COLLECTIONS)): string {
  return `${JSON.stringify(describeIndexes(collections, PARTS), null, 2)}\n`;
}
