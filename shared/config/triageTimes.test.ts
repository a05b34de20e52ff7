import { expect, it } from 'vitest';
import { isWithin, momentText, type Span, spanText } from './triageTimes.ts';
import { WEEKDAYS } from './wallClock.ts';

const weekly = (change: object): Span => ({
  ...{ kind: 'weekly', days: ['mon'], from: 540, to: 1_020, timezone: 'Europe/Berlin', ...change },
});
const dated: Span = {
  ...{ kind: 'dated', from: new Date('2026-12-01T21:00:00Z'), to: new Date('2026-12-02T01:00:00Z') },
};
const night = weekly({ from: 1_200, to: 360 });

it.each<[string, Span, string, boolean]>([
  ['at the start of the hours', weekly({}), '2026-11-23T08:00:00Z', true],
  ['a minute before', weekly({}), '2026-11-23T07:59:00Z', false],
  ['in the last minute', weekly({}), '2026-11-23T15:59:00Z', true],
  ['at the end', weekly({}), '2026-11-23T16:00:00Z', false],
  ['on another day', weekly({}), '2026-11-24T08:00:00Z', false],
  ['in the evening of a night', night, '2026-11-23T19:00:00Z', true],
  ['in the morning after it', night, '2026-11-24T04:59:00Z', true],
  ['at the end of it', night, '2026-11-24T05:00:00Z', false],
  ['in the morning before it', night, '2026-11-23T04:00:00Z', false],
  ['in the next evening', night, '2026-11-24T19:00:00Z', false],
  [
    'on a Monday morning after a night of Sunday',
    weekly({ days: ['sun'], from: 1_200, to: 360 }),
    '2026-11-23T03:00:00Z',
    true,
  ],
  ['at the start of a date', dated, '2026-12-01T21:00:00Z', true],
  ['before it', dated, '2026-12-01T20:59:59Z', false],
  ['at the end of a date', dated, '2026-12-02T01:00:00Z', false],
])('a moment %s', (_, span, at, isIn) => {
  expect(isWithin(span, new Date(at))).toBe(isIn);
});

it.each<[Span, string, string]>([
  [weekly({}), '09:00-17:00 mon Europe/Berlin', 'mon 09:05'],
  [weekly({ from: 0, to: 1_440, days: ['sat', 'sun'] }), 'all day sat, sun Europe/Berlin', 'mon 09:05'],
  [weekly({ from: 0, to: 360, days: WEEKDAYS }), '00:00-06:00 Europe/Berlin', 'mon 09:05'],
  [weekly({ from: 360, to: 1_440, days: WEEKDAYS }), '06:00-24:00 Europe/Berlin', 'mon 09:05'],
  [dated, '2026-12-01T21:00Z to 2026-12-02T01:00Z', '2026-11-23T08:05Z'],
])('%j is shown as %s', (span, text, moment) => {
  expect(spanText(span)).toBe(text);
  expect(momentText(span, new Date('2026-11-23T08:05:00Z'))).toBe(moment);
});
