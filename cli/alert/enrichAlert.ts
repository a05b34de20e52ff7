// Adds the labels of enrich.yaml to an alert of the command line, and prints them.

import type { Lookup } from '../../shared/config/enrichTables.ts';
import { enrichAlert, type LookedUp } from '../../shared/kits/enrichment/enrichAlert.ts';
import { printableText } from '../process/output.ts';
import type { AlertInput } from './alertInput.ts';

/** The alert with the labels that files hold. Tables in Firestore are not read. */
export async function enrichInput(
  read: AlertInput,
  lookups: readonly Lookup[],
): Promise<{ input: AlertInput; lookedUp: LookedUp[] }> {
  const { alert, lookedUp } = await enrichAlert(read.alert, lookups, { mask: (text) => text });
  return { input: { ...read, alert }, lookedUp };
}

const WORDS: Record<LookedUp['found'], string> = {
  row: 'found',
  no_row: 'no row',
  no_label: 'the alert lacks a label that finds a row',
  not_read: 'not read here',
};

/** A line for each lookup. @param width of the first column. */
export function enrichedLines(lookedUp: readonly LookedUp[], width: number): string[] {
  return lookedUp.map(({ lookup, found, values }) => {
    const set = Object.entries(values).map(([name, value]) => `${name}=${value}`);
    const text = found === 'row' ? set.join(', ') || 'a row without values' : WORDS[found];
    return `${'enriched'.padEnd(width)} ${lookup}: ${printableText(text)}`;
  });
}
