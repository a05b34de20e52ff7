// Rewrites stored documents of older versions in the current version. Runs keep no state: each queries the
// documents that are left. docs/decisions/0010-migrations.md gives the reasons.

import * as z from 'zod';
import { isHeld } from '../../shared/core/contract/lease.ts';
import { type OutdatedDocuments, replaceDocument, type Store } from '../../shared/core/contract/store.ts';
import { errorMessage, RetryableError } from '../../shared/core/errors.ts';
import { deriveFields } from '../../shared/core/kernel/stageFeature.ts';
import { sessionType } from '../../shared/core/schema/coreDocuments.ts';
import { type DocumentType, SchemaVersionError } from '../../shared/core/schema/documentType.ts';
import { leaseSchema } from '../../shared/core/schema/execution.ts';
import type { Session } from '../../shared/core/schema/session.ts';
import { COLLECTIONS } from '../../shared/lists/documents.ts';
import { STAGE_FEATURES } from '../../shared/lists/stageFeatures.ts';
import { storableDocument } from '../../shared/store/storable.ts';

/** Failures kept with path and reason, per collection; further ones are only counted. */
export const MAX_FAILURES = 20;

/** A document that cannot be migrated. It is not changed. */
interface MigrationFailure {
  path: string;
  reason: string;
}

/** The progress of a collection. */
export interface Tally {
  collection: string;
  /** The current version of its documents. */
  version: number;
  /** Older documents at the start. The running system can upgrade some of them meanwhile. */
  total: number;
  /** Documents upgraded to `version`; in a dry run, those that could be. */
  migrated: number;
  /**
   * Executions under a lease: a write would break the fence of its holder, which writes the current version.
   */
  inWork: number;
  /** Documents that another process changed between reading and writing. */
  changed: number;
  failed: number;
  /** The first 20 failures. */
  failures: MigrationFailure[];
  /** Whether the collection is complete. */
  complete: boolean;
}

/** Options of a migration. */
export interface MigrateOptions {
  outdated: OutdatedDocuments;
  store: Store;
  /** Whether to read, upcast and validate all documents without writing. */
  dryRun: boolean;
  /** The clock for expired leases. */
  now: () => Date;
  /** Default: all collections. */
  collections?: Record<string, DocumentType<unknown>>;
}

type Outcome =
  | { kind: 'migrated' | 'in_work' | 'changed' }
  | { kind: 'failed'; failure: MigrationFailure }
  /** Firestore does not answer, which affects every document. */
  | { kind: 'unavailable'; error: RetryableError };

/**
 * Migrates one collection after another. Yields the progress at the start of a collection, after each page
 * and at its end. When the caller stops iterating, it ends after the current page.
 * @throws RetryableError when Firestore does not answer, after yielding the progress so far.
 */
export async function* migrateDocuments(options: MigrateOptions): AsyncGenerator<Tally, void> {
  const { outdated, collections = COLLECTIONS } = options;
  for (const [collection, type] of Object.entries(collections)) {
    let tally = emptyTally(collection, type.version, await outdated.count(collection, type.version));
    yield tally;
    for await (const paths of outdated.pages(collection, type.version)) {
      const outcomes = await Promise.all(paths.map((path) => migrateDocument(path, type, options)));
      tally = outcomes.reduce(withOutcome, tally);
      yield tally;
      for (const outcome of outcomes) if (outcome.kind === 'unavailable') throw outcome.error;
    }
    yield { ...tally, complete: true };
  }
}

const leased = z.object({ lease: leaseSchema });

async function migrateDocument<T>(
  path: string,
  type: DocumentType<T>,
  { store, dryRun, now }: MigrateOptions,
): Promise<Outcome> {
  try {
    const stored = await store.get(path, type);
    if (stored === undefined) return { kind: 'changed' };
    const { version } = stored;
    const value = withDerivedFields(stored.value, type);
    const holding = leased.safeParse(value);
    if (isHeld(holding.data?.lease, now())) return { kind: 'in_work' };
    if (dryRun) {
      storableDocument(type.encode(value, path), path);
      return { kind: 'migrated' };
    }
    const result = await store.commit([replaceDocument(path, type, value, version)]);
    return { kind: result.ok ? 'migrated' : 'changed' };
  } catch (error) {
    // Newer code wrote the document, or a write conflict occurred.
    if (error instanceof SchemaVersionError) return { kind: 'changed' };
    if (error instanceof RetryableError) {
      return error.code === 'STORE_CONFLICT' ? { kind: 'changed' } : { kind: 'unavailable', error };
    }
    return { kind: 'failed', failure: { path, reason: errorMessage(error) } };
  }
}

/** A session with the fields by which lists and searches find it, which older code did not store. */
const withDerivedFields = <T>(value: T, type: DocumentType<T>): T =>
  type.name === sessionType.name
    ? (deriveFields(value as Session, undefined, { stageFeatures: STAGE_FEATURES }) as T)
    : value;

function emptyTally(collection: string, version: number, total: number): Tally {
  const none = { migrated: 0, inWork: 0, changed: 0, failed: 0, failures: [], complete: false };
  return { collection, version, total, ...none };
}

function withOutcome(tally: Tally, outcome: Outcome): Tally {
  switch (outcome.kind) {
    case 'migrated':
      return { ...tally, migrated: tally.migrated + 1 };
    case 'in_work':
      return { ...tally, inWork: tally.inWork + 1 };
    case 'changed':
      return { ...tally, changed: tally.changed + 1 };
    case 'failed':
      return {
        ...tally,
        failed: tally.failed + 1,
        failures: [...tally.failures, outcome.failure].slice(0, MAX_FAILURES),
      };
    case 'unavailable':
      return tally;
  }
}
