import { createServer } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { RetryableError } from '../../shared/errors.ts';
import { sessionType } from '../../shared/schema/documents.ts';
import { createFirestoreStore } from '../../shared/store/firestoreStore.ts';
import { create } from '../../shared/store/store.ts';
import { sampleSession } from '../support/samples.ts';
import { describeStore } from './conformance.ts';

describeStore('Firestore', () => createFirestoreStore({ projectId: 'demo-store' }));

describe('Firestore that does not answer', () => {
  afterEach(() => vi.unstubAllEnvs());

  it('fails within the time limit with STORE_UNAVAILABLE, and can be closed', async () => {
    const silent = createServer(() => {}).listen(0, '127.0.0.1');
    await new Promise((resolve) => silent.once('listening', resolve));
    const address = silent.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    vi.stubEnv('FIRESTORE_EMULATOR_HOST', `127.0.0.1:${address.port}`);
    const store = createFirestoreStore({ projectId: 'demo-store', timeoutMs: 300 });
    const session = sampleSession();
    const failures = await Promise.all([
      store.get('sessions/a', sessionType).catch((error: unknown) => error),
      store.list({ collection: 'sessions' }, sessionType).catch((error: unknown) => error),
      store.commit([create('sessions/a', sessionType, session)]).catch((error: unknown) => error),
    ]);
    for (const failure of failures) {
      expect(failure).toBeInstanceOf(RetryableError);
      expect(failure).toMatchObject({ code: 'STORE_UNAVAILABLE' });
    }
    await store.close();
    silent.close();
  });
});
