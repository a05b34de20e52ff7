import { readFileSync } from 'node:fs';
import {
  assertFails,
  initializeTestEnvironment,
  type RulesTestContext,
  type RulesTestEnvironment,
} from '@firebase/rules-unit-testing';
import {
  collection,
  collectionGroup,
  deleteDoc,
  doc,
  type Firestore,
  getDoc,
  getDocs,
  setDoc,
  setLogLevel,
  updateDoc,
} from 'firebase/firestore';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createDocument } from '../../shared/core/contract/store.ts';
import { paths, sessionType } from '../../shared/lists/documents.ts';
import { createFirestoreStore } from '../../shared/store/firestore/firestoreStore.ts';
import { describeOfficial } from '../cloud/official.ts';
import { sampleSession } from '../support/samples.ts';

const projectId = 'demo-rules';

/** One document of every collection there is, and of one there is not. */
const documents = [
  paths.session('s'),
  paths.alertBody('s', 1),
  paths.stage('s', '01-investigation'),
  paths.execution('s', '01-a'),
  paths.event('s', '01-a', 1),
  paths.message('s', '01-a', 1),
  paths.messagePart('s', '01-a', 1, 1),
  paths.interaction('s', '01-a', 1),
  paths.rejectedMessage('runIteration', '2026-11-05T10', 'MESSAGE_MALFORMED'),
  'agents/a',
  'runbooks/a',
  'alertKeys/a',
  'unheardOf/a',
];
const unwritten = (path: string) => `${path}-unwritten`;
const parent = (path: string) => path.slice(0, path.lastIndexOf('/'));

const operations: Record<string, (db: Firestore, path: string) => Promise<unknown>> = {
  get: (db, path) => getDoc(doc(db, path)),
  getOfNothing: (db, path) => getDoc(doc(db, unwritten(path))),
  list: (db, path) => getDocs(collection(db, parent(path))),
  listAsGroup: (db, path) => getDocs(collectionGroup(db, parent(path).split('/').at(-1) ?? '')),
  create: (db, path) => setDoc(doc(db, unwritten(path)), { a: 1 }),
  update: (db, path) => updateDoc(doc(db, path), { a: 2 }),
  delete: (db, path) => deleteDoc(doc(db, path)),
};

/** The environment gives the type of the older API; the object serves both. */
const databaseOf = (context: RulesTestContext): Firestore => context.firestore() as unknown as Firestore;

describeOfficial('firestore.rules', () => {
  let environment: RulesTestEnvironment;
  let clients: Firestore[];

  beforeAll(async () => {
    // The client logs every refusal, and refusals are what is tested.
    setLogLevel('silent');
    const rules = readFileSync(new URL('../../firestore.rules', import.meta.url), 'utf8');
    environment = await initializeTestEnvironment({ projectId, firestore: { rules } });
    await environment.clearFirestore();
    await environment.withSecurityRulesDisabled(async (context) => {
      const db = databaseOf(context);
      for (const path of documents) await setDoc(doc(db, path), { a: 1 });
    });
    clients = [
      environment.unauthenticatedContext(),
      environment.authenticatedContext('somebody', { email: 'somebody@example.com' }),
      environment.authenticatedContext('admin', { admin: true }),
    ].map(databaseOf);
  });
  afterAll(() => environment.cleanup());

  it.each(documents)('deny clients everything at %s', async (path) => {
    for (const db of clients) {
      for (const run of Object.values(operations)) await assertFails(run(db, path));
    }
  });

  it('do not bind the functions', async () => {
    const store = createFirestoreStore({ projectId });
    const path = paths.session('by-a-function');
    expect(await store.commit([createDocument(path, sessionType, sampleSession())])).toMatchObject({
      ok: true,
    });
    expect((await store.get(path, sessionType))?.value).toEqual(sampleSession());
    await store.close();
  });
});
