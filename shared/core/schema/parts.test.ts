import { expect, it } from 'vitest';
import * as z from 'zod';
import { definePart, knowParts } from './parts.ts';

const notePart = definePart('note', 'size', z.strictObject({ bytes: z.int() }));

it.each([
  [{}, true],
  [{ size: { bytes: 1 } }, true],
  [{ size: { bytes: 1 }, other: undefined, another: [null] }, true],
  [{ size: { bytes: '1' } }, false],
  [{ size: null }, false],
  [[], false],
])('the parts %j of a note are valid: %s', (parts, isValid) => {
  const known = knowParts([notePart]);
  expect(known.isValid('note', parts)).toBe(isValid);
  expect(known.schema('note')?.safeParse(parts).success).toBe(isValid);
});

it('documents without known parts are not checked', () => {
  expect(knowParts([notePart]).isValid('page', 1)).toBe(true);
  expect(knowParts([notePart]).schema('page')).toBeUndefined();
});

it('two parts of a document cannot have one name', () => {
  const others = [notePart, definePart('page', 'size', z.string())];
  expect(() => knowParts(others)).not.toThrow();
  expect(() => knowParts([...others, notePart])).toThrow('two parts of a note have the same name');
});
