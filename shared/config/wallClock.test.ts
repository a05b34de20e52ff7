import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findLocalMoment, isTimeZone, wallTimeAt } from './wallClock.ts';

describe('the clocks of a zone', () => {
  it('show its own day and time', () => {
    const at = new Date('2026-11-22T23:30:00Z');
    expect(wallTimeAt(at, 'UTC')).toEqual({ weekday: 'sun', minutes: 23 * 60 + 30 });
    expect(wallTimeAt(at, 'Europe/Berlin')).toEqual({ weekday: 'mon', minutes: 30 });
    expect(wallTimeAt(at, 'Asia/Kolkata')).toEqual({ weekday: 'mon', minutes: 5 * 60 });
    expect(wallTimeAt(new Date('2026-11-22T00:00:00Z'), 'UTC').minutes).toBe(0);
  });

  it.each([
    ['in winter', '2026-12-01T22:00', '2026-12-01T21:00:00.000Z'],
    ['in summer', '2026-07-01T22:00', '2026-07-01T20:00:00.000Z'],
    ['on the day after the clocks went forward', '2026-03-29T10:00', '2026-03-29T08:00:00.000Z'],
    ['on the day after the clocks went back', '2026-10-25T10:00', '2026-10-25T09:00:00.000Z'],
    ['on the day before they go back', '2026-10-24T22:00', '2026-10-24T20:00:00.000Z'],
    ['in the hour that comes twice, the first time', '2026-10-25T02:30', '2026-10-25T00:30:00.000Z'],
    [
      'in the hour that is left out, as far behind the one before',
      '2026-03-29T02:30',
      '2026-03-29T01:30:00.000Z',
    ],
  ])('mean a moment %s', (_, wall, moment) => {
    expect(findLocalMoment(wall, 'Europe/Berlin')?.toISOString()).toBe(moment);
  });

  it('mean nothing on a day that there is not', () => {
    expect(findLocalMoment('2026-06-31T10:00', 'UTC')).toBeUndefined();
    expect(findLocalMoment('2026-02-01T25:00', 'UTC')).toBeUndefined();
  });

  it('show the parts of a moment, wherever they stand', () => {
    const zones = fc.constantFrom(
      'UTC',
      'Europe/Berlin',
      'America/New_York',
      'Australia/Lord_Howe',
      'Asia/Kathmandu',
    );
    // Noon is never left out.
    const day = fc.integer({ min: 0, max: 20_000 }).map((days) => new Date(days * 86_400_000));
    fc.assert(
      fc.property(zones, day, (zone, date) => {
        const moment = findLocalMoment(`${date.toISOString().slice(0, 10)}T12:00`, zone);
        expect(moment && wallTimeAt(moment, zone).minutes).toBe(720);
      }),
      { numRuns: 60 },
    );
  });

  it('are known by the name of their zone', () => {
    expect(['Europe/Berlin', 'UTC'].map(isTimeZone)).toEqual([true, true]);
    expect(['Europe/Berln', 'CEST!', ''].map(isTimeZone)).toEqual([false, false, false]);
  });
});
