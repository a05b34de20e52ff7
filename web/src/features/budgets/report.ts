// Usage: from a report, or from the counts of budgets.

import type { AnswerOf } from '../../../../shared/lists/apiTypes.ts';
import { costText } from '../../model/format.ts';

/** The groupings of usage. */
export const GROUPINGS = ['day', 'chain', 'agent', 'model', 'tool'] as const;
/** The server of tools that belong to Inquest. */
const BUILT_IN = 'built in';
/** The groupings of usage. */
export type Grouping = (typeof GROUPINGS)[number];

type Row = AnswerOf<'GET /v1/usage/{by}'>['usage'][number];
/** A row of a report; of its tokens only the total is read. */
export interface ReportRow extends Omit<Row, 'tokens'> {
  tokens: Pick<NonNullable<Row['tokens']>, 'total'> | null;
}
/** A count of the budgets. */
export type CountedRow = AnswerOf<'GET /v1/usage'>['usage'][number];
type Cost = NonNullable<ReportRow['cost']>;

/** The usage of one day, chain, agent, model or tool. Null: not counted. */
export interface UsageRow extends Pick<ReportRow, 'key' | 'durationMs' | 'durations' | 'cost'> {
  sessions: number | null;
  count: number | null;
  failed: number | null;
  tokens: number | null;
}

/** A row of a report, as the page shows it. */
export const toUsageRow = (row: ReportRow): UsageRow => ({ ...row, tokens: row.tokens?.total ?? null });

function addRows(a: UsageRow, b: UsageRow): UsageRow {
  return {
    key: a.key,
    sessions: addCounts(a.sessions, b.sessions),
    count: addCounts(a.count, b.count),
    failed: addCounts(a.failed, b.failed),
    durationMs: addCounts(a.durationMs, b.durationMs),
    durations: [...a.durations, ...b.durations],
    tokens: addCounts(a.tokens, b.tokens),
    cost: addCost(a.cost, b.cost),
  };
}

function addCounts(a: number | null, b: number | null): number | null {
  return a === null ? b : a + (b ?? 0);
}

function addCost(a: Cost | null, b: Cost | null): Cost | null {
  if (a === null || b === null) return a ?? b;
  return { usd: a.usd + b.usd, unpricedCalls: a.unpricedCalls + b.unpricedCalls };
}

/** Counts of budgets, by day or chain. Days sum all chains: no use counts twice. */
export function countedRows(counted: readonly CountedRow[], by: 'day' | 'chain'): UsageRow[] {
  const own = counted.filter(({ chain }) => (chain === null) === (by === 'day'));
  const groups = Map.groupBy(own, ({ chain, period }) =>
    by === 'day' ? period.slice(0, 10) : (chain ?? ''),
  );
  return [...groups].map(([key, rows]) => {
    const sessions = sumCountedRows(rows, 'sessions');
    const tokens = sumCountedRows(rows, 'tokens');
    return {
      key,
      sessions,
      count: sessions,
      failed: null,
      durationMs: null,
      durations: [],
      tokens,
      cost: null,
    };
  });
}

function sumCountedRows(rows: readonly CountedRow[], counted: CountedRow['counted']): number | null {
  const own = rows.filter((row) => row.counted === counted);
  return own.length === 0 ? null : own.reduce((sum, { count }) => sum + count, 0);
}

type Measure = 'sessions' | 'tokens';

/** All rows together; null where no row was counted. */
export function sumMeasure(
  rows: readonly UsageRow[],
  measure: 'sessions' | 'failed' | 'durationMs' | 'tokens',
): number | null {
  return rows.reduce<number | null>((sum, row) => addCounts(sum, row[measure]), null);
}

/** The cost of all rows, with `at least` where a part is unknown. */
export function sumRowCost(rows: readonly UsageRow[]): string {
  const cost = rows.reduce<Cost | null>((sum, row) => addCost(sum, row.cost), null);
  return cost === null ? 'not counted' : costText(cost);
}

/** The time within which a part ended, to a quarter; null without any. @param part 0 to 1. */
export function percentile({ durations }: UsageRow, part: number): number | null {
  const sorted = durations.toSorted((a, b) => a.upToMs - b.upToMs);
  const all = sorted.reduce((sum, { count }) => sum + count, 0);
  let seen = 0;
  for (const { upToMs, count } of sorted) {
    seen += count;
    if (seen >= part * all) return upToMs;
  }
  return null;
}

/** The usage of tools, summed by their servers. */
export function byServer(tools: readonly UsageRow[]): UsageRow[] {
  const rows = tools.map((row) => ({
    ...row,
    key: row.key.includes('.') ? row.key.replace(/\..*$/s, '') : BUILT_IN,
  }));
  const groups = Map.groupBy(rows, ({ key }) => key);
  // A session that used several tools of a server would count several times.
  return [...groups.values()].map((group) => ({ ...group.reduce(addRows), sessions: null }));
}

/** The rows that used the most first: by tokens, else by count. */
export function byUse(rows: readonly UsageRow[]): UsageRow[] {
  return rows.toSorted(
    (a, b) =>
      (b.tokens ?? 0) - (a.tokens ?? 0) || (b.count ?? 0) - (a.count ?? 0) || a.key.localeCompare(b.key),
  );
}

const DAY_MS = 24 * 3_600_000;

/** A value for each of the last days, oldest first: 0 for an empty day, null without counts. */
export function dailyValues(
  rows: readonly UsageRow[],
  measure: Measure,
  { days, now }: { days: number; now: number },
): { day: string; value: number }[] | null {
  if (sumMeasure(rows, measure) === null) return null;
  const values = new Map(rows.map((row) => [row.key, row[measure] ?? 0]));
  return Array.from({ length: days }, (_, index) => {
    const day = new Date(now - (days - 1 - index) * DAY_MS).toISOString().slice(0, 10);
    return { day, value: values.get(day) ?? 0 };
  });
}

/** A round number at or above a value, for the end of an axis: one digit and zeros. */
export function roundAbove(value: number): number {
  if (value <= 1) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return ([1, 2, 3, 4, 5, 6, 8, 10].find((step) => step * power >= value) ?? 10) * power;
}

/** A number in few characters, for an axis: `412k`. */
export function shortNumber(value: number): string {
  return new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 }).format(value);
}
