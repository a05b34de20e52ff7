import { status } from '@grpc/grpc-js';
import { describe, expect, it } from 'vitest';
import { applyMask } from './updateMask.ts';

const fields = {
  resource: 'Thing',
  mutable: ['long_name', 'size'],
  immutable: ['id'],
  missing: ['filter'],
};
const apply = (update: object, paths?: string[]) =>
  applyMask(fields, { longName: 'a', size: 1 }, update, { ...(paths && { paths }) });

describe('an update mask', () => {
  it('takes the named fields from the update, also where the document has none', () => {
    expect(apply({ longName: 'b', size: 2 }, ['long_name'])).toEqual({ longName: 'b', size: 1 });
    expect(apply({}, ['long_name', 'size'])).toEqual({});
  });

  it.each([[undefined], [[]], [['id']], [['longName']], [['size.x']]])('%j is refused', (paths) => {
    expect(() => apply({}, paths)).toThrow(expect.objectContaining({ code: status.INVALID_ARGUMENT }));
  });

  it('cannot name fields that do not exist', () => {
    expect(() => apply({}, ['filter'])).toThrow(expect.objectContaining({ code: status.UNIMPLEMENTED }));
  });
});
