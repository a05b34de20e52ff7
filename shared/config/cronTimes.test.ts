import { describe, expect, it } from 'vitest';
import { cronFault, nextTime, timesBetween } from './cronTimes.ts';

/** The UTC times of an expression from noon before a change of the clocks to noon after it. */
const around = (cron: string, timezone: string, day: string): string[] => {
  const noon = Date.parse(`${day}T12:00:00Z`);
  const from = new Date(noon - 24 * 3_600_000);
  return timesBetween({ cron, timezone }, from, new Date(noon)).map((at) => at.toISOString().slice(0, 16));
};

describe('the times of a schedule', () => {
  it.each<[string, string, string, string, string[]]>([
    // The clocks go forward: 02:30 does not exist, and runs at the end of the gap.
    ['a skipped time', '30 2 * * *', 'Europe/Berlin', '2026-03-29', ['2026-03-29T01:00']],
    ['a skipped time', '30 2 * * *', 'America/New_York', '2026-03-08', ['2026-03-08T07:00']],
    ['a skipped time', '30 2 * * *', 'Australia/Sydney', '2026-10-04', ['2026-10-03T16:00']],
    ['a time after the gap', '0 7 * * *', 'Europe/Berlin', '2026-03-29', ['2026-03-29T05:00']],
    // The clocks go back: 02:30 comes twice, and runs once.
    ['a repeated time', '30 2 * * *', 'Europe/Berlin', '2026-10-25', ['2026-10-25T00:30']],
    ['a repeated time', '30 1 * * *', 'America/New_York', '2026-11-01', ['2026-11-01T05:30']],
    ['a repeated time', '30 2 * * *', 'Australia/Sydney', '2026-04-05', ['2026-04-04T15:30']],
    ['a time after the repeated hour', '0 7 * * *', 'Europe/Berlin', '2026-10-25', ['2026-10-25T06:00']],
    // A zone without daylight saving time, half an hour from full hours.
    ['a time', '30 2 * * *', 'Asia/Kolkata', '2026-03-29', ['2026-03-28T21:00']],
  ])('have %s of "%s" in %s on %s at %j', (_, cron, timezone, day, times) => {
    expect(around(cron, timezone, day)).toEqual(times);
  });

  it.each([
    ['Europe/Berlin', '2026-03-29'],
    ['Europe/Berlin', '2026-10-25'],
    ['America/New_York', '2026-03-08'],
    ['America/New_York', '2026-11-01'],
  ])('of every hour are 24 in 24 hours in %s on %s', (zone, day) => {
    const times = around('0 * * * *', zone, day);
    expect([times.length, new Set(times).size]).toEqual([24, 24]);
  });

  it('continue after each of them, so that none is found twice', () => {
    const rhythm = { cron: '*/30 * * * *', timezone: 'Europe/Berlin' };
    const from = new Date('2026-10-24T23:59:00Z');
    const all = timesBetween(rhythm, from, new Date('2026-10-25T03:00:00Z'));
    const one = [nextTime(rhythm, from)];
    while (one.length < all.length) one.push(nextTime(rhythm, one.at(-1) ?? from));
    expect(one).toEqual(all);
  });

  it('need an expression of five fields that matches a time', () => {
    expect(cronFault('0 7 * *')).toMatch(/^is no cron expression of five fields/);
    expect(cronFault('0 0 30 2 *')).toBe('matches no time; correct the day or the month');
    expect(cronFault('0 7 * * mon-fri')).toBeUndefined();
  });
});
