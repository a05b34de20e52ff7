import { expect, it } from 'vitest';
import { EventCursor } from './eventCursor.ts';

const place = (sequenceNumber: number, executionId = 'a') => ({ executionId, sequenceNumber });
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const decode = (cursor: EventCursor) => JSON.parse(Buffer.from(String(cursor), 'base64url').toString());

it('knows each event that was sent, also those that came late, for each execution', () => {
  const cursor = new EventCursor();
  expect([2, 1, 1, 2, 4].map((number) => cursor.take(place(number)))).toEqual([
    true,
    true,
    false,
    false,
    true,
  ]);
  expect([1, 2, 3, 4, 5].map((number) => cursor.has(place(number)))).toEqual([
    true,
    true,
    false,
    true,
    false,
  ]);
  expect(cursor.has(place(1, 'b'))).toBe(false);
  expect(decode(cursor)).toEqual({ a: [2, 4] });
  cursor.take(place(3));
  cursor.take(place(7, 'b'));
  expect(decode(cursor)).toEqual({ a: [4], b: [0, 7] });
});

it('continues from its own text', () => {
  const cursor = EventCursor.parse(encode({ a: [2, 4] }));
  expect([2, 3, 4].map((number) => cursor?.has(place(number)))).toEqual([true, false, true]);
  cursor?.take(place(3));
  expect(cursor && decode(cursor)).toEqual({ a: [4] });
  expect(EventCursor.parse(encode({ a: [] }))?.has(place(1))).toBe(false);
  expect(EventCursor.parse('')?.has(place(1))).toBe(false);
});

it.each([
  ['no JSON', 'abc'],
  ['a list', encode([1])],
  ['a number in place of a list', encode({ a: 1 })],
  ['a text in it', encode({ a: [1, '2'] })],
  ['a fraction', encode({ a: [1.5] })],
  ['a number below zero', encode({ a: [-1] })],
  ['a number that is too large', encode({ a: [2 ** 53] })],
  ['another alphabet', `${encode({ a: [1] })}=`],
  ['a blank', ' '],
])('%s is no cursor', (_, text) => {
  expect(EventCursor.parse(text)).toBeUndefined();
});

it('has at most 65,536 characters', () => {
  const of = (length: number) => encode({ ['b'.repeat(length)]: [1] });
  const text = of(49_144);
  expect(text).toHaveLength(65_536);
  expect(EventCursor.parse(text)).toBeDefined();
  expect(EventCursor.parse(of(49_145))).toBeUndefined();
});
