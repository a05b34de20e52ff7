// Runs a REM query over the entries that its user can see.

import type { Embed, Embedding } from '../contract/embedder.ts';
import type { Store } from '../core/contract/store.ts';
import { errorMessage, InquestError } from '../core/errors.ts';
import {
  isOfDocument,
  type OnUnreadable,
  type ReadDocument,
  readableType,
  toUnreadable,
} from '../core/schema/readable.ts';
import { computeLikeness } from './entryText.ts';
import { type Knowledge, type KnowledgeKind, knowledgeType } from './knowledge.ts';
import type { RemQuery } from './parseQuery.ts';
import { isLive, readEntry, type Scope } from './readEntry.ts';
import { type Traversal, traverseLinks } from './traverse.ts';
import { listTrigrams, rarestTrigrams } from './trigrams.ts';
import { isConfirmed } from './trust.ts';

/** Dependencies of queries. */
export interface SearchDeps {
  /** The store with the knowledge base. */
  store: Pick<Store, 'get' | 'find' | 'findNearest'>;
  /** Absent: SEARCH compares by spelling. */
  embed?: Embed | undefined;
  /** The time of the query. Entries that expire before it are not found. */
  now: Date;
  /** Reads keys that are no entries, for LOOKUP. Absent: there are no such keys. */
  readOther?: ((key: string) => Promise<Knowledge | undefined>) | undefined;
  /** Called with each entry that is skipped because it cannot be read. */
  onUnreadable?: OnUnreadable | undefined;
  /** Ends the embedding of a query. */
  signal?: AbortSignal | undefined;
}

/** An entry that was found, and how near it is: from 0 to 1. */
export interface Hit {
  /** The whole entry. */
  entry: Knowledge;
  /** The cosine similarity of the vectors, or the likeness of the spelling. */
  score: number;
}

/** The result of a query. */
export type QueryResult =
  | { verb: 'lookup'; found: Knowledge[]; missing: string[] }
  | { verb: 'fuzzy'; hits: Hit[] }
  /** `spelling`: why entries were not compared by meaning. */
  | { verb: 'search'; hits: Hit[]; spelling?: string }
  | ({ verb: 'traverse' } & Traversal);

/** Firestore takes as many values of `array-contains-any`. */
const MAX_VALUES = 30;
/** Entries with a rare trigram of the query that are compared with it; not the further ones. */
const MAX_CANDIDATES = 300;
/** Times the limit of a query: near entries with another model's embedding are left out. */
const NEAREST = 3;
/** Where a text is compared by spelling instead of by meaning. */
const SPELLING_THRESHOLD = 0.2;

/**
 * Runs the query.
 * @throws RetryableError `STORE_UNAVAILABLE`; the signal's reason on abort.
 */
export async function runQuery(query: RemQuery, scope: Scope, deps: SearchDeps): Promise<QueryResult> {
  switch (query.verb) {
    case 'lookup': {
      const entries = await Promise.all(
        query.keys.map(async (key) => (await readOne(key, scope, deps)) ?? deps.readOther?.(key)),
      );
      return {
        verb: 'lookup',
        found: entries.filter((entry) => entry !== undefined),
        missing: query.keys.filter((_, index) => entries[index] === undefined),
      };
    }
    case 'fuzzy':
      return {
        verb: 'fuzzy',
        hits: bestHits(await findAlike(query.text, query.threshold, scope, deps), query.limit),
      };
    case 'search':
      return searchEntries(query, scope, deps);
    case 'traverse':
      return { verb: 'traverse', ...(await traverseLinks(query, (key) => readOne(key, scope, deps))) };
  }
}

/** Entries of which some part is at least that much like the text. */
async function findAlike(
  text: string,
  threshold: number,
  scope: Scope,
  deps: SearchDeps,
  kind?: KnowledgeKind,
): Promise<Hit[]> {
  const trigrams = listTrigrams(text);
  if (trigrams.length === 0) return [];
  const values = rarestTrigrams(trigrams, MAX_VALUES);
  const found = await ofBoth(scope, (equal) =>
    deps.store.find(
      {
        collection: knowledgeType.paths.knowledge,
        equal: { ...equal, ...(kind !== undefined && { kind }) },
        anyOf: { field: 'trigrams', values },
        limit: MAX_CANDIDATES,
      },
      readableType(knowledgeType),
    ),
  );
  const wanted = new Set(trigrams);
  return found
    .flatMap(({ value }) => readableEntry(value, deps))
    .map((entry) => ({ entry, score: computeLikeness(wanted, entry) }))
    .filter(({ entry, score }) => score >= threshold && isLive(entry, deps.now));
}

async function searchEntries(
  { text, kind, limit, minSimilarity }: Extract<RemQuery, { verb: 'search' }>,
  scope: Scope,
  deps: SearchDeps,
): Promise<QueryResult> {
  const spelled = await findAlike(text, SPELLING_THRESHOLD, scope, deps, kind);
  const embedded = await embedQuery(text, deps);
  if (typeof embedded === 'string')
    return { verb: 'search', hits: bestHits(spelled, limit), spelling: embedded };
  const near = await ofBoth(scope, (equal) =>
    deps.store.findNearest(
      {
        collection: knowledgeType.paths.knowledge,
        equal: { ...equal, kind },
        field: 'embedding',
        vector: embedded.vector,
        maxDistance: 1 - minSimilarity,
        limit: NEAREST * limit,
      },
      readableType(knowledgeType),
    ),
  );
  const hits = near
    .flatMap(({ document, distance }) =>
      readableEntry(document.value, deps).map((entry) => ({ entry, score: 1 - distance })),
    )
    .filter(({ entry }) => isLive(entry, deps.now) && entry.embeddingModel === embedded.model);
  // Those that this model has not seen would never be found by meaning.
  const unseen = spelled.filter(({ entry }) => entry.embeddingModel !== embedded.model);
  return { verb: 'search', hits: bestHits([...hits, ...unseen], limit) };
}

async function readOne(key: string, scope: Scope, deps: SearchDeps): Promise<Knowledge | undefined> {
  try {
    return await readEntry(key, scope, deps);
  } catch (error) {
    if (!isOfDocument(error)) throw error;
    deps.onUnreadable?.(toUnreadable(error, knowledgeType.paths.knowledgeEntry(scope.tenantId, key)));
    return undefined;
  }
}

function readableEntry(
  { value, unreadable }: ReadDocument<Knowledge>,
  { onUnreadable }: Pick<SearchDeps, 'onUnreadable'>,
): Knowledge[] {
  if (unreadable !== undefined) onUnreadable?.(unreadable);
  return value === undefined ? [] : [value];
}

/** The vector of a query, or why there is none. */
async function embedQuery(text: string, { embed, signal }: SearchDeps): Promise<Embedding | string> {
  if (embed === undefined) return 'no model for embeddings is configured';
  try {
    return await embed(text, 'query', signal);
  } catch (error) {
    signal?.throwIfAborted();
    if (!(error instanceof InquestError)) throw error;
    return errorMessage(error);
  }
}

/** The results of both owners of a scope: the tenant, and the user if there is one. */
async function ofBoth<T>(
  { tenantId, userId }: Scope,
  query: (equal: { tenantId: string; userId: string | null }) => Promise<T[]>,
): Promise<T[]> {
  const owners = userId === null ? [null] : [null, userId];
  const found = await Promise.all(owners.map((owner) => query({ tenantId, userId: owner })));
  return found.flat();
}

/**
 * Confirmed entries first, so that many unchecked ones cannot displace them; then the nearest, then the order
 * of keys.
 */
function bestHits(hits: Hit[], limit: number): Hit[] {
  const tierOf = ({ entry }: Hit) => (isConfirmed(entry) ? 0 : 1);
  const byScore = (a: Hit, b: Hit) =>
    tierOf(a) - tierOf(b) || b.score - a.score || (a.entry.key < b.entry.key ? -1 : 1);
  return hits.sort(byScore).slice(0, limit);
}
