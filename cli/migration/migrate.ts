// Rewrites stored documents of older versions in today's. Nothing is remembered between runs: what is left is what
// the next run finds. docs/decisions/0010-migrations.md gives the reasons.

import * as z from 'zod';
import { type OutdatedDocuments, replace, type Store } from '../../shared/contract/store.ts';
import { errorMessage, RetryableError } from '../../shared/errors.ts';
import { COLLECTIONS } from '../../shared/schema/collections.ts';
import { type DocumentType, SchemaVersionError } from '../../shared/schema/documentType.ts';
import { leaseSchema } from '../../shared/schema/execution.ts';
import { storable } from '../../shared/store/storable.ts';

/** Failures kept with path and reason, per collection; further ones are counted only. */
export const MAX_FAILURES = 20;

/** A document that cannot be migrated. It is left as it is. */
interface MigrationFailure {
  path: string;
  reason: string;
}

/** How far the migration of a collection came. */
export interface Tally {
  collection: string;
  /** Of its documents today. */
  version: number;
  /** Older documents when it began. The running system may bring some up meanwhile. */
  total: number;
  /** Brought up to `version`; in a dry run, those that could be. */
  migrated: number;
  /** Executions under a lease. A write would take the fence from its holder, which writes today's version anyway. */
  inWork: number;
  /** Changed by another process between reading and writing. */
  changed: number;
  failed: number;
  /** The first 20 of them. */
  failures: MigrationFailure[];
  /** Whether the collection is through. */
  complete: boolean;
}

/** What is migrated, and how. */
export interface MigrateOptions {
  outdated: OutdatedDocuments;
  store: Store;
  /** Reads, upcasts and validates everything, and writes nothing. */
  dryRun: boolean;
  /** What a lease is compared with. */
  now: () => Date;
  /** Default: all there are. */
  collections?: Record<string, DocumentType<unknown>>;
}

type Outcome =
  | { kind: 'migrated' | 'in_work' | 'changed' }
  | { kind: 'failed'; failure: MigrationFailure }
  /** Firestore does not answer: it would be the same for every document. */
  | { kind: 'unavailable'; error: RetryableError };

/**
 * Migrates collection by collection, and yields how far it came: when a collection begins, after each page, and when it
 * is through. It stops with its caller, after the page under way.
 * @throws RetryableError when Firestore does not answer, after the tally of what was done before.
 */
export async function* migrate(options: MigrateOptions): AsyncGenerator<Tally, void> {
  const { outdated, collections = COLLECTIONS } = options;
  for (const [collection, type] of Object.entries(collections)) {
    let tally = emptyTally(collection, type.version, await outdated.count(collection, type.version));
    yield tally;
    for await (const paths of outdated.pages(collection, type.version)) {
      const outcomes = await Promise.all(paths.map((path) => migrateDocument(path, type, options)));
      tally = outcomes.reduce(counted, tally);
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
    const { value, version } = stored;
    const holding = leased.safeParse(value);
    if (holding.success && holding.data.lease.until > now()) return { kind: 'in_work' };
    if (dryRun) {
      storable(type.encode(value, path), path);
      return { kind: 'migrated' };
    }
    const result = await store.commit([replace(path, type, value, version)]);
    return { kind: result.ok ? 'migrated' : 'changed' };
  } catch (error) {
    // Newer code, or contention: another process wrote it meanwhile.
    if (error instanceof SchemaVersionError) return { kind: 'changed' };
    if (error instanceof RetryableError) {
      return error.code === 'STORE_CONFLICT' ? { kind: 'changed' } : { kind: 'unavailable', error };
    }
    return { kind: 'failed', failure: { path, reason: errorMessage(error) } };
  }
}

function emptyTally(collection: string, version: number, total: number): Tally {
  const none = { migrated: 0, inWork: 0, changed: 0, failed: 0, failures: [], complete: false };
  return { collection, version, total, ...none };
}

function counted(tally: Tally, outcome: Outcome): Tally {
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
