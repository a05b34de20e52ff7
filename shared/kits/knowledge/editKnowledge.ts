// Stores, lists and removes the knowledge entries that people write.

import type { Embed, Embedding } from '../../contract/embedder.ts';
import { replaceDocument, type Stored, saveDocument } from '../../core/contract/store.ts';
import { errorMessage, InquestError } from '../../core/errors.ts';
import type { AlertDeps, StateDeps } from '../../core/kernel/deps.ts';
import { RACE_LOST, retryLostRaces, SESSION_RACES } from '../../core/kernel/documents/retryConflict.ts';
import { readableType, splitReadable } from '../../core/schema/readable.ts';
import { entryTrigrams, wholeText } from '../../search/entryText.ts';
import { type Knowledge, knowledgeType, UNREVIEWED } from '../../search/knowledge.ts';
import { isLive, type Scope } from '../../search/readEntry.ts';
import { makeVisible } from '../../text/hiddenCharacters.ts';
import { cutPage, type Page } from '../views/readPage.ts';
import { withoutMarks } from './withoutMarks.ts';

/** An entry as a person writes it. */
export type WrittenEntry = Pick<Knowledge, 'key' | 'kind' | 'title' | 'text' | 'labels' | 'links'>;

/** Outcome of storing an entry. `foreign`: another user owns the key; nothing was stored. */
type EditOutcome = 'created' | 'replaced' | 'unchanged' | 'foreign';

/** The result of storing an entry. */
interface EditedEntry {
  /** `foreign`: the key belongs to another user, and nothing was stored. */
  outcome: EditOutcome;
  /** Number of secrets that were masked. */
  masked: number;
  /** Why the entry has no embedding, so that SEARCH compares it by spelling; undefined if it has one. */
  withoutEmbedding?: string;
}

type EditDeps = Pick<AlertDeps, 'store' | 'clock' | 'maskerFor'> & { embed?: Embed | undefined };

/**
 * Stores the entry and replaces the one with its key, without the secrets that this process knows or that
 * rules find. An identical entry stays unchanged, unless its embedding is missing.
 * @param author.userId the owner of the entry; null for a shared one.
 * @throws RetryableError when other writers keep changing the entry, or the store fails; TerminalError if the
 *   stored entry cannot be read.
 */
export async function pushEntry(
  entry: WrittenEntry,
  { tenantId, userId, by }: Scope & { by: string },
  deps: EditDeps,
): Promise<EditedEntry> {
  const { clean, count } = createCleaner(deps.maskerFor);
  const labels = Object.entries(entry.labels).map(([name, value]) => [clean(name), clean(value)]);
  const described = {
    ...entry,
    title: clean(entry.title),
    text: clean(entry.text),
    labels: Object.fromEntries(labels) as Record<string, string>,
  };
  const path = knowledgeType.paths.knowledgeEntry(tenantId, entry.key);
  const before = await deps.store.get(path, knowledgeType);
  if (before !== undefined && isOwnedByOther(before, userId, deps.clock.now()))
    return { outcome: 'foreign', masked: 0 };
  const sameText = before !== undefined && isSameEntry(before.value, described);
  const known = sameText ? storedEmbedding(before.value) : null;
  const embedded = known ?? (await embedEntry(described, deps.embed));
  const { vector: embedding, model: embeddingModel } = typeof embedded === 'string' ? NOT_EMBEDDED : embedded;
  const edited: Knowledge = {
    ...described,
    tenantId,
    session: null,
    trigrams: entryTrigrams(described),
    embedding,
    embeddingModel,
    userId,
    updatedBy: by,
    updatedAt: deps.clock.now(),
    expireAt: null,
  };
  const outcome = await retryLostRaces<EditOutcome>(`entry ${entry.key}`, SESSION_RACES, async () => {
    const stored = await deps.store.get(path, knowledgeType);
    const now = deps.clock.now();
    if (stored !== undefined && isOwnedByOther(stored, userId, now)) return 'foreign';
    const isThere = stored !== undefined && isLive(stored.value, now);
    const isUnchanged = isThere && isSameEntry(stored.value, edited) && stored.value.userId === userId;
    if (isUnchanged && (embedding === null || stored.value.embedding !== null)) return 'unchanged';
    const write = saveDocument(path, knowledgeType, edited, stored?.version);
    const { ok } = await deps.store.commit([write]);
    if (!ok) return RACE_LOST;
    return isThere ? 'replaced' : 'created';
  });
  return {
    outcome,
    masked: count(),
    ...(typeof embedded === 'string' && { withoutEmbedding: embedded }),
  };
}

/**
 * A page of the entries that the user can see, in the order of their keys. Reads `limit` entries and one more
 * of the shared ones, and of those of the user. Removed ones are left out.
 * @param page.after `next` of the previous page.
 */
export async function listEntries(
  { tenantId, userId }: Scope,
  { after, limit }: { after?: string | undefined; limit: number },
  { store, clock }: Pick<StateDeps, 'store' | 'clock'>,
): Promise<Page<Knowledge>> {
  const owners = userId === null ? [null] : [null, userId];
  const query = { collection: knowledgeType.paths.knowledge, limit: limit + 1 };
  const from = after === undefined ? {} : { afterId: `${tenantId}.${after}` };
  const found = await Promise.all(
    owners.map((owner) =>
      store.find({ ...query, ...from, equal: { tenantId, userId: owner } }, readableType(knowledgeType)),
    ),
  );
  const { page, next } = cutPage(
    found.flat().sort((one, other) => Buffer.compare(Buffer.from(one.id), Buffer.from(other.id))),
    limit,
  );
  const now = clock.now();
  const { values, unreadable } = splitReadable(page.map(({ value }) => value));
  return {
    items: values.filter((entry) => isLive(entry, now)),
    unreadable,
    next: next?.slice(tenantId.length + 1) ?? null,
  };
}

/**
 * Removes an entry: deletes its content at once; the TTL policy deletes the document.
 * @returns whether there was an entry that the user is allowed to remove.
 */
export function removeEntry(
  key: string,
  { tenantId, userId, by }: Scope & { by: string },
  { store, clock }: Pick<StateDeps, 'store' | 'clock'>,
): Promise<boolean> {
  const path = knowledgeType.paths.knowledgeEntry(tenantId, key);
  return retryLostRaces(`entry ${key}`, SESSION_RACES, async () => {
    const stored = await store.get(path, knowledgeType);
    const now = clock.now();
    if (stored === undefined || !isLive(stored.value, now) || isOwnedByOther(stored, userId, now))
      return false;
    const removed: Knowledge = {
      ...stored.value,
      title: '(removed)',
      text: '',
      labels: {},
      links: [],
      session: stored.value.session && {
        ...stored.value.session,
        ...UNREVIEWED,
        trust: 'expired',
        identity: null,
        shown: [],
      },
      trigrams: [],
      embedding: null,
      embeddingModel: null,
      updatedBy: by,
      updatedAt: now,
      expireAt: now,
    };
    const { ok } = await store.commit([replaceDocument(path, knowledgeType, removed, stored.version)]);
    return ok ? true : RACE_LOST;
  });
}

/** Masks and counts the secrets of texts. The marks belong to no session, so they reveal nothing. */
function createCleaner(maskerFor: EditDeps['maskerFor']) {
  const masker = maskerFor('0'.repeat(32));
  let masked = 0;
  return {
    clean(text: string): string {
      const found = masker.mask(text);
      masked += found.count;
      return makeVisible(withoutMarks(found.text));
    },
    count: () => masked,
  };
}

const NOT_EMBEDDED = { vector: null, model: null };

function storedEmbedding({ embedding: vector, embeddingModel: model }: Knowledge): Embedding | null {
  return vector === null || model === null ? null : { vector, model };
}

/** The embedding, or the reason why there is none. */
async function embedEntry(entry: WrittenEntry, embed: Embed | undefined): Promise<Embedding | string> {
  if (embed === undefined) return 'it was not requested';
  try {
    return await embed(wholeText(entry), 'document');
  } catch (error) {
    if (!(error instanceof InquestError)) throw error;
    return errorMessage(error);
  }
}

function isOwnedByOther({ value }: Stored<Knowledge>, userId: string | null, now: Date): boolean {
  return isLive(value, now) && value.userId !== userId;
}

function isSameEntry(stored: WrittenEntry, given: WrittenEntry): boolean {
  const parts = ({ kind, title, text, labels, links }: WrittenEntry) => [
    kind,
    title,
    text,
    Object.entries(labels).sort(),
    links.map(({ key, type }) => [key, type]),
  ];
  return JSON.stringify(parts(stored)) === JSON.stringify(parts(given));
}
