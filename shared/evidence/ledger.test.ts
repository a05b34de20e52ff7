import { expect, it } from 'vitest';
import { addStatement, EMPTY_LEDGER, foldLedger } from './ledger.ts';

const fold = (...stated: object[]) => foldLedger(stated.map((one) => JSON.stringify(one)));
const evidence = (one: object) => ({ evidence: [{ id: 'e1', hypothesis: 'h1', ...one }] });

it.each([
  ['without a side', [evidence({ quote: 'a' })], 'for'],
  ['against, updated without a side', [evidence({ side: 'against' }), evidence({ quote: 'b' })], 'against'],
  ['against, updated to for', [evidence({ side: 'against' }), evidence({ side: 'for' })], 'for'],
  [
    'against, stated twice in a statement',
    [{ evidence: [...evidence({ side: 'against' }).evidence, ...evidence({ quote: 'b' }).evidence] }],
    'against',
  ],
])('evidence %s is on the stated side', (_, stated, side) => {
  expect(fold(...stated).ledger.evidence.get('e1')?.side).toBe(side);
});

it('an update keeps the fields that it does not name, and a wrong item is refused by its place', () => {
  const { ledger, refused } = fold(
    { hypotheses: [{ id: 'h1', component: 'host:a', mechanism: 'disk' }] },
    { hypotheses: [{ id: 'h1', cause: true }, { id: 'h 2' }] },
  );
  expect([...ledger.hypotheses.values()]).toEqual([
    { id: 'h1', component: 'host:a', mechanism: 'disk', cause: true },
  ]);
  expect(refused).toEqual(['hypotheses[1].id: must be a short name such as h1']);
});

it('fields and lists of an earlier version are ignored', () => {
  const { ledger, refused } = fold({
    hypotheses: [{ id: 'h1', effectOf: 'h 2', with: 7 }],
    evidence: [{ id: 'e1', hypothesis: 'h1', answers: 7 }],
    tests: [{ id: 't1' }],
  });
  expect([...ledger.hypotheses.values(), ...ledger.evidence.values()]).toEqual([
    { id: 'h1' },
    { id: 'e1', hypothesis: 'h1', side: 'for' },
  ]);
  expect(refused).toEqual([]);
});

it('arguments of a probe are text, of an object as well', () => {
  const probe = { tool: 'pods.get', find: 'Ready', is: 'present' };
  const read = (args: unknown) =>
    fold({ probes: [{ id: 'p1', ...probe, arguments: args }] }).ledger.probes.get('p1')?.arguments;
  expect([{ name: 'a' }, '{"name":"a"}', undefined, null].map(read)).toEqual([
    '{"name":"a"}',
    '{"name":"a"}',
    '{}',
    undefined,
  ]);
});

it('has 60 items of a kind, refuses further ones, and still updates those', () => {
  const hypotheses = Array.from({ length: 61 }, (_, index) => ({ id: `h${index}` }));
  const { ledger, refused } = fold({ hypotheses: [...hypotheses, { id: 'h0', cause: true }] });
  expect([...ledger.hypotheses.values()]).toEqual([{ id: 'h0', cause: true }, ...hypotheses.slice(1, 60)]);
  expect(refused).toEqual(['h60: there are 60 already; update one']);
});

it('the same statement again is the same ledger', () => {
  const json = '{"hypotheses":[{"id":"h1"}]}';
  const first = addStatement(EMPTY_LEDGER, json);
  expect(addStatement(EMPTY_LEDGER, json)).toBe(first);
  expect(addStatement(EMPTY_LEDGER, '{}').ledger).toEqual(EMPTY_LEDGER);
});
