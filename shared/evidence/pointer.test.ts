import { expect, it } from 'vitest';
import { parseTextDocuments } from './documents.ts';
import { pointTo, timeOfItem } from './pointer.ts';

const TWO = '{"items":[{"name":"a","status":{"phase":"Running"}},{"name":"b","status":{"phase":"Failed"}}]}';
const inText = (json: string) => JSON.stringify({ content: [{ text: 5 }, { type: 'text', text: json }, 7] });
const nested = (times: number, json: string): string =>
  times === 0 ? json : JSON.stringify({ in: nested(times - 1, json) });

it.each<[string, string, unknown]>([
  [TWO, '/items/1/status/phase', 'Failed'],
  [TWO, ' #/items/1/status/phase ', 'Failed'],
  [TWO, '$.items[1].status.phase', 'Failed'],
  [TWO, 'items.1.name', 'b'],
  [TWO, 'items..1.name', 'b'],
  [TWO, '/items/2/name', undefined],
  [TWO, '/items/1/name/0', undefined],
  [TWO, '', undefined],
  [TWO, '$', undefined],
  ['{"a/b":{"c~d":null}}', '/a~1b/c~0d', null],
  ['{"":1}', '/', 1],
  ['{"":1}', '', undefined],
  ['[5]', '/length', undefined],
  ['{"a":"[5]"}', '/a/0', 5],
  ['{"a":"5"}', '/a/0', undefined],
  [inText(TWO), '/items/0/name', 'a'],
  [inText('5'), '/items', undefined],
  [inText('["x"]'), '/0', 'x'],
  [`{"a":1}\n{"a":2}`, '/1/a', 2],
  [`found:\n${TWO}\nend`, '/items/0/name', 'a'],
  [nested(4, '{"a":1}'), '/in/in/in/in/a', 1],
  [nested(6, '{"a":1}'), '/in/in/in/in/in/in/a', undefined],
])('of %j, the value at %j is %j', (text, pointer, value) => {
  expect(pointTo(parseTextDocuments(text), pointer)?.value).toEqual(value);
});

it('the first document with a value counts', () => {
  expect(pointTo([{ b: 1 }, { a: 2 }, { a: 3 }], '/a')?.value).toBe(2);
});

it.each<[unknown, string, string | undefined]>([
  [{ items: [{ time: '2026-11-17T09:31:00Z', a: 1 }] }, '/items/0/a', '2026-11-17T09:31:00.000Z'],
  [{ at: '2026-11-17T09:31:00Z', a: { b: 1 } }, '/a/b', '2026-11-17T09:31:00.000Z'],
  [{ ts: 1_794_907_860, a: 1 }, '/a', '2026-11-17T09:31:00.000Z'],
  [{ ts: true, at: '', time: 'soon', date: '2026-11-17T09:31:00Z', a: 1 }, '/a', '2026-11-17T09:31:00.000Z'],
  [{ start: '2026-11-17T09:31:00Z', a: 1 }, '/a', undefined],
  [['2026-11-17T09:31:00Z'], '/0', undefined],
])('in %j, the item of %s has the time %s', (document, pointer, iso) => {
  const found = pointTo([document], pointer);
  const ms = found && timeOfItem(found);
  expect(ms && new Date(ms).toISOString()).toBe(iso);
});

it.each<[string, unknown[]]>([
  ['{"a":1}', [{ a: 1 }]],
  ['[1]', [[1]]],
  ['5', []],
  ['null', []],
  ['no JSON', []],
  ['{"a":1}\n\n  \n{"a":2}\n', [[{ a: 1 }, { a: 2 }]]],
  ['{"a":1}\n5', [{ a: 1 }]],
  ['x {"a":[1]} y', [{ a: [1] }]],
  ['x {"a":1', []],
])('the documents of %j are %j', (text, documents) => {
  expect(parseTextDocuments(text)).toEqual(documents);
});
