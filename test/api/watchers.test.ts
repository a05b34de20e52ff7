// Many readers of streams on one instance: Firestore has a listener for each query, not for each reader.

import { expect, it, onTestFinished, vi } from 'vitest';
import { openDatabase } from '../../packages/local-cloud/src/database/database.ts';
import { createFirestoreService } from '../../packages/local-cloud/src/firestore/firestoreService.ts';
import { startGrpcServer } from '../../packages/local-cloud/src/server/grpcServer.ts';
import { createDocument, replaceDocument } from '../../shared/core/contract/store.ts';
import { paths, sessionType, timelineEventType } from '../../shared/lists/documents.ts';
import { startApiBench } from '../support/apiBench.ts';
import { sampleEvent, sampleSession } from '../support/samples.ts';

const SESSION_READERS = 200;
const LIST_READERS = 500;

/** A Firestore that counts its open listeners. */
async function startFirestore() {
  const database = openDatabase();
  const service = createFirestoreService(database);
  const { Listen } = service.rpcs;
  if (Listen === undefined || !('bidiStream' in Listen)) throw new Error('Listen is a stream');
  let open = 0;
  const counted: typeof Listen = {
    bidiStream(call) {
      open++;
      let isOpen = true;
      const close = () => {
        if (isOpen) open--;
        isOpen = false;
      };
      call.on('end', close);
      call.on('cancelled', close);
      Listen.bidiStream(call);
    },
  };
  const server = await startGrpcServer([{ ...service, rpcs: { ...service.rpcs, Listen: counted } }]);
  vi.stubEnv('FIRESTORE_EMULATOR_HOST', server.host);
  onTestFinished(async () => {
    vi.unstubAllEnvs();
    await server.stop();
    database.close();
  });
  return { open: () => open };
}

it('200 readers of a session and 500 of the list have four listeners, and each gets every change', async () => {
  const firestore = await startFirestore();
  const api = await startApiBench({
    script: { conversations: [{ turns: [{ text: 'Done.' }] }] },
    inMemory: false,
    limits: { streamsPerCaller: 1_000, streamsPerInstance: 1_000 },
  });
  const { store } = api.deps;
  const createdAt = api.deps.clock.now();
  const session = sampleSession({ openStage: null, createdAt });
  const { sessionId } = session;
  await store.commit([createDocument(paths.session(sessionId), sessionType, session)]);

  /** Opens streams. @returns the count of those that have received a text, and a function that ends them. */
  const openAll = async (path: string, count: number) => {
    const texts: string[] = [];
    const readers = await Promise.all(
      Array.from({ length: count }, async (_, index) => {
        const { status, body } = await api.fetch(path);
        expect(status).toBe(200);
        if (body === null) throw new Error('a stream has a body');
        const reader = body.getReader();
        const decoder = new TextDecoder();
        texts[index] = '';
        const read = async (): Promise<void> => {
          const { value, done } = await reader.read();
          texts[index] += decoder.decode(value, { stream: true });
          if (!done) await read();
        };
        const end = read();
        return { end, cancel: () => reader.cancel() };
      }),
    );
    return {
      having: (text: string) => texts.filter((one) => one.includes(text)).length,
      end: () => Promise.all(readers.map(({ end }) => end)),
      cancel: () => Promise.all(readers.map(({ cancel }) => cancel())),
    };
  };
  const ofSession = await openAll(`/v1/sessions/${sessionId}/events`, SESSION_READERS);
  const ofList = await openAll('/v1/sessions/events?since=2020-01-01T00:00:00Z', LIST_READERS);
  await expect.poll(() => ofSession.having('event: session')).toBe(SESSION_READERS);
  await expect.poll(() => ofList.having(sessionId)).toBe(LIST_READERS);
  await expect.poll(firestore.open).toBe(4);

  const event = sampleEvent('llm_response', { sessionId, sequenceNumber: 1, content: 'It is the disk.' });
  await store.commit([
    createDocument(paths.event(sessionId, event.executionId, 1), timelineEventType, event),
  ]);
  await expect.poll(() => ofSession.having('It is the disk.')).toBe(SESSION_READERS);

  const stored = await store.get(paths.session(sessionId), sessionType);
  if (stored === undefined) throw new Error('the session is there');
  const ended = { ...stored.value, status: 'completed' as const, endedAt: createdAt };
  await store.commit([replaceDocument(stored.path, sessionType, ended, stored.version)]);
  await ofSession.end();
  expect(ofSession.having('event: end')).toBe(SESSION_READERS);
  await expect.poll(() => ofList.having('completed')).toBe(LIST_READERS);
  await expect.poll(firestore.open).toBe(1);
  await ofList.cancel();
  await expect.poll(firestore.open).toBe(0);
});
