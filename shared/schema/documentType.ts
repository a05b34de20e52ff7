// The guard between code and stored documents: validates and stamps on the way in, upcasts and refuses on the way out.

import type { FirestoreDataConverter } from '@google-cloud/firestore';
import type * as z from 'zod';
import { RetryableError, TerminalError } from '../errors.ts';

/** Firestore refuses 1 MiB; ours comes first, with a message that names the document. */
export const MAX_DOCUMENT_BYTES = 900_000;
/** A document of something else has dozens. */
const SHOWN_FAULTS = 5;

/** Turns a document of one version into the next one. Pure, kept for ever. */
export type Upcaster = (data: Record<string, unknown>) => Record<string, unknown>;

/** A document of newer code: this code never writes it, and whoever needs it tries again once the newer code is there. */
export class SchemaVersionError extends RetryableError {}

/** A kind of document: where its shape is known, and the only place where it is. */
export interface DocumentType<T> {
  readonly name: string;
  readonly version: number;
  /**
   * What is stored for `value`. `path` is used in messages only.
   * @throws TerminalError `DOCUMENT_INVALID` with the path of the fault, `DOCUMENT_TOO_LARGE` above 900 kB.
   */
  encode(value: T, path?: string): Record<string, unknown>;
  /**
   * What a stored document means today. `path` is used in messages only.
   * @throws SchemaVersionError `SCHEMA_TOO_NEW` when it is newer than this code.
   * @throws TerminalError `SCHEMA_UNSUPPORTED` when no upcaster leads from its version to today's, `DOCUMENT_INVALID`
   *   with the path of the fault.
   */
  decode(data: Record<string, unknown>, path: string): T;
}

/**
 * Defines a document type. `upcasters[v]` turns version `v` into `v + 1`; there must be one for each version
 * from 1 to `version - 1`.
 */
export function documentType<S extends z.ZodType>(definition: {
  name: string;
  version: number;
  schema: S;
  upcasters?: Record<number, Upcaster>;
}): DocumentType<z.infer<S>> {
  const { name, version, schema, upcasters = {} } = definition;

  const validate = (value: unknown, where: string): z.infer<S> => {
    const result = schema.safeParse(value);
    if (result.success) return result.data;
    const { issues } = result.error;
    const faults = issues
      .slice(0, SHOWN_FAULTS)
      .map((issue) => `${issue.path.join('.') || '(root)'}: ${issue.message}`);
    if (issues.length > SHOWN_FAULTS) faults.push(`and ${issues.length - SHOWN_FAULTS} more`);
    throw new TerminalError('DOCUMENT_INVALID', `${where} is not a valid ${name}: ${faults.join('; ')}`, {
      cause: result.error,
    });
  };

  return {
    name,
    version,
    encode(value, path = `a new ${name}`) {
      const stored = { ...(validate(value, path) as object), schemaVersion: version };
      const bytes = storedBytes(stored);
      if (bytes > MAX_DOCUMENT_BYTES) {
        throw new TerminalError(
          'DOCUMENT_TOO_LARGE',
          `${path}: ${bytes} bytes are over the limit of ${MAX_DOCUMENT_BYTES} bytes`,
        );
      }
      return stored;
    },
    decode(data, path) {
      const { schemaVersion: found, ...rest } = data;
      if (typeof found !== 'number' || !Number.isInteger(found) || found < 1) {
        throw new TerminalError(
          'SCHEMA_UNSUPPORTED',
          `${path}: schemaVersion is ${JSON.stringify(found)}, expected 1 to ${version}`,
        );
      }
      if (found > version) {
        throw new SchemaVersionError(
          'SCHEMA_TOO_NEW',
          `${path}: schemaVersion ${found} is newer than this code knows (${name} ${version}); deploy the newer code`,
        );
      }
      let current = withDates(rest) as Record<string, unknown>;
      for (let step = found; step < version; step++) {
        const upcast = upcasters[step];
        if (upcast === undefined) {
          throw new TerminalError(
            'SCHEMA_UNSUPPORTED',
            `${path}: no upcaster leads from version ${step} of ${name} to ${step + 1}`,
          );
        }
        current = upcast(current);
      }
      return validate(current, path);
    },
  };
}

/** The Firestore converter of a document type, for `withConverter`. */
export function firestoreConverter<T extends object>(type: DocumentType<T>): FirestoreDataConverter<T> {
  return {
    toFirestore: (value) => type.encode(value as T),
    fromFirestore: (snapshot) => type.decode(snapshot.data(), snapshot.ref.path),
  };
}

/** Close to what Firestore counts (https://firebase.google.com/docs/firestore/storage-size), and not below it. */
function storedBytes(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value) + 1;
  if (value === null || typeof value !== 'object' || value instanceof Date) return 8;
  let bytes = 32;
  for (const [key, entry] of Object.entries(value)) bytes += storedBytes(key) + storedBytes(entry);
  return bytes;
}

/** Firestore hands out its own Timestamp; everything above the schema works with Date. */
function withDates(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withDates);
  if (value === null || typeof value !== 'object' || value instanceof Date) return value;
  if ('toDate' in value && typeof value.toDate === 'function') return value.toDate();
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, withDates(entry)]));
}
