import { expect, it } from 'vitest';
import { findAnswer, isCovering } from './findAnswer.ts';

const AT = new Date('2026-11-20T10:00:00Z');
const LINES = '09:10:00 one\n09:40:00 two\n09:59:00 three\nno time';
const LATER = '09:40:00 two\n09:59:00 three\nno time';
const answer = (args: object, text = LINES) => ({ arguments: args as Record<string, unknown>, text });

it.each([
  ['equal arguments in another order and form', { pod: 'a', tail: 9 }, { tail: '9', pod: ' a' }, LINES],
  ['fewer last lines', { pod: 'a', tail: 9 }, { pod: 'a', tail: 2 }, '09:59:00 three\nno time'],
  ['fewer first lines', { pod: 'a', limit: 9 }, { pod: 'a', limit: 1 }, '09:10:00 one'],
  ['more lines', { pod: 'a', tail: 9 }, { pod: 'a', tail: 10 }, undefined],
  ['fewer lines than an answer without a limit has', { pod: 'a' }, { pod: 'a', tail: 1 }, 'no time'],
  ['more lines than an answer without a limit has', { pod: 'a' }, { pod: 'a', tail: 50 }, undefined],
  [
    'a shorter span',
    { pod: 'a', minutes: 60 },
    { pod: 'a', minutes: 30 },
    '09:40:00 two\n09:59:00 three\nno time',
  ],
  ['a longer span', { pod: 'a', minutes: 60 }, { pod: 'a', minutes: 90 }, undefined],
  [
    'a shorter span with a unit',
    { pod: 'a', since: '1h' },
    { pod: 'a', since: '5m' },
    '09:59:00 three\nno time',
  ],
  [
    'a time where a span is recorded',
    { pod: 'a', since: '1h' },
    { pod: 'a', since: '2026-11-20T09:30:00Z' },
    undefined,
  ],
  [
    'a narrower range of times',
    { pod: 'a', start: '2026-11-20T09:00:00Z', end: '2026-11-20T10:00:00Z' },
    { pod: 'a', start: '2026-11-20T09:30:00Z', end: '2026-11-20T09:50:00Z' },
    '09:40:00 two\nno time',
  ],
  [
    'an earlier start',
    { pod: 'a', start: '2026-11-20T09:00:00Z' },
    { pod: 'a', start: '2026-11-20T08:00:00Z' },
    undefined,
  ],
  ['an earlier start as a number', { start: 1_763_632_800 }, { start: 1_763_629_200 }, undefined],
  ['an equal start', { start: '2026-11-20T09:30:00Z' }, { start: '2026-11-20T09:30:00.000Z' }, LATER],
  ['a later start as a number', { start: 1_795_165_200 }, { start: 1_795_167_000 }, LATER],
  ['a later start in milliseconds', { start: 1_795_165_200 }, { start: 1_795_167_000_000 }, LATER],
  [
    'an equal end',
    { end: '2026-11-20T09:30:00Z' },
    { end: '2026-11-20T09:30:00.000Z' },
    '09:10:00 one\nno time',
  ],
  ['a later end', { end: '2026-11-20T09:30:00Z' }, { end: '2026-11-20T09:31:00Z' }, undefined],
  ['an earlier end than now', { end: 'now' }, { end: '2026-11-20T09:30:00Z' }, '09:10:00 one\nno time'],
  ['an end that is no time', { end: 'now' }, { end: 'soon' }, undefined],
  ['a range of which nothing is left', { start: '1h' }, { start: 'tomorrow' }, undefined],
  ['no start', { start: '2026-11-20T09:00:00Z' }, {}, LINES],
  ['an end where none is recorded', {}, { end: '2026-11-20T09:30:00Z' }, undefined],
  ['an equal span in another unit', { since: '1h' }, { since: '60m' }, LINES],
  ['hours', { hours: 2 }, { hours: 0.5 }, LATER],
  ['days', { days: 2 }, { days: 1 }, LINES],
  ['seconds', { seconds: 3_600 }, { seconds: 60 }, '09:59:00 three\nno time'],
  ['a span where a time is recorded', { since: '2026-11-20T09:00:00Z' }, { since: '5m' }, undefined],
  ['a time as a span', { minutes: 60 }, { minutes: '2026-11-20T09:30:00Z' }, undefined],
  ['as many last lines', { tail: 4 }, { tail: '4 ' }, LINES],
  ['no last lines', { tail: 4 }, { tail: null }, undefined],
  ['a smaller value of another name', { period: 60 }, { period: 30 }, 'no time'],
  ['one argument more', { pod: 'a' }, { pod: 'a', level: 1 }, undefined],
  ['one argument less', { pod: 'a', level: 1 }, { pod: 'a' }, undefined],
  ['an equal object', { pod: { a: 1 } }, { pod: { a: 1 } }, LINES],
  ['another object', { pod: { a: 1 } }, { pod: { a: '1' } }, undefined],
  ['another pod', { pod: 'a', tail: 9 }, { pod: 'b', tail: 2 }, undefined],
  ['a parameter that covers nothing', { pod: 'a', level: 9 }, { pod: 'a', level: 2 }, undefined],
])('%s', (_, recorded, asked, expected) => {
  const covers = ['tail', 'limit', 'minutes', 'hours', 'days', 'seconds', 'period', 'since', 'start', 'end'];
  expect(findAnswer([answer(recorded)], asked, { covers, at: AT })?.text).toBe(expected);
});

it('the smallest recorded answer that contains the request is used, and JSON objects are never cut', () => {
  const covers = ['tail', 'limit'];
  const two = [answer({ tail: 100 }, 'a\nb\nc\nd'), answer({ tail: 10 }, 'c\nd')];
  expect(findAnswer(two, { tail: 1 }, { covers, at: AT })?.answer).toBe(two[1]);
  expect(
    findAnswer([answer({ limit: 9 }, '{"items":[1,2]}')], { limit: 1 }, { covers, at: AT }),
  ).toBeUndefined();
  expect(findAnswer([answer({ limit: 9 }, '[1,2,3]')], { limit: 2 }, { covers, at: AT })?.text).toBe('[1,2]');
});

it('repeated calls are answered in their order, and the last answer stays', () => {
  const calls = [answer({}, 'first'), answer({}, 'second')];
  const texts = [0, 1, 2].map((nth) => findAnswer(calls, {}, { covers: [], at: AT, nth })?.text);
  expect(texts).toEqual(['first', 'second', 'second']);
});

it.each([
  ['2026-11-20T09:30:00Z at', true],
  ['x 2026-11-20 09:30:00 of UTC', true],
  ['2026-11-20T10:30:00+01:00', true],
  ['2026-11-20T09:30 without seconds', true],
  ['2026-11-20T09:29:59.999Z', false],
  ['2026-13-45T09:10:00Z is no time', true],
  ['[09:30] minutes', true],
  ['09:29', false],
  // Later than the end by more than a minute: of the day before.
  ['10:01:00', true],
  ['10:01:01', false],
  ['words before 09:10:00', true],
  ['', true],
])('the line %j is in the last half hour: %s', (line, isKept) => {
  const found = findAnswer(
    [answer({ minutes: 60 }, `${line}\nlast`)],
    { minutes: 30 },
    { covers: ['minutes'], at: AT },
  );
  expect(found?.text).toBe(isKept ? `${line}\nlast` : 'last');
});

it('a range without lines has no data, and JSON is not cut by time', () => {
  const find = (text: string) =>
    findAnswer([answer({ minutes: 60 }, text)], { minutes: 1 }, { covers: ['minutes'], at: AT })?.text;
  expect(find('09:10:00 one\n')).toBe('No data.');
  expect(find('[1]')).toBeUndefined();
  expect(find('[09:59:30] no JSON')).toBe('[09:59:30] no JSON');
});

it.each([
  ['tail', true],
  ['TailLines', true],
  ['max_results', true],
  ['since_seconds', true],
  ['end_time', true],
  ['pod', false],
  ['tail_of', false],
])('%s covers smaller values: %s', (name, expected) => {
  expect(isCovering(name)).toBe(expected);
});
