// Looks up the labels of an alert in the tables of enrich.yaml.

import { createHash } from 'node:crypto';
import { keyOfAlert, withValues } from '../../alerts/enrich.ts';
import type { Alert } from '../../alerts/schema/alert.ts';
import type { Lookup } from '../../config/enrichTables.ts';
import type { Logger } from '../../core/contract/logger.ts';
import type { Store } from '../../core/contract/store.ts';
import { errorMessage, TerminalError } from '../../core/errors.ts';
import { enrichmentType } from './enrichment.ts';

/** The result of one lookup. */
export interface LookedUp {
  /** The file or the table. */
  lookup: string;
  /** `no_label`: the alert lacks a label. `not_read`: there is no store, or the row cannot be read. */
  found: 'row' | 'no_row' | 'no_label' | 'not_read';
  /** The labels that were set; empty without a row. */
  values: Record<string, string>;
}

/** The services of a lookup. */
interface EnrichDeps {
  /** Reads tables in Firestore. Absent: they are not read. */
  store?: Pick<Store, 'get'> | undefined;
  log?: Pick<Logger, 'warn'> | undefined;
  /** Removes secrets from a value. */
  mask(text: string): string;
}

/** The id of a row in Firestore: a digest of `rowKey`, so that no label leads to another document. */
export const rowId = (table: string, key: string): string =>
  `${table}.${createHash('sha256').update(key).digest('hex').slice(0, 40)}`;

/**
 * The alert with the values of all lookups, in their order: a lookup can use labels that an earlier one set.
 * @throws RetryableError when the store fails.
 */
export async function enrichAlert(
  alert: Alert,
  lookups: readonly Lookup[],
  deps: EnrichDeps,
): Promise<{ alert: Alert; lookedUp: LookedUp[] }> {
  let enriched = alert;
  const lookedUp: LookedUp[] = [];
  for (const lookup of lookups) {
    const { found, values } = await lookUp(enriched, lookup, deps);
    lookedUp.push({ lookup: lookup.name, found, values });
    if (found === 'row') enriched = withValues(enriched, values);
  }
  return { alert: enriched, lookedUp };
}

async function lookUp(
  alert: Alert,
  { by, set, rows, table }: Lookup,
  deps: EnrichDeps,
): Promise<Omit<LookedUp, 'lookup'>> {
  const none = (found: LookedUp['found']) => ({ found, values: {} });
  const key = keyOfAlert(alert, by);
  if (key === undefined) return none('no_label');
  const row = table === undefined ? rows?.get(key) : await storedRow(table, key, deps);
  if (row === undefined) return none('no_row');
  if (row === 'not_read') return none('not_read');
  const values = Object.entries(row).flatMap(([name, value]) =>
    set.includes(name) && value !== '' ? [[name, deps.mask(value)] as const] : [],
  );
  return { found: 'row', values: Object.fromEntries(values) };
}

/** A row of a table in Firestore. A row that cannot be read never holds up an alert. */
async function storedRow(table: string, key: string, { store, log }: EnrichDeps) {
  if (store === undefined) return 'not_read';
  try {
    return (await store.get(enrichmentType.paths.enrichment(rowId(table, key)), enrichmentType))?.value
      .values;
  } catch (error) {
    if (!(error instanceof TerminalError)) throw error;
    log?.warn(`a row of enrich.yaml's table ${table} cannot be read: ${errorMessage(error)}`);
    return 'not_read';
  }
}
