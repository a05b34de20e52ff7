// Knowledge queries of people and programs, and the form in which they see entries.

import * as z from 'zod';
import type { Embed } from '../../contract/embedder.ts';
import type { Store } from '../../core/contract/store.ts';
import type { StateDeps } from '../../core/kernel/deps.ts';
import { describeResult } from '../../search/describeResult.ts';
import { type Knowledge, knowledgeLinkSchema, knowledgeSchema, type Trust } from '../../search/knowledge.ts';
import { parseQuery } from '../../search/parseQuery.ts';
import { readEntry, type Scope } from '../../search/readEntry.ts';
import { type QueryResult, runQuery, type SearchDeps } from '../../search/runQuery.ts';
import { chooseTrust, forPrompt } from '../../search/trust.ts';
import { readMessage } from './readMessage.ts';

/** An entry without the fields that only searches read. */
export const shownEntrySchema = knowledgeSchema
  .omit({ trigrams: true, embedding: true, embeddingModel: true })
  .extend({ embedded: z.boolean() });
/** An entry without the fields that only searches read. */
type ShownEntry = z.infer<typeof shownEntrySchema>;

/** A found entry with its similarity, or the links that lead to it. */
export const foundEntrySchema = shownEntrySchema.extend({
  score: z.number().optional().describe('Similarity, from 0 to 1'),
  depth: z.int().optional().describe('Distance in links'),
  via: knowledgeLinkSchema.nullable().optional().describe('The link that leads to it: entry and type'),
});
type FoundEntry = z.infer<typeof foundEntrySchema>;

/** Removes the fields that only searches read. */
export function shownEntry({ trigrams: _, embeddingModel: __, embedding, ...entry }: Knowledge): ShownEntry {
  return { ...entry, embedded: embedding !== null };
}

/**
 * The entry of a key, or of the reference that answers contain; undefined where the user can see none.
 * @throws as `readEntry`.
 */
export async function readShownEntry(
  key: string,
  scope: Scope,
  { store, clock }: Pick<StateDeps, 'store' | 'clock'>,
): Promise<ShownEntry | undefined> {
  const entry = await readEntry(key, scope, { store, now: clock.now() });
  return entry && shownEntry(entry);
}

/** The entries as a program of models gets them: see `forPrompt`. Of their origin, only the trust. */
export function entriesForModels(
  entries: readonly FoundEntry[],
): (Omit<FoundEntry, 'session' | 'updatedBy' | 'via'> & { trust: Trust })[] {
  return entries.map((entry) => {
    const { session: _, updatedBy: __, via: ___, ...shown } = forPrompt(entry);
    return { ...shown, trust: chooseTrust(entry) };
  });
}

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
 * Runs a query text. LOOKUP also finds messages of the tenant's sessions.
 * @returns the entries, and the answer as an agent reads it; for an invalid query, a text with the fix.
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
    /** Of entries, for a query without LIMIT. */
    limit?: number;
  },
): Promise<{ entries: FoundEntry[]; text: string } | string> {
  const parsed = parseQuery(text, deps.limit);
  if (!parsed.ok) return parsed.message;
  const readOther = (key: string) => readMessage(key, scope, deps.store);
  const result = await runQuery(parsed.query, scope, { ...deps, readOther });
  return { entries: foundEntries(result), text: describeResult(result) };
}
