import { expect, it, vi } from 'vitest';
import * as z from 'zod';
import { RetryableError, TerminalError } from '../../errors.ts';
import { documentType, SchemaVersionError } from '../../schema/documentType.ts';
import { isOfDocument, readableType, splitReadable } from '../../schema/readable.ts';
import { captureFailure, errorAsValue, ignoreTerminalError, readOrWarn, UNREADABLE } from './reading.ts';

const invalid = new TerminalError('DOCUMENT_INVALID', 'notes/a is broken');
const newer = new SchemaVersionError('SCHEMA_TOO_NEW', 'notes/a is newer');
const down = new RetryableError('STORE_UNAVAILABLE', 'no answer');
const bug = new TypeError('a bug');
const noteType = documentType('note', 1, z.strictObject({ title: z.string() }));
const stored = (title: unknown, schemaVersion = 1) => ({ title, schemaVersion });

it('the failure of a document that is broken for ever is a value; all others are thrown', async () => {
  expect(await captureFailure(Promise.resolve(1))).toEqual({ value: 1 });
  expect(await captureFailure(Promise.reject(invalid))).toEqual({
    failure: { code: 'DOCUMENT_INVALID', message: 'notes/a is broken' },
  });
  for (const error of [newer, down, bug])
    await expect(captureFailure(Promise.reject(error))).rejects.toBe(error);
  expect(ignoreTerminalError(invalid)).toBeUndefined();
  for (const error of [newer, down, bug]) expect(() => ignoreTerminalError(error)).toThrow(error);
});

it('a document that can be left out is, with a warning', async () => {
  const warn = vi.fn();
  const read = (reading: Promise<number>) => readOrWarn(reading, 'no title is shown', { warn } as never);
  expect(await read(Promise.resolve(1))).toBe(1);
  expect(warn).not.toHaveBeenCalled();
  for (const error of [invalid, newer]) {
    expect(await read(Promise.reject(error))).toBe(UNREADABLE);
    expect(warn).toHaveBeenLastCalledWith({ code: error.code }, `no title is shown: ${error.message}`);
  }
  for (const error of [down, bug]) await expect(read(Promise.reject(error))).rejects.toBe(error);
  expect(await readOrWarn(Promise.reject(invalid), 'none', undefined)).toBe(UNREADABLE);
});

it('a type can return its fault instead of a document', () => {
  const type = errorAsValue(noteType);
  expect(type.decode(stored('a'), 'notes/a')).toEqual({ title: 'a' });
  expect(type.decode(stored(1), 'notes/a')).toMatchObject({ code: 'DOCUMENT_INVALID' });
  expect(type.encode({ title: 'a' })).toEqual(stored('a'));
  const broken = {
    ...noteType,
    decode: () => {
      throw bug;
    },
  };
  expect(() => errorAsValue(broken).decode(stored('a'), 'notes/a')).toThrow(bug);
});

it('a document or its fault is read, and both are told apart', () => {
  const type = readableType(noteType);
  const read = [stored('a'), stored(1), stored('b', 2)].map((data) => type.decode(data, 'notes/a'));
  const { values, unreadable } = splitReadable([...read, {}]);
  expect(values).toEqual([{ title: 'a' }]);
  expect(unreadable).toEqual([
    { path: 'notes/a', code: 'DOCUMENT_INVALID', message: expect.stringContaining('title') },
    { path: 'notes/a', code: 'SCHEMA_TOO_NEW', message: expect.stringContaining('newer') },
  ]);
  expect(() => type.encode({})).toThrow('a note that can be unreadable is not written');
  const broken = {
    ...noteType,
    decode: () => {
      throw bug;
    },
  };
  expect(() => readableType(broken).decode(stored('a'), 'notes/a')).toThrow(bug);
  expect([invalid, newer, down, bug].map(isOfDocument)).toEqual([true, true, false, false]);
});
