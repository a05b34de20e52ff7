// What people and programs are shown of the knowledge base.

import type { Embed } from '../../../contract/embedder.ts';
import type { Store } from '../../../contract/store.ts';
import type { Knowledge, KnowledgeLink } from '../../../schema/knowledge.ts';
import { describeResult } from '../../../search/describeResult.ts';
import { parseQuery } from '../../../search/parseQuery.ts';
import type { Scope } from '../../../search/readEntry.ts';
import { type QueryResult, runQuery, type SearchDeps } from '../../../search/runQuery.ts';
import { readMessage } from './readMessage.ts';

/** An entry without what only searches read. */
export type ShownEntry = Omit<Knowledge, 'trigrams' | 'embedding'> & { embedded: boolean };

/** An entry that was found: how near it is (`score`, 0 to 1), or over which links it was reached. */
export type FoundEntry = ShownEntry & { score?: number; depth?: number; via?: KnowledgeLink | null };

/** An entry without what only searches read. */
export function shownEntry({ trigrams: _, embedding, ...entry }: Knowledge): ShownEntry {
  return { ...entry, embedded: embedding !== null };
}

/** What a query found, one row each. */
function foundEntries(result: QueryResult): FoundEntry[] {
  switch (result.verb) {
    case 'lookup':
      return result.found.map(shownEntry);
    case 'fuzzy':
    case 'search':
      return result.hits.map(({ entry, score }) => ({ ...shownEntry(entry), score }));
    case 'traverse':
      return result.reached.map(({ entry, depth, via }) => ({ ...shownEntry(entry), depth, via }));
  }
}

/**
 * Runs a query as it is written. LOOKUP finds messages of the tenant's sessions, too.
 * @returns the entries, and the answer as an agent reads it; a text for a query that cannot be read, with the fix.
 * @throws as `runQuery`.
 */
export async function queryKnowledge(
  text: string,
  scope: Scope,
  deps: {
    store: Store;
    now: Date;
    embed?: Embed | undefined;
    signal?: AbortSignal;
    onUnreadable?: SearchDeps['onUnreadable'];
  },
): Promise<{ entries: FoundEntry[]; text: string } | string> {
  const parsed = parseQuery(text);
  if (!parsed.ok) return parsed.message;
  const readOther = (key: string) => readMessage(key, scope, deps.store);
  const result = await runQuery(parsed.query, scope, { ...deps, readOther });
  return { entries: foundEntries(result), text: describeResult(result) };
}
