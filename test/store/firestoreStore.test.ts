import { createServer } from 'node:net';
import { Firestore, Timestamp } from '@google-cloud/firestore';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { startLocalFirestore } from '../../packages/local-cloud/src/localFirestore.fixture.ts';
import { createDocument } from '../../shared/core/contract/store.ts';
import { RetryableError, TerminalError } from '../../shared/core/errors.ts';
import { sessionType } from '../../shared/lists/documents.ts';
import { emulatorSettings } from '../../shared/store/emulator.ts';
import { createFirestoreStore } from '../../shared/store/firestore/firestoreStore.ts';
import { createRawDocuments } from '../../shared/store/firestore/rawDocuments.ts';
import { whyNoOfficial } from '../cloud/findOfficial.ts';
import { ON_EMULATORS } from '../support/fullTests.ts';
import { sampleAlert, sampleAlertPart, sampleSession } from '../support/samples.ts';
import { describeStore } from './conformance.ts';

// Its own queries need no indexes: Google's emulator, or a Firestore without index file.
if (!ON_EMULATORS || whyNoOfficial(process.env) !== undefined) {
  const { FIRESTORE_EMULATOR_HOST: shared } = process.env;
  let stop = async () => {};
  beforeAll(async () => {
    const server = await startLocalFirestore();
    stop = server.stop;
    process.env.FIRESTORE_EMULATOR_HOST = server.host;
  });
  afterAll(async () => {
    if (shared !== undefined) process.env.FIRESTORE_EMULATOR_HOST = shared;
    await stop();
  });
}

describeStore('Firestore', () => createFirestoreStore({ projectId: 'demo-store' }));

it('a raw document has its times with all digits that are there', async () => {
  const projectId = 'demo-store';
  const [db, raw] = [
    new Firestore({ projectId, ...emulatorSettings('firestore') }),
    createRawDocuments({ projectId, timeoutMs: 60_000 }),
  ];
  const times = { none: 5_000_000, some: 5_120_000, few: 5_001_000 };
  const at = Object.entries(times).map(([name, nanos]) => [name, new Timestamp(1_800_000_000, nanos)]);
  await db.doc('sessions/times').set(Object.fromEntries(at));
  const found = await raw.get('sessions/times');
  expect(found && Object.fromEntries(found.fields)).toEqual({
    none: { type: 'timestamp', text: '2027-01-15T08:00:00.005Z' },
    some: { type: 'timestamp', text: '2027-01-15T08:00:00.00512Z' },
    few: { type: 'timestamp', text: '2027-01-15T08:00:00.005001Z' },
  });
  await Promise.all([db.terminate(), raw.close()]);
});

describe('Firestore that refuses', () => {
  it('differs from the error of a failing Firestore: a name over 1500 bytes is DOCUMENT_INVALID', async () => {
    const store = createFirestoreStore({ projectId: 'demo-store' });
    const session = sampleSession(sampleAlertPart(sampleAlert({ labels: { ['k'.repeat(1501)]: 'x' } })));
    const failure = await store
      .commit([createDocument('sessions/long-name', sessionType, session)])
      .catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(TerminalError);
    expect(failure).toMatchObject({ code: 'DOCUMENT_INVALID', cause: { code: 3 } });
    await store.close();
  });
});

describe('closing', () => {
  it('waits for calls that run, and later ones fail', async () => {
    const store = createFirestoreStore({ projectId: 'demo-store' });
    const list = () => store.list({ collection: 'nothing' }, sessionType);
    const running = [list(), list(), list()];
    await store.close();
    // Each has ended: interrupted by closing, a call would end the process.
    const over = running.map((call) => Promise.race([call, Promise.resolve('still running')]));
    expect(await Promise.all(over)).toEqual([[], [], []]);
    await expect(list()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
  });
});

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
      store.commit([createDocument('sessions/a', sessionType, session)]).catch((error: unknown) => error),
    ]);
    for (const failure of failures) {
      expect(failure).toBeInstanceOf(RetryableError);
      expect(failure).toMatchObject({ code: 'STORE_UNAVAILABLE' });
    }
    await store.close();
    silent.close();
  });
});
