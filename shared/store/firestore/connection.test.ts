import { expect, it, onTestFinished, vi } from 'vitest';
import { RetryableError } from '../../core/errors.ts';
import { type Connection, createConnection } from './connection.ts';

const failure = (code: number) => Object.assign(new Error(`status ${code}`), { code });
const hanging = () => new Promise<never>(() => {});

/** Reads with works that are tried in order. Returns the result or the error, and how many were tried. */
async function read(...works: (() => Promise<string>)[]) {
  vi.stubEnv('FIRESTORE_EMULATOR_HOST', '127.0.0.1:1');
  onTestFinished(() => void vi.unstubAllEnvs());
  const connection = createConnection({ projectId: 'demo-reads', timeoutMs: 40 });
  // The limit counts from here: the SDK is loaded.
  await connection.client();
  let tried = 0;
  const result = await connection
    .read('reading a', () => works[tried++]?.() ?? Promise.reject(new Error('a third attempt')))
    .catch((error: unknown) => error);
  return { result, tried };
}

it.each([1, 2, 4, 10, 13, 14])('a read that fails with status %i is tried again', async (code) => {
  const done = await read(
    () => Promise.reject(failure(code)),
    async () => 'found',
  );
  expect(done).toEqual({ result: 'found', tried: 2 });
});

it('a read that has not ended in half of its time is tried beside it, and the first answer counts', async () => {
  expect(await read(hanging, async () => 'found')).toEqual({ result: 'found', tried: 2 });
});

it.each([3, 7, 9, 16])('a read that fails with status %i is not tried again', async (code) => {
  const { result, tried } = await read(() => Promise.reject(failure(code)));
  expect([result instanceof Error, tried]).toEqual([true, 1]);
});

it('a read that fails twice fails with the second error', async () => {
  const { result, tried } = await read(
    () => Promise.reject(failure(14)),
    () => Promise.reject(failure(13)),
  );
  expect(result).toBeInstanceOf(RetryableError);
  expect(result).toMatchObject({ code: 'STORE_UNAVAILABLE', message: 'reading a: status 13' });
  expect(tried).toBe(2);
});

it.each<[string, (connection: Connection) => unknown]>([
  [
    'a call that hangs, also when a later call was answered',
    async (connection) => {
      const call = connection.call('reading a', hanging);
      await expect(call).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
      await connection.call('reading b', async () => 'found');
    },
  ],
  ['a watch that may be opening', (connection) => connection.keepOpen()],
])('is not terminated below %s', async (_, use) => {
  vi.stubEnv('FIRESTORE_EMULATOR_HOST', '127.0.0.1:1');
  onTestFinished(() => void vi.unstubAllEnvs());
  const connection = createConnection({ projectId: 'demo-reads', timeoutMs: 40 });
  const { db } = await connection.client();
  const terminate = vi.spyOn(db, 'terminate');
  await use(connection);
  await connection.close();
  expect(terminate).not.toHaveBeenCalled();
  terminate.mockRestore();
  await db.terminate();
});
