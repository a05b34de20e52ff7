// Decides about the times of a schedule.

import { expect, it } from 'vitest';
import { decideSchedule, newState } from './decideSchedule.ts';

const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 0, minute));
const schedule = {
  cron: '*/10 * * * *',
  timezone: 'UTC',
  tenant: 'default',
  startWithin: 3 * 60_000,
  question: 'Is all well?',
  labels: {},
  onlyIf: 'changed' as const,
};
const started = newState('pods', schedule, at(1));
const decide = (now: Date, change: object = {}, state = started) =>
  decideSchedule('pods', { ...schedule, ...change }, state, now, async () => false);

it('runs a time within startWithin, and not a moment later', async () => {
  expect((await decide(at(13)))?.run).toMatchObject({ slot: at(10) });
  const late = await decide(new Date(at(13).getTime() + 1));
  expect(late).toMatchObject({ run: null, state: { missed: 1, recent: [{ outcome: 'missed' }] } });
});

it('keeps the latest 20 times, and counts all', async () => {
  const { state } = (await decide(at(301))) ?? {};
  expect(state?.recent.map(({ slot }) => slot)).toEqual(
    Array.from({ length: 20 }, (_, index) => at(300 - 10 * index)),
  );
  expect(state?.missed).toBe(29);
});

it('restarts for another tenant, and neither runs nor misses a time before another rhythm', async () => {
  const run = (await decide(at(10)))?.state;
  expect(await decide(at(20), { tenant: 'shop' }, run)).toEqual({
    run: null,
    state: newState('pods', { ...schedule, tenant: 'shop' }, at(20)),
  });
  const changed = await decide(at(35), { cron: '*/5 * * * *' });
  expect(changed).toMatchObject({ run: null, state: { handledUntil: at(35), checkId: null } });
  expect(await decide(at(36), { cron: '*/5 * * * *' }, changed?.state)).toBeUndefined();
});
