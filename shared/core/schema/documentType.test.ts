import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { TerminalError } from '../errors.ts';
import {
  documentType,
  MAX_DOCUMENT_BYTES,
  rawDocumentType,
  SchemaVersionError,
  storedBytes,
} from './documentType.ts';
import { definePart, knowParts, partsSchema } from './parts.ts';

const schema = z.strictObject({ title: z.string(), tags: z.array(z.string()), at: z.date().nullable() });

/** Version 2 had `name`, version 3 was never released. */
const noteType = documentType('note', 4, schema, {
  oldest: 2,
  upcast: ({ name, ...rest }) => ({ ...rest, title: name, tags: [`was ${String(name)}`], at: null }),
});
const note = { title: 'a', tags: [], at: null };

/** What a call throws. */
function thrownBy(call: () => unknown): unknown {
  try {
    call();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}

describe('a document type, writing', () => {
  it('stamps the current version', () => {
    expect(noteType.encode(note)).toEqual({ ...note, schemaVersion: 4 });
  });

  it('refuses an invalid value with the path of each fault', () => {
    const error = thrownBy(() => noteType.encode({ ...note, title: 1, tags: ['a', 2] } as never));
    expect(error).toBeInstanceOf(TerminalError);
    expect(error).toMatchObject({
      code: 'DOCUMENT_INVALID',
      message: expect.stringMatching(/not a valid note: title: .*; tags\.1: /),
    });
  });

  it.each([5, 7])('names at most five faults of %i, and how many more there are', (count) => {
    const tags = Array.from({ length: count }, (_, index) => index);
    const { message } = thrownBy(() => noteType.encode({ ...note, tags } as never)) as TerminalError;
    const faults = message.split(': ').slice(1).join(': ').split('; ');
    const named = faults.slice(0, 5).map((fault) => fault.split(':')[0]);
    expect(named).toEqual(['tags.0', 'tags.1', 'tags.2', 'tags.3', 'tags.4']);
    expect(faults.slice(5)).toEqual(count === 7 ? ['and 2 more'] : []);
  });

  it('takes a document of the very limit', () => {
    const title = 'x'.repeat(MAX_DOCUMENT_BYTES - storedBytes(noteType.encode({ ...note, title: '' })));
    expect(() => noteType.encode({ ...note, title })).not.toThrow();
    expect(() => noteType.encode({ ...note, title: `${title}x` })).toThrow(TerminalError);
  });

  it('refuses a field it does not know, by name', () => {
    const error = thrownBy(() => noteType.encode({ ...note, colour: 'red' } as never));
    expect(error).toMatchObject({ code: 'DOCUMENT_INVALID', message: expect.stringContaining('"colour"') });
  });

  it.each(['x', '€', '"', '\n'])('refuses more than 900 kB of %j, counted as UTF-8 bytes', (character) => {
    const size = Buffer.byteLength(character);
    const title = (bytes: number) => character.repeat(Math.floor(bytes / size));
    // Names of fields and short values count too, some hundred bytes here.
    expect(() => noteType.encode({ ...note, title: title(MAX_DOCUMENT_BYTES - 1_000) })).not.toThrow();
    const error = thrownBy(() => noteType.encode({ ...note, title: title(MAX_DOCUMENT_BYTES) }, 'notes/a'));
    expect(error).toBeInstanceOf(TerminalError);
    expect(error).toMatchObject({
      code: 'DOCUMENT_TOO_LARGE',
      message: expect.stringMatching(/^notes\/a: \d+ bytes are over the limit of 900000 bytes$/),
    });
  });
});

describe('a document type, reading', () => {
  it('reads the current version', () => {
    expect(noteType.decode({ ...note, schemaVersion: 4 }, 'notes/a')).toEqual(note);
  });

  it('upcasts its oldest version in one step', () => {
    const expected = { title: 'old', tags: ['was old'], at: null };
    expect(noteType.decode({ name: 'old', schemaVersion: 2 }, 'notes/a')).toEqual(expected);
  });

  it('leaves the stored data unchanged', () => {
    const stored = Object.freeze({ name: 'old', schemaVersion: 2 });
    noteType.decode(stored, 'notes/a');
    expect(stored).toEqual({ name: 'old', schemaVersion: 2 });
  });

  it('refuses a newer version, even if it looks valid', () => {
    const error = thrownBy(() => noteType.decode({ ...note, schemaVersion: 5 }, 'notes/a'));
    expect(error).toBeInstanceOf(SchemaVersionError);
    expect(error).toMatchObject({
      code: 'SCHEMA_TOO_NEW',
      message: expect.stringMatching(/^notes\/a: schemaVersion 5 .*note 4/),
    });
  });

  it.each([
    ['older than its oldest version', 1],
    ['of a version that was never released', 3],
  ])('refuses a document %s, with the fix', (_, schemaVersion) => {
    const error = thrownBy(() => noteType.decode({ ...note, name: 'old', schemaVersion }, 'notes/a'));
    expect(error).toBeInstanceOf(TerminalError);
    expect(error).toMatchObject({
      code: 'SCHEMA_UNSUPPORTED',
      message: `notes/a: schemaVersion ${schemaVersion} is not read (note 2 and 4): run migrate of release 0.2.0 first, or delete the document`,
    });
  });

  it('refuses every older version of a type that has one', () => {
    const newType = documentType('new', 2, schema);
    expect(newType).toMatchObject({ oldest: 2, vectors: [] });
    expect(thrownBy(() => newType.decode({ ...note, schemaVersion: 1 }, 'notes/a'))).toMatchObject({
      code: 'SCHEMA_UNSUPPORTED',
      message: expect.stringContaining('(new 2)'),
    });
  });

  it.each([undefined, null, '4', 0, -1, 1.5, Number.NaN, {}])('refuses schemaVersion %j', (schemaVersion) => {
    const error = thrownBy(() => noteType.decode({ ...note, schemaVersion }, 'notes/a'));
    expect(error).toBeInstanceOf(TerminalError);
    expect(error).toMatchObject({
      code: 'SCHEMA_UNSUPPORTED',
      message: `notes/a: schemaVersion is ${JSON.stringify(schemaVersion)}, and this code reads note 2 and 4`,
    });
  });

  it('refuses an old document that its upcaster cannot read', () => {
    const reading = (data: Record<string, unknown>) => ({ text: (data.name as string).trim() });
    const strict = documentType('note', 2, schema, { oldest: 1, upcast: reading });
    const error = thrownBy(() => strict.decode({ schemaVersion: 1 }, 'notes/1'));
    expect(error).toMatchObject({
      code: 'DOCUMENT_INVALID',
      message: expect.stringContaining('notes/1 is not a valid note of version 1: '),
    });
  });

  it('refuses a document that is invalid after the upcast, with the path of the document and of the fault', () => {
    const error = thrownBy(() => noteType.decode({ name: 7, schemaVersion: 2 }, 'notes/a'));
    expect(error).not.toBeInstanceOf(SchemaVersionError);
    expect(error).toMatchObject({
      code: 'DOCUMENT_INVALID',
      message: expect.stringMatching(/^notes\/a is not a valid note: title: /),
    });
  });

  it('refuses a field it does not know, by name', () => {
    const error = thrownBy(() => noteType.decode({ ...note, colour: 'red', schemaVersion: 4 }, 'notes/a'));
    expect(error).toMatchObject({ code: 'DOCUMENT_INVALID', message: expect.stringContaining('"colour"') });
  });
});

describe('the parts of a document', () => {
  const pageType = documentType('page', 1, z.strictObject({ parts: partsSchema }));
  const known = knowParts([definePart('page', 'size', z.strictObject({ bytes: z.int() }))]);
  const page = { parts: { size: { bytes: 1 }, other: ['kept'] } };

  it('are read and written as they are, also those of unknown features', () => {
    expect(pageType.encode(page, 'pages/a', known)).toEqual({ ...page, schemaVersion: 1 });
    expect(pageType.decode({ ...page, schemaVersion: 1 }, 'pages/a', known)).toEqual(page);
    expect(noteType.encode(note, 'notes/a', known)).toEqual({ ...note, schemaVersion: 4 });
  });

  it('are refused with the path of the fault when a known one is invalid', () => {
    const wrong = { parts: { size: { bytes: 'many' } } };
    const fault = {
      code: 'DOCUMENT_INVALID',
      message: expect.stringMatching(/^pages\/a is not a valid page: parts\.size\.bytes: /),
    };
    expect(thrownBy(() => pageType.encode(wrong, 'pages/a', known))).toMatchObject(fault);
    expect(thrownBy(() => pageType.decode({ ...wrong, schemaVersion: 1 }, 'pages/a', known))).toMatchObject(
      fault,
    );
    expect(pageType.encode(wrong, 'pages/a')).toEqual({ ...wrong, schemaVersion: 1 });
  });

  it('do not hide the faults of their document', () => {
    expect(thrownBy(() => pageType.encode({ ...page, more: 1 } as never, 'pages/a', known))).toMatchObject({
      code: 'DOCUMENT_INVALID',
    });
    expect(thrownBy(() => noteType.encode({ ...note, title: 1 } as never, 'notes/a', known))).toMatchObject({
      message: expect.stringMatching(/^notes\/a is not a valid note: title: /),
    });
  });
});

it('a stored document has its dates as Date, and all else as it is', () => {
  const at = new Date('2026-11-05T10:00:00Z');
  const timestamp = { toDate: () => at };
  const stored = JSON.parse('{"nothing": null, "count": 1, "text": "a", "like": {"toDate": "soon"}}');
  const read = rawDocumentType.decode(
    { ...stored, at: timestamp, date: at, list: [timestamp, [at]], map: { at: timestamp } },
    'a/b',
  );
  expect(read).toEqual({
    nothing: null,
    count: 1,
    text: 'a',
    like: { toDate: 'soon' },
    at,
    date: at,
    list: [at, [at]],
    map: { at },
  });
  expect(read.date).not.toBe(at);
  const own = rawDocumentType.decode(JSON.parse('{"__proto__": {"a": 1}}'), 'a/b');
  expect(Object.keys(own)).toContain('__proto__');
  expect(Object.getPrototypeOf(own)).toBe(Object.prototype);
});

it.each([
  ['abc', 4],
  ['€', 4],
  [null, 8],
  [1, 8],
  [true, 8],
  [new Date(0), 8],
  [{}, 32],
  [{ ab: 'c', n: null }, 32 + 3 + 2 + 2 + 8],
  [['a', ['b']], 32 + 2 + 2 + 2 + 32 + 2 + 2],
])('the size of %j is estimated as %i bytes', (value, bytes) => {
  expect(storedBytes(value)).toBe(bytes);
});
