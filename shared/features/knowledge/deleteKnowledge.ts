// Follows what sessions and people left in the knowledge base, and removes it with its effects.

import type { Store, Stored } from '../../core/contract/store.ts';
import type { StateDeps } from '../../core/kernel/deps.ts';
import { removeEntry } from '../../kits/knowledge/editKnowledge.ts';
import { type Knowledge, knowledgeType } from '../../search/knowledge.ts';
import { isLive } from '../../search/readEntry.ts';
import { sessionEntryKey } from '../../search/sessionEntry.ts';

/** Firestore takes as many values of `array-contains-any`. */
const MAX_VALUES = 30;
/** Entries of one query. */
const PAGE = 1_000;
/** Entries that one request follows. */
const MAX_FOLLOWED = 10_000;

/** An entry, and its distance from the entry where a trace starts. */
export interface TracedEntry {
  /** The whole entry. */
  entry: Knowledge;
  /** Number of sessions between the two, from 1. */
  depth: number;
}

/** Where an entry comes from, and what came from it. */
interface Trace {
  /** The entry itself. */
  entry: Knowledge;
  /** Entries that its session was shown, and those that their sessions were shown. */
  from: TracedEntry[];
  /** Entries of sessions that were shown the entry, and of sessions that were shown those. */
  descendants: TracedEntry[];
}

/** The start of a removal. */
type Forgotten = { sessionId: string } | { by: string };

/**
 * The trace of an entry of a tenant.
 * @returns undefined without such an entry.
 * @throws RetryableError when the store fails; TerminalError for an unreadable entry.
 */
export async function traceEntry(
  key: string,
  tenantId: string,
  { store, clock }: Pick<StateDeps, 'store' | 'clock'>,
): Promise<Trace | undefined> {
  const now = clock.now();
  const entry = (await store.get(knowledgeType.paths.knowledgeEntry(tenantId, key), knowledgeType))?.value;
  if (entry === undefined || !isLive(entry, now)) return undefined;
  const above = async (keys: string[]) => {
    const read = await Promise.all(
      keys.map((one) => store.get(knowledgeType.paths.knowledgeEntry(tenantId, one), knowledgeType)),
    );
    const shown = read.flatMap((one) => one?.value.session?.shown ?? []);
    const entries = shown.map((one) =>
      store.get(knowledgeType.paths.knowledgeEntry(tenantId, one), knowledgeType),
    );
    return (await Promise.all(entries)).flatMap((one) => one ?? []);
  };
  const below = (keys: string[]) => shownTo(keys, tenantId, store);
  const isThere = ({ entry: one }: TracedEntry) => isLive(one, now);
  return {
    entry,
    from: (await followLevels([key], above)).filter(isThere),
    descendants: (await followLevels([key], below)).filter(isThere),
  };
}

/**
 * Removes what a session left, or what a person wrote or confirmed, and the entries of all sessions that were
 * shown any of it. The entries that are farthest away go first, so that a repeated request finishes an
 * interrupted one.
 * @param by the person who removes.
 * @returns the keys that were removed.
 * @throws RetryableError when the store fails, or others keep changing an entry; TerminalError for an
 * unreadable entry.
 */
export async function forgetEntries(
  from: Forgotten,
  { tenantId, by }: { tenantId: string; by: string },
  deps: Pick<StateDeps, 'store' | 'clock'>,
): Promise<string[]> {
  const now = deps.clock.now();
  const roots = (await findForgottenRoots(from, tenantId, deps.store)).filter(({ value }) =>
    isLive(value, now),
  );
  const keys = 'sessionId' in from ? [sessionEntryKey(from.sessionId)] : roots.map(({ value }) => value.key);
  const below = await followLevels(keys, (some) => shownTo(some, tenantId, deps.store));
  const entries = [...roots.map(({ value }) => value), ...below.map(({ entry }) => entry)];
  const removed: string[] = [];
  for (const { key, userId } of entries.reverse())
    if (await removeEntry(key, { tenantId, userId, by }, deps)) removed.push(key);
  return removed.reverse();
}

async function findForgottenRoots(
  from: Forgotten,
  tenantId: string,
  store: Store,
): Promise<Stored<Knowledge>[]> {
  if ('sessionId' in from) {
    const path = knowledgeType.paths.knowledgeEntry(tenantId, sessionEntryKey(from.sessionId));
    const stored = await store.get(path, knowledgeType);
    return stored === undefined ? [] : [stored];
  }
  const { by } = from;
  const queries = [
    { equal: { tenantId, updatedBy: by } },
    { equal: { tenantId }, anyOf: { field: 'session.reviewedBy', values: [by] } },
  ];
  const found = await Promise.all(
    queries.map((query) =>
      store.find({ collection: knowledgeType.paths.knowledge, limit: PAGE, ...query }, knowledgeType),
    ),
  );
  return [...new Map(found.flat().map((one) => [one.id, one])).values()];
}

/** The entries of sessions that were shown one of these. */
async function shownTo(keys: string[], tenantId: string, store: Store): Promise<Stored<Knowledge>[]> {
  const groups = Array.from({ length: Math.ceil(keys.length / MAX_VALUES) }, (_, index) =>
    keys.slice(index * MAX_VALUES, (index + 1) * MAX_VALUES),
  );
  const found = await Promise.all(
    groups.map((values) =>
      store.find(
        {
          collection: knowledgeType.paths.knowledge,
          equal: { tenantId },
          anyOf: { field: 'session.shown', values },
          limit: PAGE,
        },
        knowledgeType,
      ),
    ),
  );
  return found.flat();
}

/** Level after level, each entry once, the nearest first. */
async function followLevels(
  start: string[],
  next: (keys: string[]) => Promise<Stored<Knowledge>[]>,
): Promise<TracedEntry[]> {
  const seen = new Set(start);
  const followed: TracedEntry[] = [];
  let level = start;
  for (let depth = 1; level.length > 0 && followed.length < MAX_FOLLOWED; depth++) {
    const entries = (await next(level)).map(({ value }) => value);
    const fresh = [...new Map(entries.map((entry) => [entry.key, entry])).values()].filter(
      ({ key }) => !seen.has(key),
    );
    for (const entry of fresh) {
      seen.add(entry.key);
      followed.push({ entry, depth });
    }
    level = fresh.map(({ key }) => key);
  }
  return followed;
}
