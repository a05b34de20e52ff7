// Writes: parses them, checks their preconditions, and applies them to documents.

import { StatusError, status } from '../../protocol/status.ts';
import { invalid } from '../values/errors.ts';
import { type FieldPath, isWithin, parseWritablePath, valueAt, withValueAt } from '../values/fieldPath.ts';
import { type DocumentKey, documentWireName, parseDocumentName } from '../values/names.ts';
import { type Micros, requestedMicros, toMicros } from '../values/time.ts';
import type { Fields, Timestamp, Value } from '../values/value.ts';
import type { StoredDocument } from './documentStore.ts';
import { checkDocument, checkedFields } from './limits.ts';
import { applyTransforms, type FieldTransform, parseTransforms, type Transform } from './transforms.ts';

/** On the wire. */
interface Precondition {
  /** Whether the document must exist. Absent: no such condition. */
  exists?: boolean;
  /** The update time that the document must have. Absent: no such condition. */
  updateTime?: Timestamp;
}

/** A write on the wire. */
export interface WriteMessage {
  /** Sets a document or the fields of the mask. */
  update?: { name?: string; fields?: Fields };
  /** The name of a document to delete. */
  delete?: string;
  /** Only changes fields by transforms. */
  transform?: { document?: string; fieldTransforms?: FieldTransform[] };
  /** The fields to set or delete; the whole document when absent. */
  updateMask?: { fieldPaths?: string[] } | null;
  /** Transforms after the update. */
  updateTransforms?: FieldTransform[];
  /** The precondition of the write. */
  currentDocument?: Precondition | null;
}

/** A validated write. */
export interface Write {
  /** The document to write. */
  key: DocumentKey;
  /** Checked before the write. */
  precondition: Precondition;
  /** Undefined for a delete. */
  update?: { fields: Fields; mask: FieldPath[] | undefined; transforms: Transform[] };
}

/** @throws StatusError INVALID_ARGUMENT when it is not valid, or not of this database. */
export function parseWrite(message: WriteMessage, database: string): Write {
  const write = parseOperation(message);
  if (write.key.database !== database) {
    throw invalid(
      `Document name "${documentWireName(write.key)}" is not in the database "${database}" of the request.`,
    );
  }
  return write;
}

function parseOperation(message: WriteMessage): Write {
  const precondition = message.currentDocument ?? {};
  if (precondition.updateTime != null) requestedMicros(precondition.updateTime);
  if (message.update != null) {
    const { name, fields = {} } = message.update;
    const mask = message.updateMask && (message.updateMask.fieldPaths ?? []).map(parseWritablePath);
    const kept = mask ? withinMask(fields, mask) : fields;
    return {
      key: parseDocumentName(name),
      precondition,
      update: {
        fields: checkedFields(kept),
        mask: mask ?? undefined,
        transforms: parseTransforms(message.updateTransforms ?? []),
      },
    };
  }
  if (message.transform != null) {
    const { document, fieldTransforms = [] } = message.transform;
    if (fieldTransforms.length === 0) throw invalid('The list of FieldTransform must not be empty.');
    const transforms = parseTransforms(fieldTransforms);
    return { key: parseDocumentName(document), precondition, update: { fields: {}, mask: [], transforms } };
  }
  if (message.delete) return { key: parseDocumentName(message.delete), precondition };
  throw invalid('empty write operation');
}

/** The fields that a mask names; all others of the message are ignored. */
function withinMask(fields: Fields, mask: FieldPath[]): Fields {
  const tops = new Set(mask.map(([name]) => name));
  return Object.fromEntries(Object.entries(fields).filter(([name]) => tops.has(name)));
}

/**
 * Checks the precondition of a write against the current document.
 * @throws StatusError NOT_FOUND, ALREADY_EXISTS or FAILED_PRECONDITION; INVALID_ARGUMENT for an update time
 *   that is later than the document's: no client can have read it.
 */
export function checkPrecondition({ key, precondition }: Write, found: StoredDocument | undefined): void {
  const { exists, updateTime } = precondition;
  if (exists === true && found === undefined) {
    throw new StatusError(status.NOT_FOUND, `No document to update: ${documentWireName(key)}`);
  }
  if (exists === false && found !== undefined) {
    throw new StatusError(status.ALREADY_EXISTS, `Document already exists: ${documentWireName(key)}`);
  }
  if (updateTime == null) return;
  // A document that does not exist has the version 0.
  const [required, stored] = [toMicros(updateTime), found?.updateTime ?? 0];
  if (found !== undefined && required > stored) {
    throw invalid(`Invalid base version, it is greater than the stored version: ${documentWireName(key)}`);
  }
  if (required !== stored) {
    throw new StatusError(
      status.FAILED_PRECONDITION,
      `the stored version (${stored}) of ${documentWireName(key)} does not match the required base version (${required})`,
    );
  }
}

/**
 * Checks that writes of the same document in one commit do not contradict each other, whatever is stored.
 * @throws StatusError INVALID_ARGUMENT
 */
export function checkTogether(writes: Write[]): void {
  const earlier = new Map<string, { deletes: boolean; version: Micros | undefined }>();
  for (const { key, update, precondition } of writes) {
    const { exists, updateTime } = precondition;
    const before = earlier.get(key.path);
    const expected = updateTime == null ? undefined : toMicros(updateTime);
    earlier.set(key.path, { deletes: update === undefined, version: before ? before.version : expected });
    if (before === undefined) continue;
    if (before.deletes && (exists === true || (update !== undefined && expected !== undefined))) {
      const then = update === undefined ? 'delete' : 'update';
      throw invalid(`Cannot delete then ${then} an entity in the same request.`);
    }
    if (!before.deletes && exists === false) {
      throw invalid('Cannot update then insert an entity in the same request.');
    }
    if (expected !== undefined && expected !== before.version) {
      throw invalid('Writes of the same document in one request cannot expect different update times.');
    }
  }
}

/**
 * The fields of a document after a write, and the results of its transforms; no fields after a delete.
 * @throws StatusError INVALID_ARGUMENT when the document would break a limit.
 */
export function applyWrite(
  { key, update }: Write,
  old: Fields | undefined,
  now: Micros,
): { fields: Fields | undefined; results: Value[] } {
  if (update === undefined) return { fields: undefined, results: [] };
  const written =
    update.mask === undefined ? update.fields : mergeMasked(old ?? {}, update.fields, update.mask);
  const transformed = applyTransforms(written, update.transforms, now);
  checkDocument(key.path, transformed.fields);
  return transformed;
}

/** Sets or deletes every field of the mask. A field within another of the mask is part of it. */
function mergeMasked(old: Fields, fields: Fields, mask: FieldPath[]): Fields {
  const outermost = mask.filter(
    (path) => !mask.some((other) => other.length < path.length && isWithin(path, other)),
  );
  return outermost.reduce((merged, path) => withValueAt(merged, path, valueAt(fields, path)), old);
}
