// A document type's shape and version change together: every shape there ever was is pinned in shapes.yaml.

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import {
  addShapes,
  documentTypes,
  formatPins,
  PINS,
  parsePins,
  pinOf,
  shapeChanged,
  shapeOf,
} from '../../test/support/shapes.ts';

const text = readFileSync(PINS, 'utf8');
const pins = parsePins(text);

describe.each(documentTypes)('the shape of $name', ({ name, version, schema }) => {
  it('is pinned for every version, and for none to come', () => {
    const versions = Array.from({ length: version }, (_, index) => pinOf(name, index + 1));
    const pinned = Object.keys(pins).filter((key) => key.startsWith(`${name} `));
    expect(pinned, 'a new version is pinned by `npm run pin-shapes`; no pin is ever removed').toEqual(
      versions,
    );
  });

  it('is what its version was pinned with', () => {
    expect(shapeOf(schema), shapeChanged(name)).toEqual(pins[pinOf(name, version)]);
  });
});

describe('pinning', () => {
  const note = { text: z.string(), at: z.date().nullable() };

  it('writes the file as it is', () => {
    expect(formatPins(pins)).toBe(text);
  });

  it('adds a version and keeps the ones before', () => {
    const before = { 'note 9': shapeOf(z.strictObject(note)) };
    const added = { 'note 10': shapeOf(z.strictObject({ ...note, tags: z.array(z.string()) })) };
    const after = addShapes(before, added);
    expect(after).toEqual({ ...before, ...added });
    expect(Object.keys(parsePins(formatPins(after)))).toEqual(['note 9', 'note 10']);
    expect(parsePins(formatPins(after))).toEqual(after);
  });

  it.each([
    ['a field more', z.strictObject({ ...note, tags: z.array(z.string()) })],
    ['a field less', z.strictObject({ text: z.string() })],
    ['an optional field', z.strictObject({ ...note, text: z.string().optional() })],
    ['another type', z.strictObject({ ...note, at: z.string().nullable() })],
    ['no null any more', z.strictObject({ ...note, at: z.date() })],
    ['another limit', z.strictObject({ ...note, text: z.string().min(1) })],
    ['another kind of text', z.strictObject({ ...note, text: z.enum(['a', 'b']) })],
    ['fields without a name', z.looseObject(note)],
  ])('refuses %s in a pinned version', (_, changed) => {
    const before = { 'note 1': shapeOf(z.strictObject(note)) };
    expect(() => addShapes(before, { 'note 1': shapeOf(changed) })).toThrow(
      'the shape of note changed: raise its version in documents.ts',
    );
  });
});
