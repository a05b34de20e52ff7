// Document types: validation and version stamp on write, upcasts and version check on read.

import * as z from 'zod';
import { type QuickCheck, quickCheck } from '../../text/schema/quickCheck.ts';
import { errorMessage, RetryableError, TerminalError } from '../errors.ts';
import type { KnownParts, WithParts } from './parts.ts';

/** Below Firestore's limit of 1 MiB, so that the error is ours and names the document. */
export const MAX_DOCUMENT_BYTES = 900_000;
/** Faults listed in a message; a document of a wrong type can have dozens. */
const LISTED_FAULTS = 5;

/** The oldest release whose documents this code reads. */
export const OLDEST_RELEASE = '0.2.0';

/** Turns a document of the version `oldest` into the current version. Pure. */
export type Upcaster = (data: Record<string, unknown>) => Record<string, unknown>;

/** A document of newer code, never overwritten here: the caller retries until newer code runs. */
export class SchemaVersionError extends RetryableError {}

/** The version before the current one that is still read. */
export interface OlderVersion {
  /** The version in `OLDEST_RELEASE`. */
  oldest: number;
  upcast: Upcaster;
}

/** A type of stored documents: its schema, its version and its conversion. */
export interface DocumentType<T> {
  /** Name in messages and in the list of pinned shapes, `session`. */
  readonly name: string;
  /** The version that is written, from 1. */
  readonly version: number;
  /** The only other version that is read, and upcast; `version` without one. */
  readonly oldest: number;
  /** The shape of this version, without `schemaVersion`. */
  readonly schema: z.ZodType;
  /** Fields at the top of the document whose numbers the database stores as a vector. */
  readonly vectors: readonly string[];
  /**
   * The stored form of `value`, which can share objects with it. `path` is used in messages only, and `known`
   * checks the parts; the store passes it.
   * @throws TerminalError `DOCUMENT_INVALID` with the path of the fault, `DOCUMENT_TOO_LARGE` above 900 kB.
   */
  encode(value: T, path?: string, known?: KnownParts): Record<string, unknown>;
  /**
   * The current form of a stored document. `path` and `known` as of `encode`.
   * @throws SchemaVersionError `SCHEMA_TOO_NEW` when it is newer than this code.
   * @throws TerminalError `SCHEMA_UNSUPPORTED` when its version is neither `version` nor `oldest`,
   *   `DOCUMENT_INVALID` with the path of the fault.
   */
  decode(data: Record<string, unknown>, path: string, known?: KnownParts): T;
}

/**
 * Defines a document type. `older` is the other version that is read; by default none. `vectors` names the
 * fields that the database stores as vectors; by default none.
 */
export function documentType<S extends z.ZodType>(
  name: string,
  version: number,
  schema: S,
  { oldest, upcast }: OlderVersion = { oldest: version, upcast: (data) => data },
  vectors: readonly string[] = [],
): DocumentType<z.infer<S>> {
  const validate = (value: unknown, where: string, known?: KnownParts): z.infer<S> => {
    const result = schema.safeParse(value);
    if (!result.success) throw invalid(result.error, `${where} is not a valid ${name}`);
    const parts = known?.schema(name)?.safeParse((result.data as WithParts).parts);
    if (parts === undefined) return result.data;
    if (!parts.success) throw invalid(parts.error, `${where} is not a valid ${name}`, ['parts']);
    return { ...(result.data as object), parts: parts.data } as z.infer<S>;
  };

  // Made when a document of the type is first read or written: most processes use few of the types.
  let isValid: QuickCheck | undefined;
  const valid = (value: unknown, where: string, known?: KnownParts): z.infer<S> => {
    isValid ??= quickCheck(schema);
    const isQuick = isValid(value) && known?.isValid(name, (value as WithParts).parts) !== false;
    return isQuick ? (value as z.infer<S>) : validate(value, where, known);
  };

  return {
    name,
    version,
    oldest,
    schema,
    vectors,
    encode(value, path = `a new ${name}`, known) {
      const stored = { ...(valid(value, path, known) as object), schemaVersion: version };
      const bytes = storedBytes(stored);
      if (bytes > MAX_DOCUMENT_BYTES) {
        throw new TerminalError(
          'DOCUMENT_TOO_LARGE',
          `${path}: ${bytes} bytes are over the limit of ${MAX_DOCUMENT_BYTES} bytes`,
        );
      }
      return stored;
    },
    decode(data, path, known) {
      const { schemaVersion: found, ...rest } = data;
      checkVersion(found, { name, version, oldest }, path);
      const stored = withDates(rest) as Record<string, unknown>;
      if (found === version) return valid(stored, path, known);
      let current: Record<string, unknown>;
      try {
        current = upcast(stored);
      } catch (error) {
        const text = `${path} is not a valid ${name} of version ${found}: ${errorMessage(error)}`;
        throw new TerminalError('DOCUMENT_INVALID', text, { cause: error });
      }
      return valid(current, path, known);
    },
  };
}

/** The error of an invalid document. @param above the path of the checked field; default: none. */
function invalid(error: z.ZodError, what: string, above: readonly string[] = []): TerminalError {
  const faults = error.issues
    .slice(0, LISTED_FAULTS)
    .map((issue) => `${[...above, ...issue.path].join('.') || '(root)'}: ${issue.message}`);
  if (error.issues.length > LISTED_FAULTS) faults.push(`and ${error.issues.length - LISTED_FAULTS} more`);
  return new TerminalError('DOCUMENT_INVALID', `${what}: ${faults.join('; ')}`, { cause: error });
}

/**
 * Checks that this code reads the version of a document.
 * @throws as `DocumentType.decode`.
 */
export function checkVersion(
  found: unknown,
  { name, version, oldest }: Pick<DocumentType<unknown>, 'name' | 'version' | 'oldest'>,
  path: string,
): asserts found is number {
  const read = [...new Set([oldest, version])].join(' and ');
  if (typeof found !== 'number' || !Number.isInteger(found) || found < 1) {
    throw new TerminalError(
      'SCHEMA_UNSUPPORTED',
      `${path}: schemaVersion is ${JSON.stringify(found)}, and this code reads ${name} ${read}`,
    );
  }
  if (found > version) {
    throw new SchemaVersionError(
      'SCHEMA_TOO_NEW',
      `${path}: schemaVersion ${found} is newer than this code knows (${name} ${version}); deploy the newer code`,
    );
  }
  if (found !== version && found !== oldest) {
    throw new TerminalError(
      'SCHEMA_UNSUPPORTED',
      `${path}: schemaVersion ${found} is not read (${name} ${read}): run migrate of release ${OLDEST_RELEASE} first, or delete the document`,
    );
  }
}

/** Any document with its fields, unchecked: for a document that its own type cannot read. */
export const rawDocumentType: DocumentType<Record<string, unknown>> = {
  name: 'document',
  version: 1,
  oldest: 1,
  schema: z.record(z.string(), z.unknown()),
  vectors: [],
  encode: (data) => data,
  decode: (data) => withDates(data) as Record<string, unknown>,
};

/**
 * An upper estimate of the size that Firestore counts
 * (https://firebase.google.com/docs/firestore/storage-size).
 */
export function storedBytes(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value) + 1;
  if (value === null || typeof value !== 'object' || value instanceof Date) return 8;
  let bytes = 32;
  const entries = value as Record<string, unknown>;
  for (const key of Object.keys(entries)) bytes += storedBytes(key) + storedBytes(entries[key]);
  return bytes;
}

/** Firestore returns its own Timestamp; the rest of the code works with Date. */
function withDates(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withDates);
  if (value === null || typeof value !== 'object') return value;
  if (value instanceof Date) return new Date(value);
  if ('toDate' in value && typeof value.toDate === 'function') return value.toDate();
  const copy: Record<string, unknown> = {};
  const entries = value as Record<string, unknown>;
  for (const key of Object.keys(entries)) {
    if (key !== '__proto__') copy[key] = withDates(entries[key]);
    // An assignment would set the prototype.
    else Object.defineProperty(copy, key, { value: withDates(entries[key]), enumerable: true });
  }
  return copy;
}
