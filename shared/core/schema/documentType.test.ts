import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { TerminalError } from '../errors.ts';
import { documentType, MAX_DOCUMENT_BYTES, SchemaVersionError } from './documentType.ts';

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
    expect(newType.oldest).toBe(2);
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
      message: expect.stringMatching(/^notes\/a: /),
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
