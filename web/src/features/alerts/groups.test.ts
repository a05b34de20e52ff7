import { expect, it } from 'vitest';
import type { DroppedAlerts, RejectedMessages } from '../../../../shared/lists/apiTypes.ts';
import { droppedAlerts, rejectedMessages } from '../../../fixtures/operations.ts';
import { dayName, hourName } from '../../model/format.ts';
import { groupDropped, groupRefusals } from './groups.ts';

const now = new Date('2026-11-20T12:00:00.000Z');
const asJson = <T>(value: object[]): T[] => JSON.parse(JSON.stringify(value)) as T[];

it('refusals are one group for each code and function, the last one first', () => {
  const groups = groupRefusals(asJson<RejectedMessages>(rejectedMessages(now)).toReversed());
  expect(groups.map(({ code, count }) => [code, count])).toEqual([
    ['ALERT_INVALID', 44],
    ['MESSAGE_MALFORMED', 1],
  ]);
  expect(groups[0]?.hours.map(({ hour }) => hour)).toEqual(['2026-11-20T02', '2026-11-19T23']);
  expect(groups[0]?.samples.map(({ messageId }) => messageId)).toEqual(['1843', '1842', '1841', '1799']);
  expect(groups[0]?.function).toBe(rejectedMessages(now)[0]?.function);
  expect(groupRefusals([])).toEqual([]);
});

it('dropped alerts are grouped by day, and by rule within it', () => {
  const days = groupDropped(asJson<DroppedAlerts>(droppedAlerts(now)).toReversed());
  expect(days.map(({ day, count }) => [day, count])).toEqual([
    ['2026-11-20', 1_208],
    ['2026-11-19', 2_881],
  ]);
  expect(days[1]?.rules.map(({ rule }) => rule)).toEqual(['heartbeats', 'only-what-wakes']);
  const equal = ['b', 'a', 'c'].map((rule) => ({ day: '2026-11-20', rule, count: 1 }) as DroppedAlerts);
  expect(groupDropped(equal)[0]?.rules.map(({ rule }) => rule)).toEqual(['a', 'b', 'c']);
});

it('days and hours are named, and an invalid value is shown unchanged', () => {
  expect(dayName('2026-11-20')).toMatch(/^Fri,? 20 Nov$/);
  expect(hourName('2026-11-20T02')).toMatch(/^Fri,? 20 Nov 02:00$/);
  expect(dayName('soon')).toBe('soon');
});
