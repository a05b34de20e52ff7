import { expect, it } from 'vitest';
import { readObservation } from './observation.ts';

const call = (tool: string, args: object) => ({ tool, arguments: JSON.stringify(args) });
const logs = call('k.get_logs', { namespace: 'shop', pod: 'a', tail: 100 });

it.each([
  ['another limit', { namespace: 'shop', pod: 'a', tail: 5 }, true],
  ['a number of lines', { namespace: 'shop', pod: 'a', lines: 200 }, true],
  ['a limit of bytes and a token', { namespace: 'shop', pod: 'a', limitBytes: 9, continue: 'x' }, true],
  ['another order and no limit', { pod: 'a', namespace: 'shop' }, true],
  ['blanks around a value', { namespace: 'shop ', pod: 'a' }, true],
  ['another page', { namespace: 'shop', pod: 'a', pageToken: 'x', output: 'json' }, true],
  ['another pod', { namespace: 'shop', pod: 'b' }, false],
  ['another time', { namespace: 'shop', pod: 'a', since: '1h' }, false],
])('a call with %s is the same observation: %s', (_, args, isSame) => {
  const [a, b] = [readObservation(logs), readObservation(call('k.get_logs', args))];
  expect(a.key === b.key).toBe(isSame);
});

it('a key has 16 digits, and each level of arguments counts in any order', () => {
  const readKey = (args: object) => readObservation(call('t', args)).key;
  expect(readKey({})).toMatch(/^[0-9a-f]{16}$/);
  const one = { b: { d: 1, c: null, e: 2 }, a: [['x', 1], ['y', 2], 'z'] };
  const same = { a: [['x', 1], ['y', 2], 'z'], b: { e: 2, c: null, d: 1 } };
  expect(readKey(one)).toBe(readKey(same));
  // Only arguments that are pairs of a name and a value have no order.
  expect(readKey({ a: ['y', 'x'] })).not.toBe(readKey({ a: ['x', 'y'] }));
  for (const list of [
    [['y', 1], 'x'],
    [
      ['y', 1, 1],
      ['x', 1, 2],
    ],
    [
      [2, 'y'],
      [1, 'x'],
    ],
  ])
    expect(readKey({ a: list })).not.toBe(readKey({ a: list.toReversed() }));
  expect(
    readKey({
      a: [
        ['y', 1],
        ['x', 2],
        ['z', 3],
      ],
    }),
  ).toBe(
    readKey({
      a: [
        ['x', 2],
        ['z', 3],
        ['y', 1],
      ],
    }),
  );
});

it('calls for other times name the same thing', () => {
  const resources = [{ pod: 'a' }, { pod: 'a', since: '1h' }, { pod: 'b' }].map(
    (args) => readObservation(call('k.get_logs', args)).resource,
  );
  expect(resources).toEqual(['[["pod","a"]]', '[["pod","a"]]', '[["pod","b"]]']);
});

it('arguments that are no object, and nested ones, have keys', () => {
  const of = (text: string) => readObservation({ tool: 't', arguments: text }).key;
  expect(of('')).toBe(of('{}'));
  expect(of('{"a":{"x":1,"y":[2]}}')).toBe(of('{"a":{"y":[2],"x":1}}'));
  expect(of('{"a":[["x",1],["b",2]]}')).not.toBe(of('{"a":[["x",1],["b",3]]}'));
});
