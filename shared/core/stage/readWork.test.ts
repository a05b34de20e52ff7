import { describe, expect, it } from 'vitest';
import { sampleEvent, sampleMessage } from '../../../test/support/samples.ts';
import { messageType, paths, timelineEventType } from '../../lists/documents.ts';
import { createMemoryStore } from '../../store/memory/memoryStore.ts';
import { type CollectionQuery, createDocument, type Store } from '../contract/store.ts';
import { readWork, readWorkOfUnknown } from './readWork.ts';

const [sessionId, executionId] = ['session-1', '01-kubernetes'];

/** A store with recorded lists: calls and results in turn, and one answer before many results. */
async function storeOf(events: number, messages = 0) {
  const store = createMemoryStore();
  const writes = Array.from({ length: events }, (_, index) => {
    const sequenceNumber = index + 1;
    const callId = `call-${Math.ceil(sequenceNumber / 2)}`;
    const isCall = sequenceNumber % 2 === 1;
    const event = isCall
      ? sampleEvent('llm_tool_call', {
          sequenceNumber,
          content: `k8s.logs(number: ${sequenceNumber})`,
          metadata: { toolName: 'k8s.logs', callId, arguments: '{}' },
        })
      : sampleEvent('tool_result', {
          sequenceNumber,
          content: 'x'.repeat(10_000),
          metadata: { toolName: 'k8s.logs', callId, isError: false, truncated: false, durationMs: 1 },
        });
    return createDocument(paths.event(sessionId, executionId, sequenceNumber), timelineEventType, event);
  });
  for (let sequenceNumber = 1; sequenceNumber <= messages; sequenceNumber++) {
    const message =
      sequenceNumber === 3
        ? sampleMessage({ sequenceNumber })
        : sampleMessage({ sequenceNumber, role: 'tool', blocks: [], providerParts: null });
    writes.push(createDocument(paths.message(sessionId, executionId, sequenceNumber), messageType, message));
  }
  await store.commit(writes);
  const lists: CollectionQuery[] = [];
  const recording: Store = {
    ...store,
    list: (query, type) => {
      lists.push(query);
      return store.list(query, type);
    },
  };
  return { store: recording, lists };
}
const source = (lastEvent: number, lastMessage = 0) => ({ sessionId, executionId, lastEvent, lastMessage });

describe('the work of an execution', () => {
  it('is its calls in order, each with outcome and the head of its result', async () => {
    const { store } = await storeOf(4);
    const work = await readWork(source(4), store);
    expect(work).toMatchObject({ unread: 0, errors: [], lastWords: null });
    expect(work.steps).toEqual(
      [1, 3].map((number) => ({
        what: `k8s.logs(number: ${number})`,
        status: 'completed',
        result: 'x'.repeat(4_000),
        resultBytes: 10_000,
      })),
    );
  });

  it('states that a call has no result where there is none', async () => {
    const { store } = await storeOf(1);
    expect((await readWork(source(1), store)).steps).toEqual([
      { what: 'k8s.logs(number: 1)', status: 'no result', result: '' },
    ]);
  });

  it('is read within bounds, however long the timeline is, and counts events that were not read', async () => {
    const { store, lists } = await storeOf(450);
    const work = await readWork(source(450), store);
    expect(work.unread).toBe(250);
    expect(work.steps).toHaveLength(100);
    expect(work.steps.at(-1)?.what).toBe('k8s.logs(number: 449)');
    const timeline = lists.filter(({ collection }) => collection.endsWith('/timeline'));
    expect(timeline.map(({ idRange }) => idRange)).toEqual(
      Array.from({ length: 8 }, (_, page) => ({
        from: `01-kubernetes.000${251 + 25 * page}`,
        to: `01-kubernetes.000${275 + 25 * page}`,
      })),
    );
  });

  it('holds the last words of its agent, also behind many results', async () => {
    const { store } = await storeOf(2, 60);
    expect((await readWork(source(2, 60), store)).lastWords).toBe('I look at the events.');
  });

  it('searches the newest messages for them and no others', async () => {
    const { store, lists } = await storeOf(2, 200);
    expect((await readWork(source(2, 200), store)).lastWords).toBeNull();
    expect(lists.filter(({ collection }) => collection.endsWith('/messages'))).toHaveLength(3);
  });

  it('is the start of a timeline whose end is unknown', async () => {
    const { store } = await storeOf(150);
    expect((await readWorkOfUnknown(sessionId, executionId, store)).steps).toHaveLength(50);
  });
});
