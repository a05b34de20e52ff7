import { expect, it } from 'vitest';
import { RetryableError, TerminalError } from '../../errors.ts';
import { callFirestore } from './firestoreCall.ts';

const failing = (code: number) => () => Promise.reject(Object.assign(new Error(`status ${code}`), { code }));

it.each([
  [3, TerminalError, 'DOCUMENT_INVALID'],
  [10, RetryableError, 'STORE_CONFLICT'],
  [14, RetryableError, 'STORE_UNAVAILABLE'],
  [7, RetryableError, 'STORE_UNAVAILABLE'],
])('status %i of Firestore is a %o', async (status, family, code) => {
  const error = await callFirestore('reading a', 1000, failing(status)).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(family);
  expect(error).toMatchObject({ code, message: `reading a: status ${status}`, cause: { code: status } });
});

it('errors of ours pass as they are', async () => {
  const error = new TerminalError('DOCUMENT_INVALID', 'no title');
  await expect(callFirestore('reading a', 1000, () => Promise.reject(error))).rejects.toBe(error);
});

it('a call that does not end fails in time with STORE_UNAVAILABLE', async () => {
  const call = callFirestore('reading a', 1, () => new Promise<never>(() => {}));
  await expect(call).rejects.toMatchObject({
    code: 'STORE_UNAVAILABLE',
    message: 'reading a: no answer within 1 ms',
  });
});

it('resolves with what the call resolves with', async () => {
  expect(await callFirestore('reading a', 1000, async () => 7)).toBe(7);
});
