// Document messages, field masks and read times, which several RPCs share.

import type { Message } from '../../protocol/protoFiles.ts';
import type { Rpc } from '../../protocol/services.ts';
import type { StoredDocument } from '../engine/documentStore.ts';
import type { Engine, Snapshot } from '../engine/engine.ts';
import { invalid } from '../values/errors.ts';
import { type FieldPath, maskFields, parseFieldPath } from '../values/fieldPath.ts';
import { type DocumentKey, documentWireName, parseDocumentName } from '../values/names.ts';
import { requestedMicros, toTimestamp } from '../values/time.ts';
import type { Fields, Timestamp } from '../values/value.ts';
import type { Transaction, TransactionOptions, Transactions } from './transactions.ts';

/** A document on the wire. */
export interface DocumentMessage {
  /** The full name. */
  name: string;
  /** The fields in the mask. */
  fields?: Fields;
  /** The time of the commit that created it. */
  createTime?: Timestamp;
  /** The time of the last commit that changed it. */
  updateTime?: Timestamp;
}

/** A document with only the fields of a mask. @param mask undefined keeps all fields. */
export const withMask = (document: StoredDocument, mask: FieldPath[] | undefined): StoredDocument =>
  mask === undefined ? document : { ...document, fields: maskFields(document.fields, mask), data: undefined };

/** A document on the wire, encoded as a whole. @param mask undefined keeps all fields. */
export function documentMessage(document: StoredDocument, mask?: FieldPath[]): DocumentMessage {
  return {
    name: documentWireName(document),
    fields: withMask(document, mask).fields,
    createTime: toTimestamp(document.createTime),
    updateTime: toTimestamp(document.updateTime),
  };
}

/** The paths of a mask; undefined without. @throws StatusError INVALID_ARGUMENT for an invalid one. */
export const parseMask = (mask: { fieldPaths?: string[] } | null | undefined): FieldPath[] | undefined =>
  mask ? (mask.fieldPaths ?? []).map(parseFieldPath) : undefined;

/** A document's key. @throws StatusError INVALID_ARGUMENT for another name or database. */
export function parseDatabaseDocument(database: string, name: string | undefined): DocumentKey {
  const key = parseDocumentName(name);
  if (key.database === database) return key;
  throw invalid(`Document name "${name}" is not in the database "${database}" of the request.`);
}

/** The state that a request reads, on the wire. Absent: the current one. */
interface ReadSelector {
  /** Reads in an active transaction. */
  transaction?: Buffer;
  /** Starts a transaction and reads in it. */
  newTransaction?: TransactionOptions | null;
  /** Reads at a time of the recent past. */
  readTime?: Timestamp | null;
}

/** The snapshot and the transaction of a request. */
interface Reading {
  /** The state to read. */
  snapshot: Snapshot;
  /** The transaction, if the request names or starts one. */
  transaction: Transaction | undefined;
  /** The id of the transaction, if this request started it. */
  newTransaction: Buffer | undefined;
}

/**
 * The snapshot and the transaction of a request.
 * @throws StatusError INVALID_ARGUMENT when its transaction is unknown or its time cannot be read.
 */
export function parseReadSelector(
  engine: Engine,
  transactions: Transactions,
  selector: ReadSelector,
): Reading {
  if (selector.newTransaction) {
    const transaction = transactions.begin(selector.newTransaction);
    return { snapshot: transaction.snapshot, transaction, newTransaction: transaction.id };
  }
  if (selector.transaction?.length) {
    const transaction = transactions.get(selector.transaction);
    return { snapshot: transaction.snapshot, transaction, newTransaction: undefined };
  }
  const at = selector.readTime ? requestedMicros(selector.readTime) : undefined;
  return { snapshot: engine.snapshot(at), transaction: undefined, newTransaction: undefined };
}

/** An RPC that streams the messages that `answer` returns. */
export const streamed = (answer: (request: Message) => Iterable<Message>): Rpc => ({ serverStream: answer });
