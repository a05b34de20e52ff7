// Stores rows of a table of enrich.yaml, replaces those with the same keys, and deletes rows.

import { rowKey } from '../../alerts/enrich.ts';
import { deleteDocument, putDocument, type Write } from '../../core/contract/store.ts';
import type { AlertDeps } from '../../core/kernel/deps.ts';
import { rowId } from '../../kits/enrichment/enrichAlert.ts';
import { enrichmentType } from '../../kits/enrichment/enrichment.ts';
import { cleanText } from '../../masking/cleanText.ts';

/** Writes of a batch. */
const BATCH = 200;

interface NewRow {
  key: readonly string[];
  values: Readonly<Record<string, string>>;
}

/**
 * Stores rows, with secrets masked.
 * @throws RetryableError when the store fails: the same call can be repeated.
 */
export async function putRows(
  { table, rows, by }: { table: string; rows: readonly NewRow[]; by: string },
  { store, clock, maskerFor }: Pick<AlertDeps, 'store' | 'clock' | 'maskerFor'>,
): Promise<void> {
  const masker = maskerFor('0'.repeat(32));
  const writes = rows.flatMap(({ key, values }): Write[] => {
    const found = rowKey(key);
    if (found === undefined) return [];
    const masked = Object.entries(values).map(([name, value]) => [name, cleanText(masker, value).text]);
    const row = {
      table,
      key: [...key],
      values: Object.fromEntries(masked),
      updatedBy: by,
      updatedAt: clock.now(),
    };
    return [putDocument(enrichmentType.paths.enrichment(rowId(table, found)), enrichmentType, row)];
  });
  await commitAll(store, writes);
}

/**
 * Deletes the rows with these keys. Keys without a row are skipped.
 * @throws RetryableError when the store fails: the same call can be repeated.
 */
export async function deleteRows(
  { table, keys }: { table: string; keys: readonly (readonly string[])[] },
  { store }: Pick<AlertDeps, 'store'>,
): Promise<void> {
  const found = keys.map(rowKey).filter((key) => key !== undefined);
  await commitAll(
    store,
    found.map((key) => deleteDocument(enrichmentType.paths.enrichment(rowId(table, key)), enrichmentType)),
  );
}

async function commitAll(store: AlertDeps['store'], writes: readonly Write[]): Promise<void> {
  for (let from = 0; from < writes.length; from += BATCH)
    await store.commit(writes.slice(from, from + BATCH));
}
