// Transactions: all reads see one snapshot, and a commit is refused when a read document has changed since.
// There are no locks: the first commit wins, and the others get ABORTED.

import { randomBytes } from 'node:crypto';
import type { Clock } from '../../protocol/clock.ts';
import { toDocument } from '../engine/documentStore.ts';
import type { Engine, Snapshot } from '../engine/engine.ts';
import type { Query } from '../query/query.ts';
import { matchesQuery } from '../query/runQuery.ts';
import { aborted, invalid } from '../values/errors.ts';
import { type DocumentKey, documentWireName } from '../values/names.ts';
import { type Micros, requestedMicros } from '../values/time.ts';
import type { Timestamp } from '../values/value.ts';

/** Options of a transaction on the wire. */
export interface TransactionOptions {
  /** A transaction without writes, at a read time or now. */
  readOnly?: { readTime?: Timestamp | null } | null;
  /** A transaction with writes, possibly the retry of another. */
  readWrite?: { retryTransaction?: Buffer } | null;
}

/** A started transaction. */
export interface Transaction {
  /** Identifies it in requests. */
  readonly id: Buffer;
  /** The state that its reads see. */
  readonly snapshot: Snapshot;
  /** Records reads for the check at the commit. */
  readDocument(key: DocumentKey): void;
  /** Records a query for the check at the commit. */
  readQuery(query: Query): void;
}

/** The active transactions of this process. */
export interface Transactions {
  /** @throws StatusError INVALID_ARGUMENT or FAILED_PRECONDITION when its read time cannot be read. */
  begin(options: TransactionOptions | null | undefined): Transaction;
  /** @throws StatusError INVALID_ARGUMENT when it was not started here, or has ended. */
  get(id: Buffer): Transaction;
  /**
   * Ends it for a commit. The returned function checks that no read document has changed.
   * @param writes whether there is something to write.
   * @throws StatusError INVALID_ARGUMENT when it cannot be committed; the check throws ABORTED.
   */
  end(id: Buffer, writes: boolean): () => void;
  /** Ends it without a commit. Without effect on an ended transaction. */
  rollback(id: Buffer): void;
}

interface Running extends Transaction {
  /** Whether a commit with writes is refused. */
  readOnly: boolean;
  /** Decides when the transaction expires. */
  startedAt: Micros;
  /** Epoch milliseconds of the start and of the last request. Both are 0 where neither ends it. */
  startedMs: number;
  usedMs: number;
  /** Names of the documents that were read. */
  documents: Set<string>;
  /** The queries that were run; a changed document that matches one refuses the commit. */
  queries: Query[];
}

/** 270 s (https://firebase.google.com/docs/firestore/quotas). */
const MAX_AGE: Micros = 270e6;
const MAX_AGE_MS = MAX_AGE / 1000;
/** On the same page: without a request for so long, a transaction expires. */
const MAX_IDLE_MS = 60_000;
const ID_BYTES = 16;

/**
 * No transactions at first.
 * @param clock ends idle and old ones. Absent: only a start ends those that are too old.
 */
export function createTransactions(engine: Engine, clock?: Clock): Transactions {
  const running = new Map<string, Running>();
  const readClock = () => clock?.now().getTime() ?? 0;
  // Older ones are gone from here first, because a Map keeps its order.
  const endOld = (now: Micros): void => {
    for (const [key, { startedAt }] of running) {
      if (startedAt >= now - MAX_AGE) return;
      running.delete(key);
    }
  };
  // An id starts with a mark of this process, which separates ended transactions from unknown ids.
  const mark = randomBytes(ID_BYTES / 2);
  const find = (id: Buffer): Running => {
    const found = running.get(id.toString('hex'));
    const nowMs = readClock();
    if (found !== undefined && nowMs - found.usedMs <= MAX_IDLE_MS && nowMs - found.startedMs <= MAX_AGE_MS) {
      found.usedMs = nowMs;
      return found;
    }
    throw invalid(
      id.subarray(0, mark.length).equals(mark)
        ? 'The referenced transaction has expired or is no longer valid.'
        : 'Invalid transaction.',
    );
  };

  return {
    begin(options) {
      // The retried transaction can have ended long ago, also before a restart of this process.
      const retried = options?.readWrite?.retryTransaction;
      if (retried?.length && retried.length !== ID_BYTES) throw invalid('Invalid transaction.');
      const id = Buffer.concat([mark, randomBytes(ID_BYTES / 2)]);
      const readTime = options?.readOnly?.readTime;
      const startedAt = engine.now();
      endOld(startedAt);
      const documents = new Set<string>();
      const queries: Query[] = [];
      const time = readTime ? requestedMicros(readTime) : startedAt;
      engine.snapshot(time);
      const transaction: Running = {
        id,
        readOnly: options?.readOnly != null,
        startedAt,
        startedMs: readClock(),
        usedMs: readClock(),
        documents,
        queries,
        // Later commits are not visible.
        get snapshot() {
          return engine.snapshot(time);
        },
        readDocument: (key) => documents.add(documentWireName(key)),
        readQuery: (query) => queries.push(query),
      };
      running.set(id.toString('hex'), transaction);
      return transaction;
    },
    get: find,
    end(id, writes) {
      const transaction = find(id);
      if (transaction.readOnly && writes) throw invalid('Cannot modify entities in a read-only transaction.');
      running.delete(id.toString('hex'));
      return () => {
        if (!transaction.readOnly) checkUnchanged(engine, transaction);
      };
    },
    rollback(id) {
      if (!running.delete(id.toString('hex')) && !id.subarray(0, mark.length).equals(mark)) find(id);
    },
  };
}

function checkUnchanged(engine: Engine, { startedAt, documents, queries }: Running): void {
  const changed = engine.journal.since(startedAt);
  if (changed === undefined) throw aborted('this transaction is too old');
  for (const [name, { before, after }] of changed) {
    const states = [before, after].filter((row) => row !== undefined).map(toDocument);
    const isRead =
      documents.has(name) || queries.some((query) => states.some((state) => matchesQuery(query, state)));
    if (isRead) throw aborted(`${name} has changed since it was read`);
  }
}
