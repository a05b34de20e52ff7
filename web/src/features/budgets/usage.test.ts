import { describe, expect, it } from 'vitest';
import { repeatedAlerts } from './repeatedAlerts.ts';
import {
  byServer,
  byUse,
  type CountedRow,
  countedRows,
  dailyValues,
  percentile,
  type ReportRow,
  roundAbove,
  shortNumber,
  sumMeasure,
  sumRowCost,
  toUsageRow,
} from './report.ts';

const now = new Date('2026-11-20T12:00:00.000Z');
const COUNTED = ['2026-11-20', '2026-11-19', '2026-11-17'].flatMap((day, index): CountedRow[] => [
  { counted: 'tokens', chain: null, period: day, count: [412_000, 322_000, 142_000][index] ?? 0 },
  { counted: 'tokens', chain: 'kubernetes', period: day, count: [300_000, 220_000, 60_000][index] ?? 0 },
  { counted: 'sessions', chain: null, period: `${day}T08`, count: 9 },
  { counted: 'sessions', chain: null, period: `${day}T09`, count: 4 },
  { counted: 'sessions', chain: 'kubernetes', period: `${day}T09`, count: 4 },
]);
const row = (key: string, part: Partial<ReportRow> = {}): ReportRow => ({
  key,
  sessions: 1,
  count: 2,
  failed: 0,
  durationMs: 100,
  durations: [{ upToMs: 100, count: 1 }],
  tokens: { total: 10 },
  cost: { usd: 0.5, unpricedCalls: 0 },
  ...part,
});

describe('a report', () => {
  it('has the time within which a part ended', () => {
    const durations = [
      { upToMs: 100, count: 90 },
      { upToMs: 400, count: 10 },
    ];
    const all = toUsageRow(row('a', { durations }));
    expect([0.5, 0.9, 0.95, 1].map((part) => percentile(all, part))).toEqual([100, 100, 400, 400]);
    expect(percentile({ ...row('a'), tokens: null, durations: [] }, 0.5)).toBeNull();
    const unordered = [400, 100].map((upToMs) => ({ upToMs, count: 5 }));
    expect(percentile({ ...row('a'), tokens: null, durations: unordered }, 0.5)).toBe(100);
  });

  it('names the least cost where a price is not known, and never 0 for uncounted tokens', () => {
    const priced = toUsageRow(row('a'));
    const unpriced = toUsageRow(row('b', { cost: { usd: 0, unpricedCalls: 3 } }));
    expect(sumRowCost([priced])).toBe('$0.50');
    expect(sumRowCost([priced, unpriced])).toBe('at least $0.50');
    expect(sumRowCost([unpriced])).toBe('unknown');
    expect(sumRowCost([toUsageRow(row('tool', { cost: null }))])).toBe('not counted');
    expect(sumRowCost([])).toBe('not counted');
  });

  it('sums tools by their server; sessions that used several of them are not counted', () => {
    const tools = [row('k8s.logs'), row('k8s.pods', { failed: 2 }), row('ask_agent')].map(toUsageRow);
    expect(byServer(tools)).toMatchObject([
      { key: 'k8s', count: 4, failed: 2, durationMs: 200, sessions: null },
      { key: 'built in', count: 2, failed: 0 },
    ]);
  });

  it('has the rows that used the most first', () => {
    const rows = [row('a'), row('b', { tokens: { total: 99 } }), row('c', { count: 9 })].map(toUsageRow);
    expect(byUse(rows).map(({ key }) => key)).toEqual(['b', 'c', 'a']);
    const equal = [row('b', { count: 0 }), row('a'), row('c', { tokens: null }), row('d')].map(toUsageRow);
    expect(byUse(equal).map(({ key }) => key)).toEqual(['a', 'd', 'b', 'c']);
  });
});

describe('the tokens that budgets counted', () => {
  it('is summed by day over all chains, and by chain, so that nothing counts twice', () => {
    expect(countedRows(COUNTED, 'day')[0]).toMatchObject({
      key: '2026-11-20',
      tokens: 412_000,
      sessions: 13,
    });
    expect(countedRows(COUNTED, 'chain')).toMatchObject([
      { key: 'kubernetes', tokens: 580_000, sessions: 12 },
    ]);
  });

  it('is null for uncounted values, which are not 0', () => {
    const tokens = countedRows(
      COUNTED.filter((one) => one.counted === 'tokens'),
      'day',
    );
    expect(tokens[0]).toMatchObject({ sessions: null, failed: null, cost: null, durations: [] });
    expect(sumMeasure(tokens, 'sessions')).toBeNull();
    expect(dailyValues(tokens, 'sessions', { days: 7, now: now.getTime() })).toBeNull();
  });
});

describe('days', () => {
  it('are all there, the oldest first, with 0 where nothing ran', () => {
    const days = dailyValues(countedRows(COUNTED, 'day'), 'sessions', {
      days: 4,
      now: now.getTime(),
    });
    expect(days).toEqual([
      { day: '2026-11-17', value: 13 },
      { day: '2026-11-18', value: 0 },
      { day: '2026-11-19', value: 13 },
      { day: '2026-11-20', value: 13 },
    ]);
  });

  it('sum to the totals of the report', () => {
    const rows = ['2026-11-20', '2026-11-18', '2026-10-25'].map((day) => toUsageRow(row(day)));
    const days = dailyValues(rows, 'tokens', { days: 30, now: now.getTime() }) ?? [];
    expect(days.reduce((sum, { value }) => sum + value, 0)).toBe(sumMeasure(rows, 'tokens'));
  });
});

it.each([
  [0, 1],
  [1, 1],
  [1.5, 2],
  [3, 3],
  [26, 30],
  [70, 80],
  [412_000, 500_000],
  [810_000, 1_000_000],
])('the axis for %d ends at %d', (value, end) => {
  expect(roundAbove(value)).toBe(end);
});

it('numbers of an axis are short', () => {
  expect(shortNumber(412_340)).toBe('412.3K');
});

it('alerts that came once are not repeated ones', () => {
  const session = (sessionId: string, title: string, firing: number) => ({
    sessionId,
    title,
    source: 'alertmanager',
    reports: { firing } as never,
  });
  const rows = [
    session('7', 'D', 2),
    session('6', 'C', 9),
    session('3', 'A', 0),
    session('2', 'B', 1),
    session('1', 'A', 4),
    session('0', 'E', 8),
  ];
  expect(repeatedAlerts(rows, 10)).toEqual([
    { title: 'A', source: 'alertmanager', sessionId: '3', sessions: 2, reports: 5 },
    { title: 'C', source: 'alertmanager', sessionId: '6', sessions: 1, reports: 9 },
    { title: 'E', source: 'alertmanager', sessionId: '0', sessions: 1, reports: 8 },
    { title: 'D', source: 'alertmanager', sessionId: '7', sessions: 1, reports: 2 },
  ]);
  expect(repeatedAlerts(rows, 2).map(({ title }) => title)).toEqual(['A', 'C']);
  const unknown = { sessionId: 'x', title: null, source: null, reports: null };
  expect(repeatedAlerts([unknown, { ...unknown, sessionId: 'w' }] as never, 1)).toEqual([
    { title: '', source: '', sessionId: 'x', sessions: 2, reports: 2 },
  ]);
});
