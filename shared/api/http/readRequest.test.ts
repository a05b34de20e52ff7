import { expect, it } from 'vitest';
import * as z from 'zod';
import { parsePart } from './readRequest.ts';

it('a fault in a list of the query quotes its part', () => {
  const list = z
    .string()
    .transform((text) => text.split(','))
    .pipe(z.array(z.enum(['failed', 'completed'])));
  const query = z.strictObject({ status: list });
  expect(() => parsePart(query, { status: 'failed,finished' }, 'query')).toThrow(
    /^query\.status: unknown value "finished"; expected one of failed, completed$/,
  );
  expect(parsePart(query, { status: 'failed' }, 'query')).toEqual({ status: ['failed'] });
});
