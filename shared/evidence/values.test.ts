import { expect, it } from 'vitest';
import { isSameValue, numberAt, timeAt, toInstant, type Value } from './values.ts';

/** The value that a text is. */
function parse(text: string): Value {
  const found = timeAt(text, 0) ?? numberAt(text, 0);
  if (found?.end !== text.length) throw new Error(`${text} is no value`);
  return found.value;
}
const AT = Date.parse('2026-11-17T09:31:00Z');

it.each([
  ['5', '5', true],
  ['5', '6', false],
  ['1.5', '1.55', true],
  ['1.5', '1.56', false],
  ['5 s', '5000 ms', true],
  ['5 s', '5 MB', false],
  ['5 %', '5M', false],
  ['512M', '512 MiB', true],
  ['512 MiB', '512M', true],
  ['512M', '512 min', false],
  ['512 min', '512M', false],
  ['1.2Gi', '1288490188', true],
  ['1.5 %', '0.015', true],
  ['1.5 %', '1.5', true],
  ['100 %', '1.0', true],
  ['100 %', '1', false],
  ['1.5 s', '0.015', false],
  // 1318.5 bytes, rounded to whole ones.
  ['1318', '1.2876 KiB', true],
  ['1317', '1.2876 KiB', false],
  ['1317.9', '1.2876 KiB', false],
  ['09:31', '2026-11-17T09:31:59Z', true],
  ['09:31', '2026-11-17T09:32:00Z', false],
  ['09:32', '2026-11-17T09:31:30Z', true],
  ['09:32', '2026-11-17T09:31:29Z', false],
  ['09:31', '2026-11-17T10:31:00+01:00', true],
  ['10:31', '2026-11-17T10:31:00+01:00', true],
  ['11:31', '2026-11-17T10:31:00+01:00', false],
  ['09:31 UTC', '2026-11-17T10:31:00+01:00', true],
  ['10:31 UTC', '2026-11-17T10:31:00+01:00', false],
  ['23:30', '00:30+01:00', true],
  ['00:30', '01:30 UTC', false],
  ['00:00', '2026-11-17', false],
  ['00:00', '17 November', false],
  ['9:31 pm', '21:31:00', true],
  ['12:31 am', '00:31:00', true],
  ['2026-11-17', '2026-11-17T23:59:59Z', true],
  ['2026-11-17', '2026-11-18T00:00:00Z', false],
  ['2026-11-17', '2026-11-16T23:59:59Z', false],
  ['2026-11-17', '2026-11-18T00:30:00+01:00', true],
  ['2026-11-18', '2026-11-18T00:30:00+01:00', true],
  ['2026-11-16', '2026-11-18T00:30:00+01:00', false],
  ['2026-11-17', '2025-11-17', false],
  ['2026-11-17', '09:31:00', false],
  ['1970-01-01', '09:31:00', false],
  ['1970-01-01', '09:31 UTC', false],
  ['2026-11-17', 'Nov 17 09:31:00', true],
  ['2026-11-17', '17 Nov', true],
  ['2026-11-18', '17 Nov', false],
  ['17 November', '2026-11-17T09:31:00Z', true],
  ['Nov 17', '2025-11-17', true],
  ['17th November', '18 Nov', false],
  ['Nov 17 09:31:00', '2026-11-17T09:31:00Z', true],
  ['Nov 17 09:31:00', '2026-11-18T09:31:00Z', false],
  ['Nov 17 09:31:00', 'Nov 17 09:31:00', true],
  ['Nov 17 09:31:00', 'Nov 17 09:31:02', false],
  ['Jan 1 09:31:00', '09:31:00', false],
  ['Jan 1 09:31:00', '09:31:00Z', false],
  ['Nov 17 00:00:00', '2026-11-17', false],
  ['2026-11-17T09:31:00Z', 'Nov 17 09:31:00', true],
  ['2026-11-17T09:31:00Z', '2026-11-17T09:31:00.900Z', true],
  ['2026-11-17T09:31:00Z', '2026-11-17T09:31:01Z', false],
  ['2026-11-17T09:31:00Z', '2025-11-17T09:31:00Z', false],
  ['2026-11-17T09:31:00.123Z', '2026-11-17T09:31:00.125Z', false],
  ['2026-11-17T09:31:00Z', `${AT / 1000}`, true],
  ['2026-11-17T09:31:00Z', `${AT}`, true],
  ['2026-11-17T09:31:00Z', `${AT}000`, true],
  ['2026-11-17T09:31:00Z', `${AT}000000`, true],
  ['2026-11-17T09:31:00Z', `${AT / 1000 + 2}`, false],
  ['09:31', `${AT}`, true],
  ['2026-11-17', `${AT}`, true],
  ['09:31', '931', false],
  [`${AT / 1000}`, '2026-11-17T09:31:00Z', true],
  [`${AT / 1000}`, '2026-11-17T09:31:02Z', false],
  [`${AT / 1000} s`, '2026-11-17T09:31:00Z', false],
  ['34260', '09:31:00', false],
  [`${Date.parse('2026-11-17') / 1000}`, '2026-11-17', false],
  ['90 s', '00:01:30', true],
  ['1m30s', '00:01:30', true],
  ['92 s', '00:01:30', false],
  ['2 min', '00:02:30', true],
  ['2 min', '00:03:00', false],
  ['90', '00:01:30', false],
  ['90 MB', '00:01:30', false],
  ['90 s', '00:01:30 UTC', false],
])('the quoted value %s is the stored value %s: %s', (quoted, stored, expected) => {
  expect(isSameValue(parse(quoted), parse(stored))).toBe(expected);
});

it.each<[string, number, number, string, readonly number[]]>([
  ['5', 5, 0.5, '', [1]],
  ['0.25', 0.25, 0.005, '', [1]],
  ['100,452', 100_452, 0.5, '', [1]],
  ["1'204'000", 1_204_000, 0.5, '', [1]],
  ['1.5e3', 1500, 50, '', [1]],
  ['12 percent', 12, 0.5, 'share', [1]],
  ['3 µs', 3, 0.5, 'time', [1e-6]],
  ['512MB', 512, 0.5, 'size', [1e6]],
  ['512 kB', 512, 0.5, 'size', [1e3, 1024]],
  ['2 Gi', 2, 0.5, 'size', [1024 ** 3]],
  ['4k', 4, 0.5, 'count', [1e3, 1024]],
  ['42 million', 42, 0.5, 'count', [1e6]],
  ['500m', 500, 0.5, 'time', [60, 1e-3]],
  ['1h5m', 3900, 30, 'time', [1]],
  ['1w2d', 777_600, 43_200, 'time', [1]],
  ['1 hour and 5 minutes', 3900, 30, 'time', [1]],
  ['2m1.5s', 121.5, 0.5, 'time', [1]],
  ['PT1H5M', 3900, 30, 'time', [1]],
  ['P1DT2S', 86_402, 0.5, 'time', [1]],
  ['two weeks', 2, 0.5, 'time', [604_800]],
  ['Twelve minutes', 12, 0.5, 'time', [60]],
])('%j is the number %d', (text, number, half, measure, factors) => {
  const expected = { kind: 'number', number, half: expect.closeTo(half, 9), measure, factors };
  expect(numberAt(`at ${text}; 7`, 3)).toEqual({ value: expected, end: 3 + text.length });
});

it.each([
  ['x5', 0],
  ['5x', 0],
  ['5-a', 0],
  ['5:30', 0],
  ['seven', 0],
  ['two pods', 0],
  ['P', 0],
  ['', 0],
])('%j starts with no number', (text, at) => {
  expect(numberAt(text, at)).toBeUndefined();
});

it('two durations of one length beside each other are two numbers', () => {
  expect(numberAt('32 days, 768 h', 0)).toEqual({
    value: { kind: 'number', number: 32, half: 0.5, measure: 'time', factors: [86_400] },
    end: 7,
  });
});

const DAY = 86_400_000;
it.each<[string, string, number, string, number?]>([
  ['2026-11-17T09:31:00Z', '2026-11-17T09:31:00.000Z', 1000, 'instant'],
  ['2026-11-17 09:31', '2026-11-17T09:31:00.000Z', 60_000, 'instant'],
  ['2026/11/17 09:31:05.25', '2026-11-17T09:31:05.250Z', 10, 'instant'],
  ['2026-11-17 09:31:05,125', '2026-11-17T09:31:05.125Z', 1, 'instant'],
  ['2026-11-17T09:31:00+01:30', '2026-11-17T08:01:00.000Z', 1000, 'instant', 90],
  ['2026-11-17T09:31:00 -0100', '2026-11-17T10:31:00.000Z', 1000, 'instant', -60],
  ['Tue, 17 Nov 2026 09:31:00 GMT', '2026-11-17T09:31:00.000Z', 1000, 'instant'],
  ['17/Nov/2026:09:31:00 +0000', '2026-11-17T09:31:00.000Z', 1000, 'instant'],
  ['Tue Nov 17 09:31:00 2026', '2026-11-17T09:31:00.000Z', 1000, 'instant'],
  ['Nov  7 09:31:00', '1970-11-07T09:31:00.000Z', 1000, 'yearless'],
  ['09:31', '1970-01-01T09:31:00.000Z', 60_000, 'clock'],
  ['9:31:05', '1970-01-01T09:31:05.000Z', 1000, 'clock'],
  ['09:31 UTC', '1970-01-01T09:31:00.000Z', 60_000, 'zoned'],
  ['09:31+02:00', '1970-01-01T07:31:00.000Z', 60_000, 'zoned'],
  ['9:31 p.m.', '1970-01-01T21:31:00.000Z', 60_000, 'clock'],
  ['12:05 AM', '1970-01-01T00:05:00.000Z', 60_000, 'clock'],
  ['12:05 pm', '1970-01-01T12:05:00.000Z', 60_000, 'clock'],
  ['2026-11-17', '2026-11-17T00:00:00.000Z', DAY, 'date'],
  ['17th November 2026', '2026-11-17T00:00:00.000Z', DAY, 'date'],
  ['November 17, 2026', '2026-11-17T00:00:00.000Z', DAY, 'date'],
  ['17 Sept', '1970-09-17T00:00:00.000Z', DAY, 'monthday'],
  ['Tue, 17 November', '1970-11-17T00:00:00.000Z', DAY, 'monthday'],
])('%j is the time %s', (text, iso, unit, form, minutes = 0) => {
  const value = { kind: 'time', ms: Date.parse(iso), unit, form, offset: minutes * 60_000 };
  expect(timeAt(`at ${text}; 7`, 3)).toEqual({ value, end: 3 + text.length });
});

it.each(['12', '2026-13', '25:99', '10.0.0.1', 'Nov', 'at 09:31', '3/4', '2026-11-17-a'])(
  '%j starts with no time',
  (text) => {
    expect(timeAt(text, 0)).toBeUndefined();
  },
);

it.each<[string, string | undefined]>([
  [`${AT / 1000}`, '2026-11-17T09:31:00.000Z'],
  [`${AT}000000`, '2026-11-17T09:31:00.000Z'],
  ['2026-11-17T09:31:00Z', '2026-11-17T09:31:00.000Z'],
  ['1000000000', '2001-09-09T01:46:40.000Z'],
  ['999999999', undefined],
  ['3999999999', '2096-10-02T07:06:39.000Z'],
  ['4000000000', undefined],
  [`${AT / 1000} s`, undefined],
  ['09:31', undefined],
  ['2026-11-17', undefined],
  ['Nov 17 09:31:00', undefined],
])('the value %s is the instant %s', (text, iso) => {
  const ms = toInstant(parse(text));
  expect(ms && new Date(ms).toISOString()).toBe(iso);
});
