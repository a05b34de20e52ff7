// A row of counts: sums by name. Rows with one key are added up name by name.

/** The sums of one key. */
export interface CountRow {
  key: string;
  sums: Record<string, number>;
}

/** The row of the keys for which there was no room. */
export const OTHER_KEYS = 'others';
/** Sums have no meaningless digits: dollars are known to a billionth. */
const FRACTIONS = 1e9;

/**
 * Adds rows to others, each to the one with its key.
 * @param most the most keys; further ones are added up as `OTHER_KEYS`.
 * @param factor -1 to subtract. A row stays when its sums are 0, so that its key keeps its place.
 */
export function addRows(
  rows: readonly CountRow[],
  added: readonly CountRow[],
  most = Number.POSITIVE_INFINITY,
  factor: 1 | -1 = 1,
): CountRow[] {
  const all = new Map(rows.map(({ key, sums }) => [key, { ...sums }]));
  for (const row of added) {
    const key = all.has(row.key) || all.size < most ? row.key : OTHER_KEYS;
    const sums = all.get(key) ?? {};
    for (const [name, value] of Object.entries(row.sums))
      sums[name] = Math.round(((sums[name] ?? 0) + factor * value) * FRACTIONS) / FRACTIONS;
    all.set(key, sums);
  }
  return [...all].map(([key, sums]) => ({ key, sums }));
}
