import { expect, it } from 'vitest';
import { findAnswer } from './findAnswer.ts';

const AT = new Date('2026-11-20T10:00:00Z');
const LINES = '09:10:00 one\n09:40:00 two\n09:59:00 three\nno time';
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
  ['another pod', { pod: 'a', tail: 9 }, { pod: 'b', tail: 2 }, undefined],
  ['a parameter that covers nothing', { pod: 'a', level: 9 }, { pod: 'a', level: 2 }, undefined],
])('%s', (_, recorded, asked, expected) => {
  const covers = ['tail', 'limit', 'minutes', 'since', 'start', 'end'];
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
