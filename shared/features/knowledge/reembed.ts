// Embeds the entries of the knowledge base again that another model has embedded, or none. An entry that has
// the model's embedding stays unchanged, so a run that was ended is continued by the next one.

import type { Embed } from '../../contract/embedder.ts';
import { replaceDocument, type Store } from '../../core/contract/store.ts';
import { errorMessage, InquestError } from '../../core/errors.ts';
import type { Clock } from '../../core/kernel/deps.ts';
import { RACE_LOST, retryLostRaces, SESSION_RACES } from '../../core/kernel/documents/retryConflict.ts';
import { wholeText } from '../../search/entryText.ts';
import { KNOWLEDGE_KINDS, type Knowledge, knowledgeType } from '../../search/knowledge.ts';
import { isLive } from '../../search/readEntry.ts';

/** Ids of a page. */
const PAGE_SIZE = 200;

/** The outcome of one entry. */
export type Reembedded =
  /** It has an embedding of the model now; with `isDryRun`, it would get one. */
  | { kind: 'embedded'; id: string }
  /** It had one, has expired, or is a session's entry without an embedding. */
  | { kind: 'left'; id: string }
  /** Its embedding is unchanged: the model, the store or the document failed. */
  | { kind: 'failed'; id: string; message: string };

/** The dependencies and options of a run. */
export interface ReembedOptions {
  store: Store;
  clock: Pick<Clock, 'now'>;
  embed: Embed;
  /** The model of `embed`. */
  model: string;
  /** Reads and counts, and neither embeds nor writes. */
  isDryRun: boolean;
}

/**
 * Embeds all entries of all tenants, in the order of their ids, one at a time.
 * @throws RetryableError when the entries cannot be listed; everything else is the outcome of its entry.
 */
export async function* reembedEntries(options: ReembedOptions): AsyncGenerator<Reembedded> {
  const query = {
    collection: knowledgeType.paths.knowledge,
    field: 'kind',
    oneOf: [...KNOWLEDGE_KINDS],
    limit: PAGE_SIZE,
  };
  for (let afterId: string | undefined, isLast = false; !isLast; ) {
    const ids = await options.store.listIds({ ...query, ...(afterId !== undefined && { afterId }) });
    for (const id of ids) {
      try {
        yield { kind: (await reembedEntry(id, options)) ? 'embedded' : 'left', id };
      } catch (error) {
        if (!(error instanceof InquestError)) throw error;
        yield { kind: 'failed', id, message: errorMessage(error) };
      }
    }
    afterId = ids.at(-1);
    isLast = ids.length < PAGE_SIZE;
  }
}

/** Embeds an entry; again if its text changes meanwhile. @returns whether it needed that. */
function reembedEntry(
  id: string,
  { store, clock, embed, model, isDryRun }: ReembedOptions,
): Promise<boolean> {
  const path = `${knowledgeType.paths.knowledge}/${id}`;
  return retryLostRaces<boolean>(`entry ${id}`, SESSION_RACES, async () => {
    const stored = await store.get(path, knowledgeType);
    if (stored === undefined || !isLive(stored.value, clock.now()) || !isOutdated(stored.value, model))
      return false;
    if (isDryRun) return true;
    const embedding = await embed(wholeText(stored.value), 'document');
    const value: Knowledge = {
      ...stored.value,
      embedding: embedding.vector,
      embeddingModel: embedding.model,
    };
    const { ok } = await store.commit([replaceDocument(path, knowledgeType, value, stored.version)]);
    return ok ? true : RACE_LOST;
  });
}

/** Entries of sessions have no embedding: they are found by spelling. */
function isOutdated({ session, embedding, embeddingModel }: Knowledge, model: string): boolean {
  return embeddingModel !== model && (session === null || embedding !== null);
}
