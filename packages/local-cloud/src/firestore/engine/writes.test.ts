import { describe, expect, it } from 'vitest';
import { array, double, type Fields, integer, map, NULL } from '../values/value.ts';
import { applyWrite, checkTogether, parseWrite, type WriteMessage } from './writes.ts';

const database = 'projects/p/databases/d';
const name = `${database}/documents/a/b`;
const NOW = 1_700_000_000_123_456;
const apply = (message: WriteMessage, old?: Fields) => applyWrite(parseWrite(message, database), old, NOW);

describe('a write', () => {
  const old = { kept: integer(1), m: map({ x: integer(2), 'a.b': integer(3) }) };

  it('without a mask replaces the document', () => {
    expect(apply({ update: { name, fields: { n: integer(1) } } }, old).fields).toEqual({ n: integer(1) });
  });

  it('with a mask sets and deletes the fields it names, also within maps', () => {
    const updateMask = { fieldPaths: ['n', 'm.`a.b`', 'gone'] };
    const fields = { n: integer(1), ignored: integer(2) };
    expect(apply({ update: { name, fields }, updateMask }, old).fields).toEqual({
      kept: integer(1),
      m: map({ x: integer(2) }),
      n: integer(1),
    });
  });

  it('transforms the stored value, one field after another', () => {
    const updateTransforms = [
      { fieldPath: 'kept', increment: integer(2) },
      { fieldPath: 'kept', increment: double(0.5) },
      { fieldPath: 'm.x', maximum: double(2) },
      { fieldPath: 'm.`a.b`', minimum: integer(1) },
      { fieldPath: 'l', appendMissingElements: { values: [integer(1), double(1), NULL] } },
      { fieldPath: 'at', setToServerValue: 'REQUEST_TIME' },
    ];
    const at = {
      valueType: 'timestampValue' as const,
      timestampValue: { seconds: '1700000000', nanos: 123_000_000 },
    };
    expect(apply({ update: { name }, updateMask: {}, updateTransforms }, old)).toEqual({
      fields: {
        kept: double(3.5),
        m: map({ x: integer(2), 'a.b': integer(1) }),
        l: array([integer(1), NULL]),
        at,
      },
      results: [integer(3), double(3.5), integer(2), integer(1), NULL, at],
    });
  });

  it('keeps a sum within 64 bits', () => {
    const largest = integer(2n ** 63n - 1n);
    const updateTransforms = [{ fieldPath: 'n', increment: integer(1) }];
    expect(apply({ update: { name }, updateMask: {}, updateTransforms }, { n: largest }).results).toEqual([
      largest,
    ]);
  });

  it.each<WriteMessage>([
    {},
    { update: { name: `${database}/documents/a` } },
    { update: { name: 'projects/other/databases/d/documents/a/b' } },
    { update: { name, fields: { __n__: NULL } } },
    { update: { name, fields: { a: array([array([])]) } } },
    { update: { name }, updateTransforms: [{ fieldPath: 'a' }] },
    { update: { name }, updateTransforms: [{ fieldPath: 'a', increment: NULL }] },
    {
      update: { name },
      updateTransforms: [
        { fieldPath: 'a.b', increment: integer(1) },
        { fieldPath: 'a', increment: integer(1) },
      ],
    },
    { transform: { document: name, fieldTransforms: [] } },
  ])('is refused: %j', (message) => {
    expect(() => parseWrite(message, database)).toThrow(expect.objectContaining({ code: 3 }));
  });
});

describe('writes of one document in a commit', () => {
  const check =
    (...messages: WriteMessage[]) =>
    () =>
      checkTogether(messages.map((message) => parseWrite(message, database)));
  const set = (currentDocument = {}): WriteMessage => ({ update: { name }, currentDocument });

  it('must not contradict each other', () => {
    expect(check(set(), set({ exists: false }))).toThrow('update then insert');
    expect(check({ delete: name }, set({ exists: true }))).toThrow('delete then update');
    expect(check(set(), set({ updateTime: { seconds: '1' } }))).toThrow('different update times');
  });

  it('can follow each other', () => {
    expect(check(set({ exists: false }), set({ exists: true }), { delete: name }, set())).not.toThrow();
  });
});
