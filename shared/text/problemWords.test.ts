import { expect, it } from 'vitest';
import { type ProblemState, problemWords, utcMoment } from './problemWords.ts';

const AT = new Date('2026-11-28T18:24:30Z');

it.each<[ProblemState['status'], Date | null, number, string]>([
  ['firing', AT, 0, 'Firing since 18:24 UTC'],
  ['firing', AT, 1, 'Firing since 18:24 UTC, repeated once'],
  ['firing', null, 14, 'Firing, repeated 14 times'],
  ['resolved', AT, 14, 'Resolved 18:24 UTC'],
  ['resolved', null, 0, 'Resolved'],
  ['acknowledged', null, 0, 'Acknowledged'],
  ['test', null, 0, 'Test'],
  ['unknown', null, 0, 'Unknown'],
  ['unknown', null, 14, 'Repeated 14 times'],
])('a problem that is %s at %s and was repeated %i times is "%4$s"', (status, at, repeats, words) => {
  expect(problemWords({ status, at, repeats }, (time) => utcMoment(time, AT))).toBe(words);
});

it.each([
  ['2026-11-28T00:00:00Z', '18:24 UTC'],
  ['2026-11-29T00:00:00Z', '28 Nov 18:24 UTC'],
  ['2027-01-01T00:00:00Z', '28 Nov 2026 18:24 UTC'],
])('a time that is read on %s is %s', (now, text) => {
  expect(utcMoment(AT, new Date(now))).toBe(text);
});
