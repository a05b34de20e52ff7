import fc from 'fast-check';
import { expect, it } from 'vitest';
import { listTreeItems, nodeAt, readTree, type TreeNode, textAt } from './tree.ts';

/** The value of a node without places. */
function plain(node: TreeNode | undefined): unknown {
  const value = node?.value;
  if (value instanceof Map) return Object.fromEntries([...value].map(([key, one]) => [key, plain(one)]));
  return Array.isArray(value) ? value.map(plain) : value;
}
/** The texts of the scalars of a node. */
function placed(text: string, node: TreeNode): string[] {
  const { value, start, end } = node;
  if (value instanceof Map) return [...value.values()].flatMap((one) => placed(text, one));
  return Array.isArray(value) ? value.flatMap((one) => placed(text, one)) : [text.slice(start, end)];
}

it('reads any JSON as JSON.parse does', () => {
  const scalar = fc.oneof(
    fc.string(),
    fc.integer(),
    fc.double({ noNaN: true }),
    fc.boolean(),
    fc.constant(null),
  );
  const json = fc.letrec((tie) => ({
    any: fc.oneof(
      { maxDepth: 4 },
      scalar,
      fc.array(tie('any')),
      fc.dictionary(fc.stringMatching(/^[a-z -]*$/), tie('any')),
    ),
  })).any;
  const blanks = fc.constantFrom('', ' ', '\n', '\r\n', '\t', ' \t\r\n ');
  fc.assert(
    fc.property(
      fc.oneof(fc.array(json), fc.dictionary(fc.stringMatching(/^[a-z]*$/), json)),
      blanks,
      fc.nat(3),
      (value, blank, indent) => {
        const text = `${blank}${JSON.stringify(value, null, indent).replaceAll('\n', `${blank}\n`)}${blank}`;
        const node = readTree(text);
        expect(plain(node)).toEqual(JSON.parse(text));
        expect(node?.isCut).toBeUndefined();
      },
    ),
    { numRuns: 50, seed: 1 },
  );
});

it.each<[string, unknown]>([
  ['[1, {"a": 2}, {"a": ', [1, { a: 2 }]],
  ['[1, 2', [1, 2]],
  ['[', []],
  ['{"a": 1, "items": [{"b": 1}, {"b": 2', { a: 1, items: [{ b: 1 }] }],
  ['{"items": [{"b": [1, 2]}, {"b": [3, ', { items: [{ b: [1, 2] }] }],
])('of the outermost list of %j, which ends early, has the whole items', (text, value) => {
  const node = readTree(text);
  expect(plain(node)).toEqual(value);
  expect(node?.isCut).toBe(true);
});

const nested = (depth: number) => `${'['.repeat(depth)}1${']'.repeat(depth)}`;
it.each([
  '{"a": 1',
  '{"a" 1}',
  '{"a": 1, "a": 2}',
  '{a: 1}',
  '{1: 2}',
  '{"a": 1]',
  '{"a": b}',
  '{"a": "b',
  '{"a": 1} x',
  '[1] 2',
  '[1] [2]',
  '',
  'a',
  'a:\n  b: 1\n c: 2',
  ' a: 1',
  'a: 1\na: 2',
  'a: &x 1',
  'a: *x',
  'a: !t 1',
  'a: [1, 2]',
  'a: {b: 1}',
  'a: b: c',
  'a: 1 # one',
  'a: "b" c',
  'a: "b',
  'a: "b\n"',
  '# a\nb: 1',
  'a: {}\n  b',
  '- a: 1\nb: 2',
  'a: 1\n- b',
])('%j cannot be read', (text) => {
  expect(readTree(text)).toBeUndefined();
});

it('values 59 levels deep are read', () => {
  expect(readTree(`{"a":${nested(58)}}`)).toBeDefined();
  expect(readTree(`{"a":${nested(59)}}`)?.isCut).toBe(true);
  expect(readTree(`{"a":{"b":${nested(60)}}}`)?.isCut).toBe(true);
});

it.each<[string, unknown]>([
  ['a: 1\n', { a: 1 }],
  [
    'a: -1.5\nb: 01\nc: 1e3\nd: true\ne: false\nf: null\ng: yes',
    { a: -1.5, b: '01', c: '1e3', d: true, e: false, f: null, g: 'yes' },
  ],
  ['a:\nb:   \nc: x', { a: null, b: null, c: 'x' }],
  ['a:\n  b:\n    c: 1\n  d: 2\ne: 3', { a: { b: { c: 1 }, d: 2 }, e: 3 }],
  ['a:\n- b\n- c\nd: 1', { a: ['b', 'c'], d: 1 }],
  ['a:\n  - b: 1\n    c: 2\n  - b: 3\nd: 1', { a: [{ b: 1, c: 2 }, { b: 3 }], d: 1 }],
  ['a:\n- b:\n  - c\n  - d\n- e', { a: [{ b: ['c', 'd'] }, 'e'] }],
  ['-   a: 1\n    b: 2\n-\n  c: 3', undefined],
  ['- a: 1\n- b\n- 5', [{ a: 1 }, 'b', 5]],
  ['\n\na: 1\n\n\nb: 2\n\n', { a: 1, b: 2 }],
  ['a: {}\nb: []', { a: {}, b: [] }],
  ['a: one\n  two\nb: 1', { a: 'one\n  two', b: 1 }],
  ['a: one\n\n  two\n\nb: 1', { a: 'one\n\n  two', b: 1 }],
  ['a: |\n  x: 1\n  y\nb: 1', { a: '|\n  x: 1\n  y', b: 1 }],
  ['a: >-\n  x\nb: 1', { a: '>-\n  x', b: 1 }],
  ['a: "x"\nb: \'y\'\nc: "1"', { a: 'x', b: 'y', c: '1' }],
  ["a: \"x \\\" y\"\nb: 'it''s'", { a: 'x \\" y', b: "it''s" }],
  ['a: "x\n  y"\nb: 1', { a: 'x\n  y', b: 1 }],
  ['a: "x\n\n  y"\nb: 1', { a: 'x\n\n  y', b: 1 }],
  ['"a": 1\n\'b\': 2\nc d: 3\n-e: 4', { a: 1, b: 2, 'c d': 3, '-e': 4 }],
  ['a: [masked:token]\nb: 10:30', { a: '[masked:token]', b: '10:30' }],
  ['a: - b', { a: '- b' }],
])('reads the YAML %j', (text, value) => {
  expect(plain(readTree(text))).toEqual(value);
});

it('a node has the place of its text, and answers for keys that are not there', () => {
  const text = 'a:\n  b: "x"\n  c: two\n   lines\nd:\n- 5\ne: ""';
  const node = readTree(text);
  expect(node && placed(text, node)).toEqual(['x', 'two\n   lines', '5', '']);
  expect(nodeAt(node, 'a', 'b')?.value).toBe('x');
  expect(nodeAt(node, 'd', 'b')).toBeUndefined();
  expect(nodeAt(undefined, 'a')).toBeUndefined();
  expect(listTreeItems(nodeAt(node, 'd')).map(({ value }) => value)).toEqual([5]);
  expect(listTreeItems(nodeAt(node, 'a'))).toEqual([]);
  expect(['b', 'c', 'x'].map((key) => textAt(node, 'a', key))).toEqual(['x', 'two\n   lines', undefined]);
  expect([textAt(node, 'd'), textAt(node, 'e')]).toEqual([undefined, undefined]);
});
