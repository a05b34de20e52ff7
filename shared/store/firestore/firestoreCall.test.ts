import { expect, it } from 'vitest';
import { RetryableError, TerminalError } from '../../core/errors.ts';
import { callFirestore } from './firestoreCall.ts';

const failing = (code: number) => () => Promise.reject(Object.assign(new Error(`status ${code}`), { code }));

it.each([
  [3, TerminalError, 'DOCUMENT_INVALID'],
  [10, RetryableError, 'STORE_CONFLICT'],
  [14, RetryableError, 'STORE_UNAVAILABLE'],
])('status %i of Firestore is a %o', async (status, family, code) => {
  const error = await callFirestore('reading a', 1000, failing(status)).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(family);
  expect(error).toMatchObject({ code, message: `reading a: status ${status}`, cause: { code: status } });
});

it.each([
  [7, 'STORE_DENIED', /^reading a: status 7; grant roles\/datastore\.user on the project /],
  [
    16,
    'STORE_UNAUTHENTICATED',
    /^reading a: status 16; no valid credentials: .*gcloud auth application-default login/,
  ],
])(
  'status %i of Firestore names the right that is missing, and is delivered again',
  async (status, code, message) => {
    const error = await callFirestore('reading a', 1000, failing(status)).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(RetryableError);
    expect(error).toMatchObject({ code, message: expect.stringMatching(message), cause: { code: status } });
  },
);

it('a client without credentials is no outage', async () => {
  const none = new Error('Could not load the default credentials. Browse to https://cloud.google.com/docs');
  const error = await callFirestore('reading a', 1000, () => Promise.reject(none)).catch(
    (thrown: unknown) => thrown,
  );
  expect(error).toMatchObject({ code: 'STORE_UNAUTHENTICATED' });
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

it('resolves with the result of the call', async () => {
  expect(await callFirestore('reading a', 1000, async () => 7)).toBe(7);
});
