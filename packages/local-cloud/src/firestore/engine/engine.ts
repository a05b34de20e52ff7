// Commits and reads: all or nothing, in the order of strictly increasing times.

import type { CloudDatabase } from '../../database/database.ts';
import { answerFullDisk, StatusError, status } from '../../protocol/status.ts';
import { areSame } from '../values/compare.ts';
import { invalid } from '../values/errors.ts';
import {
  comparePaths,
  cutDocumentId,
  cutParentPath,
  type DocumentKey,
  documentWireName,
} from '../values/names.ts';
import { encodeFields } from '../values/protos.ts';
import { createClock, type Micros } from '../values/time.ts';
import type { Value } from '../values/value.ts';
import {
  type DocumentStore,
  openDocumentStore,
  type ScanRange,
  type Source,
  type StoredDocument,
  type StoredRow,
  toDocument,
} from './documentStore.ts';
import { type Change, createJournal, type Journal } from './journal.ts';
import { applyWrite, checkPrecondition, checkTogether, type Write } from './writes.ts';

/** A database as it was at one time. */
export interface Snapshot {
  /** The read time. */
  time: Micros;
  /** The document; undefined when it did not exist. */
  get(key: DocumentKey): StoredDocument | undefined;
  /** In the order of paths, or against it. */
  scan(source: Source, range?: ScanRange): Iterable<StoredDocument>;
  /** Paths of all collections with documents below a document, at any depth. */
  collectionsBelow(database: string, parent: string): string[];
}

/** A commit that is stored: its documents before and after. Undefined where one does not exist. */
export interface Commit {
  /** The commit time. */
  time: Micros;
  /** `projects/P/databases/D` */
  database: string;
  /** The changed documents. */
  changes: { key: DocumentKey; before: StoredDocument | undefined; after: StoredDocument | undefined }[];
}

/** The result of a commit. */
export interface CommitResult {
  /** The commit time. */
  time: Micros;
  /** One for each write. No update time when the document does not exist afterwards. */
  writes: { updateTime: Micros | undefined; results: Value[] }[];
}

/** Commits writes, at once or later. */
export interface Committer {
  /**
   * Applies all writes or none.
   * @param check runs before the writes; its errors refuse the commit.
   * @throws StatusError when a precondition or limit refuses it.
   */
  commit(database: string, writes: Write[], check?: () => void): CommitResult | Promise<CommitResult>;
}

/** Commits and reads of all databases. */
export interface Engine extends Committer {
  /** The current documents. */
  store: DocumentStore;
  /** The recent changes. */
  journal: Journal;
  /** A time that is later than all commits so far, and earlier than all others. */
  now(): Micros;
  /**
   * @param at a time of the recent past; the present when absent.
   * @throws StatusError INVALID_ARGUMENT when it is in the future, FAILED_PRECONDITION when it is too long
   * ago.
   */
  snapshot(at?: Micros): Snapshot;
  /**
   * Applies all writes or none.
   * @param check runs before the writes; its errors refuse the commit.
   * @param judge gets the changes before they are stored; its errors refuse the commit.
   * @throws StatusError when a precondition or limit refuses it.
   */
  commit(
    database: string,
    writes: Write[],
    check?: () => void,
    judge?: (changes: Commit['changes']) => void,
  ): CommitResult;
  /** Calls `listener` after each commit, before the client's response. Returns an unsubscriber. */
  subscribe(listener: (commit: Commit) => void): () => void;
}

/** The state of a document during a commit. */
interface Pending {
  /** The database and path of the document. */
  key: DocumentKey;
  /** The stored row before the commit; undefined for a new document. */
  before: StoredRow | undefined;
  /** The decoded form of `before`. */
  found: StoredDocument | undefined;
  /** The document after the writes so far; undefined once it is deleted. */
  now: StoredDocument | undefined;
  /** The row to store; undefined deletes it. */
  after: StoredRow | undefined;
}

/** Opens the engine of a database. Missing tables are created. */
export function openEngine(database: CloudDatabase): Engine {
  const store = openDocumentStore(database);
  const now = createClock(store.lastCommitTime());
  const journal = createJournal(now());
  const listeners = new Set<(commit: Commit) => void>();

  const write = (
    writes: Write[],
    time: Micros,
    judge?: (changes: Commit['changes']) => void,
  ): { result: CommitResult; changed: Pending[] } => {
    checkTogether(writes);
    const pending = new Map<string, Pending>();
    const written = writes.map((each) => {
      const entry = pending.get(each.key.path) ?? loadPending(store, each.key);
      if (!pending.has(each.key.path) || each.precondition.updateTime == null)
        checkPrecondition(each, entry.now);
      const { fields, results } = applyWrite(each, entry.now?.fields, time);
      const createTime = entry.now?.createTime ?? time;
      entry.now = fields && { ...each.key, fields, createTime, updateTime: entry.now?.updateTime ?? time };
      pending.set(each.key.path, entry);
      return { entry, results };
    });
    const changed = [...pending.values()].filter((entry) => settlePending(entry, time));
    judge?.(changed.map(toCommitted));
    for (const { key, after } of changed) {
      if (after === undefined) store.delete(key);
      else store.put(after);
    }
    if (changed.length > 0) store.setLastCommitTime(time);
    const results = written.map(({ entry, results }) => ({ updateTime: entry.now?.updateTime, results }));
    return { result: { time, writes: results }, changed };
  };

  return {
    store,
    journal,
    now,
    snapshot: (at) =>
      at === undefined ? currentSnapshot(store, now()) : pastSnapshot(store, journal, at, now()),
    commit(name, writes, check, judge) {
      const transaction = () => {
        check?.();
        return write(writes, now(), judge);
      };
      const { result, changed } = answerFullDisk(status.INTERNAL, () => database.atomically(transaction));
      if (changed.length > 0) {
        journal.append(
          result.time,
          changed.map(({ key, before, after }): Change => ({ key, before, after })),
        );
        const changes = changed.map(toCommitted);
        for (const listener of listeners) listener({ time: result.time, database: name, changes });
      }
      return result;
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

const toCommitted = ({ key, found, now }: Pending): Commit['changes'][number] => ({
  key,
  before: found,
  after: now,
});

function loadPending(store: DocumentStore, key: DocumentKey): Pending {
  const found = store.get(key);
  return { key, before: found, found, now: found, after: found };
}

/** Whether a document has changed in the end. If not, its update time stays. */
function settlePending(entry: Pending, time: Micros): boolean {
  const { found, now } = entry;
  if (now === undefined) {
    entry.after = undefined;
    return found !== undefined;
  }
  // A document that was deleted and written again is a new one.
  if (found?.createTime === now.createTime && areSame(found.fields, now.fields)) {
    entry.now = found;
    return false;
  }
  const { fields, ...rest } = now;
  const data = encodeFields(fields);
  entry.now = { ...rest, fields, data, updateTime: time };
  entry.after = { ...rest, data, updateTime: time };
  return true;
}

function currentSnapshot(store: DocumentStore, time: Micros): Snapshot {
  return {
    time,
    get: store.get,
    scan(given, range) {
      const source = range?.times === undefined ? store.findOnly(given) : given;
      const isOrdered = source.collectionId !== undefined && !source.allDescendants;
      const found = store.scan(source, range);
      return isOrdered ? found : sortByPath([...found], range?.descending);
    },
    collectionsBelow: store.collectionsBelow,
  };
}

/** The current documents, with earlier states of those that have changed since. */
function pastSnapshot(store: DocumentStore, journal: Journal, at: Micros, now: Micros): Snapshot {
  if (at > now) throw invalid("The requested 'read_time' cannot be in the future.");
  const changed = journal.since(at);
  if (changed === undefined) {
    throw new StatusError(
      status.FAILED_PRECONDITION,
      "The requested 'read_time' is too old: the local cloud remembers the last minutes.",
    );
  }
  const current = currentSnapshot(store, at);
  if (changed.size === 0) return current;
  return {
    time: at,
    get(key) {
      const change = changed.get(documentWireName(key));
      if (change === undefined) return current.get(key);
      return change.before && toDocument(change.before);
    },
    scan(source, range) {
      const documents = [...current.scan(source, range)].filter(
        (found) => !changed.has(documentWireName(found)),
      );
      for (const { before } of changed.values()) {
        if (before !== undefined && isWithin(before, source)) documents.push(toDocument(before));
      }
      return sortByPath(documents, range?.descending);
    },
    collectionsBelow(database, parent) {
      const then = new Set<string>();
      const touched = new Set<string>();
      for (const { key, before } of changed.values()) {
        const collection = cutParentPath(key.path);
        if (key.database !== database || (parent !== '' && !collection.startsWith(`${parent}/`))) continue;
        (before === undefined ? touched : then).add(collection);
      }
      // A collection that only gained documents existed before only if it has older documents.
      const isOld = (collection: string) =>
        then.has(collection) || !touched.has(collection) || hasDocument(this, database, collection);
      return [...new Set([...current.collectionsBelow(database, parent), ...then])].filter(isOld);
    },
  };
}

function hasDocument(snapshot: Pick<Snapshot, 'scan'>, database: string, collection: string): boolean {
  const source = {
    database,
    parent: cutParentPath(collection),
    collectionId: cutDocumentId(collection),
    allDescendants: false,
  };
  for (const _ of snapshot.scan(source)) return true;
  return false;
}

function sortByPath(documents: StoredDocument[], descending = false): StoredDocument[] {
  const sign = descending ? -1 : 1;
  return documents.sort((left, right) => comparePaths(left.path, right.path) * sign);
}

/** Whether a document is one of a source. */
export function isWithin({ database, path }: DocumentKey, source: Source): boolean {
  const collection = cutParentPath(path);
  const parent = cutParentPath(collection);
  const id = parent === '' ? collection : collection.slice(parent.length + 1);
  if (database !== source.database) return false;
  if (source.collectionId !== undefined && id !== source.collectionId) return false;
  if (!source.allDescendants) return parent === source.parent;
  return source.parent === '' || collection.startsWith(`${source.parent}/`);
}
