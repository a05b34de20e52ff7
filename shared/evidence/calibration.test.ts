import { expect, it } from 'vitest';
import {
  computeCalibration,
  computeScoreTrend,
  countReview,
  countScore,
  MIN_LABELS,
  type ReviewedSession,
} from './calibration.ts';
import { addRows } from './countRow.ts';

const session = (rating: object, more: Partial<ReviewedSession> = {}): ReviewedSession => ({
  chain: 'kubernetes',
  models: ['gemini'],
  verdict: 'confirmed',
  right: 0,
  partly: 0,
  wrong: 0,
  outcome: null,
  score: null,
  ...rating,
  ...more,
});

const calibrate = (sessions: ReviewedSession[]) =>
  computeCalibration(addRows([], sessions.flatMap(countReview)));

it('a session that people rate differently is disputed, and groups are by chain, models and verdict', () => {
  const rows = calibrate([
    session({ right: 2 }),
    session({ right: 1, wrong: 1 }),
    session({ wrong: 1 }, { verdict: null }),
    session({ partly: 1 }),
  ]);
  expect(rows).toMatchObject([
    { verdict: 'confirmed', sessions: 3, right: 1, partly: 1, wrong: 0, disputed: 1, share: null },
    { verdict: null, sessions: 1, wrong: 1 },
  ]);
});

it('a share appears from 50 reviewed sessions on, with its interval', () => {
  const some = Array.from({ length: MIN_LABELS - 1 }, (_, index) =>
    session(index < 40 ? { right: 1 } : { wrong: 1 }),
  );
  expect(calibrate(some)[0]?.share).toBeNull();
  const [row] = calibrate([...some, session({ wrong: 1 })]);
  expect(row?.share?.value).toBe(0.8);
  // The interval of 40 in 50 as statistics packages print it.
  expect(row?.share?.low).toBeCloseTo(0.6696, 3);
  expect(row?.share?.high).toBeCloseTo(0.8876, 3);
});

it('outcomes are counted beside reviews, and problems that ended without an action are in no share', () => {
  const of = (outcome: string, count: number) =>
    Array.from({ length: count }, () => session({}, { outcome }));
  const all = [...of('held', 45), ...of('recurred', 5), ...of('self_resolved', 30), ...of('unknown', 9)];
  const [row] = calibrate(all);
  expect(row).toMatchObject({
    sessions: 0,
    share: null,
    held: { value: 0.9 },
    outcomes: { held: 45, recurred: 5, self_resolved: 30, unknown: 9 },
  });
  expect(calibrate(all.slice(1))[0]?.held).toBeNull();
});

it('the largest groups come first, with their outcomes and how many problems ended', () => {
  const acted = (outcome: string, count: number) =>
    Array.from({ length: count }, () => session({}, { outcome }));
  const rows = calibrate([
    session({ right: 1 }, { verdict: 'likely' }),
    ...acted('held', 30),
    ...acted('overridden', 10),
    ...acted('recurred', 10),
    ...acted('unknown', 5),
    session({ right: 1 }),
    session({ wrong: 1 }),
  ]);
  expect(rows.map(({ verdict, sessions }) => [verdict, sessions])).toEqual([
    ['confirmed', 2],
    ['likely', 1],
  ]);
  expect(rows[0]?.outcomes).toEqual({ held: 30, overridden: 10, recurred: 10, unknown: 5 });
  expect(rows[0]?.held?.value).toBe(0.6);
  expect(rows[1]?.outcomes).toEqual({});
  expect(calibrate(acted('held', 49))[0]?.held).toBeNull();
});

it('scores are means of weeks by judge and rubric, and make no row of their own', () => {
  const scored = (total: number, at: string, more: object = {}) =>
    session({}, { score: { total, rubric: 1, model: 'flash', at, ...more } });
  const sessions = [
    scored(80, '2026-11-29T23:59:59Z'),
    scored(61, '2026-11-30T00:00:00Z'),
    scored(60, '2026-12-06T10:00:00Z'),
    scored(10, '2026-12-01T10:00:00Z', { rubric: 2 }),
    scored(20, '2026-12-01T10:00:00Z', { model: 'pro' }),
  ];
  expect(computeScoreTrend(addRows([], sessions.flatMap(countScore)))).toEqual([
    { week: '2026-11-23', judge: 'flash', rubric: 1, sessions: 1, mean: 80 },
    { week: '2026-11-30', judge: 'flash', rubric: 1, sessions: 2, mean: 60.5 },
    { week: '2026-11-30', judge: 'flash', rubric: 2, sessions: 1, mean: 10 },
    { week: '2026-11-30', judge: 'pro', rubric: 1, sessions: 1, mean: 20 },
  ]);
  expect(calibrate(sessions)).toEqual([]);
});

it('rows beyond the most keys are added up, a key keeps its row, and what is subtracted leaves no digits', () => {
  const row = (key: string, usd: number) => ({ key, sums: { usd } });
  const sums = addRows([row('a', 0.1)], [row('b', 0.2), row('c', 1), row('a', 0.2), row('d', 2)], 2);
  expect(sums).toEqual([row('a', 0.3), row('b', 0.2), row('others', 3)]);
  expect(addRows(sums, [row('a', 0.3), row('d', 2)], 2, -1)).toEqual([
    row('a', 0),
    row('b', 0.2),
    row('others', 1),
  ]);
  expect(computeCalibration([{ key: 'others', sums: { sessions: 1, right: 1 } }])).toMatchObject([
    { chain: 'others', models: [], verdict: null, right: 1 },
  ]);
  expect(computeScoreTrend([{ key: 'others', sums: { sessions: 1, total: 9 } }])).toEqual([]);
});
