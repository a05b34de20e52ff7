// Work per iteration does not grow with its number (invariant I6): what 200 iterations sent and read, counted
// on the wire between the SDK and Firestore. An instance that knows the execution reads nothing else, one
// that does not reads the conversation once. Only counts and bytes are judged, never time.

import { describe, expect, it, onTestFinished } from 'vitest';
import { createConversationCache } from '../../shared/core/kernel/conversation/conversationCache.ts';
import type { RuntimeDeps } from '../../shared/core/kernel/deps.ts';
import { paths } from '../../shared/lists/documents.ts';
import { asObject } from '../../shared/text/json.ts';
import { EXECUTION, startBench } from '../support/harness.ts';
import { startTextServer } from '../tools/httpServer.ts';
import { type MethodCounts, tapFirestore, type WireCounts } from './firestoreWire.ts';

const ITERATIONS = 200;
/** The first of those compared: connections are open by then, and nothing is special about it. */
const EARLY = 5;
const RESULT_LENGTH = 2_000;
/**
 * Whatever were kept of every iteration, be it one array element in one document, would take at least four
 * bytes of each in every write of that document. What may differ is the encoded length of numbers and times:
 * some 60 bytes were seen in an iteration's 15 kB. A byte an iteration lies between.
 */
const MAX_GROWTH_BYTES = ITERATIONS - EARLY;

interface Measured {
  sessionId: string;
  /** What each iteration did, in order. */
  iterations: WireCounts[];
  /** Bytes of the message each iteration was started by. */
  messageBytes: number[];
  /** The next iteration by an instance that first meets the execution, then by the first. */
  cold: WireCounts;
  stale: WireCounts;
  /** The last request's contents of the first, the cold and the stale instance, without end. */
  shown: string[];
  modelCalls: number;
  status: string;
}

let measuring: Promise<Measured> | undefined;
/** One investigation for all tests; the first of them to ask has it run. */
const measured = (): Promise<Measured> => {
  measuring ??= investigateCounting();
  return measuring;
};

describe(`an investigation of ${ITERATIONS} iterations with a tool result of 2 kB each`, () => {
  it('completes with one model call an iteration', async () => {
    const { status, modelCalls } = await measured();
    expect(status).toBe('completed');
    expect(modelCalls).toBe(ITERATIONS + 3);
  });

  it('makes the same calls in every iteration but the first: one read of two documents, three commits', async () => {
    const { iterations } = await measured();
    const [first, ...later] = iterations.map(callsOf);
    // The execution and the control state, which nobody has written. The instance meets the agent and the
    // conversation in the first one, pins the tools, and reads whether the installation is paused, which it
    // does every five seconds, and whether its model was out, which it does every minute.
    expect(first).toEqual({ BatchGetDocuments: 3, RunQuery: 1, Commit: 4 });
    for (const calls of later) expect(calls).toEqual({ BatchGetDocuments: 1, Commit: 3 });
  });

  it('writes the same number of documents in every iteration', async () => {
    const { iterations } = await measured();
    // The execution per commit; an answer, its record, a thought, a call; a result twice.
    const [first, ...later] = iterations.map(({ Commit }) => Commit?.written.length);
    expect(new Set(later)).toEqual(new Set([9]));
    // And what the tools were: their pins, and their list.
    expect(first).toBe(11);
  });

  it('sends as many bytes at the end as at the start', async () => {
    const { iterations } = await measured();
    for (const method of ['Commit', 'BatchGetDocuments']) {
      const sent = iterations.map((counts) => counts[method]?.sentBytes ?? 0);
      expect(growth(sent), `bytes sent by ${method}`).toBeLessThan(MAX_GROWTH_BYTES);
    }
  });

  it('keeps the size of the execution document', async () => {
    const { iterations, sessionId } = await measured();
    const path = paths.execution(sessionId, EXECUTION);
    const sizes = iterations.map(({ Commit }) => largest(Commit, path));
    expect(sizes[0]).toBeGreaterThan(0);
    expect(growth(sizes)).toBeLessThan(MAX_GROWTH_BYTES);
  });

  it('reads only the execution, and in the first iteration the agent and the messages', async () => {
    const { iterations, sessionId } = await measured();
    const [first, ...later] = iterations;
    // There are no pins yet.
    expectColdRead(first, sessionId, 2, []);
    for (const { BatchGetDocuments } of later) {
      expect(pathsOf(BatchGetDocuments)).toEqual([paths.execution(sessionId, EXECUTION)]);
    }
  });

  it('reads no more bytes at the end than at the start', async () => {
    const { iterations } = await measured();
    const received = iterations.map(({ BatchGetDocuments }) => BatchGetDocuments?.receivedBytes ?? 0);
    expect(growth(received)).toBeLessThan(MAX_GROWTH_BYTES);
  });

  it('reads the whole conversation once, in one query, when another instance takes its turn at the end', async () => {
    const { cold, sessionId } = await measured();
    expect(callsOf(cold)).toEqual({ BatchGetDocuments: 2, RunQuery: 1, Commit: 3 });
    // Two messages began it, each iteration added an answer and a result.
    expectColdRead(cold, sessionId, 2 + 2 * ITERATIONS, [paths.pinnedTools(sessionId, 'text')]);
  });

  it('reads in one query the documents that another instance wrote meanwhile', async () => {
    const { stale, sessionId } = await measured();
    expect(callsOf(stale)).toEqual({ BatchGetDocuments: 1, RunQuery: 1, Commit: 3 });
    expect(pathsOf(stale.RunQuery)).toEqual(messagePaths(sessionId, 4 + 2 * ITERATIONS, 2));
  });

  it('shows the model the same after a warm, a cold and a stale read', async () => {
    const { shown } = await measured();
    const [warm = '', cold = '', stale = ''] = shown;
    expect(warm.length).toBeGreaterThan(ITERATIONS * RESULT_LENGTH);
    expect(cold.startsWith(warm)).toBe(true);
    expect(stale.startsWith(cold)).toBe(true);
  });

  it('publishes messages of the same size, but for the digits of the iteration', async () => {
    const { messageBytes } = await measured();
    const withoutDigits = messageBytes.map((bytes, index) => bytes - String(index + 1).length);
    expect(new Set(withoutDigits).size).toBe(1);
  });
});

async function investigateCounting(): Promise<Measured> {
  const wire = await tapFirestore();
  const server = await startTextServer();
  onTestFinished(() => server.close());
  const turns = Array.from({ length: ITERATIONS + 2 }, (_, index) => {
    // All of one length, so that what differs on the wire is ours.
    const label = String(index + 1).padStart(3, '0');
    const args = { length: RESULT_LENGTH, pattern: `line ${label}\n` };
    return { thinking: `Look number ${label}.`, toolCalls: [{ name: 'text.text', args }] };
  });
  const bench = await startBench({
    agent: {
      tools: ['text'],
      limits: { maxIterations: ITERATIONS + 3 },
    },
    servers: { text: { transport: 'http', url: server.url } },
    script: { conversations: [{ turns: [...turns, { text: 'Done.' }] }] },
    deadlineMs: 3_600_000,
  });
  const sessionId = await bench.publishAlert();
  await bench.deliverNext();
  wire.take();

  const iterations: WireCounts[] = [];
  const messageBytes: number[] = [];
  let modelCalls = 0;
  let last = '';
  const deliver = async (process?: RuntimeDeps) => {
    const message = await bench.deliverNext(process);
    // What was sent is megabytes each, so only the last request is kept.
    const requests = bench.gemini.requests.splice(0);
    modelCalls += requests.length;
    last = contentsOf(requests.at(-1)?.body);
    return message;
  };
  for (let iteration = 1; iteration <= ITERATIONS; iteration++) {
    const message = await deliver();
    iterations.push(wire.take());
    messageBytes.push(message.data.length);
  }
  const shown = [last];
  const kept = { agentCache: new Map(), featureCaches: new Map(), conversations: createConversationCache() };
  await deliver({ ...bench.deps, ...kept });
  const cold = wire.take();
  shown.push(last);
  await deliver();
  const stale = wire.take();
  shown.push(last);
  await bench.drain();
  modelCalls += bench.gemini.requests.length;
  const { session } = await bench.read(sessionId);
  if (process.env.PRINT_MEASURED) print(iterations, messageBytes, cold);
  return { sessionId, iterations, messageBytes, cold, stale, shown, modelCalls, status: session.status };
}

/** The contents of a request as JSON, without the bracket at the end. */
function contentsOf(body: unknown): string {
  return JSON.stringify(asObject(body).contents).slice(0, -1);
}

const callsOf = (counts: WireCounts) =>
  Object.fromEntries(Object.entries(counts).map(([method, { calls }]) => [method, calls]));

/** The paths of the last `count` messages up to number `last`. */
function messagePaths(sessionId: string, last: number, count = last): string[] {
  return Array.from({ length: count }, (_, n) => paths.message(sessionId, EXECUTION, last - count + n + 1));
}

/** Execution and agent are read at the same time, in any order; the messages each once. */
function expectColdRead(
  counts: WireCounts | undefined,
  sessionId: string,
  messages: number,
  pins: string[],
): void {
  const wanted = [paths.execution(sessionId, EXECUTION), paths.agentSnapshot(sessionId, EXECUTION), ...pins];
  expect(pathsOf(counts?.BatchGetDocuments)?.toSorted()).toEqual(wanted.toSorted());
  expect(pathsOf(counts?.RunQuery)).toEqual(messagePaths(sessionId, messages));
}

/** How much more than the early iteration any later one has. */
function growth(values: number[]): number {
  return Math.max(...values.slice(EARLY)) - (values[EARLY - 1] ?? 0);
}

function largest(counts: MethodCounts | undefined, path: string): number {
  return Math.max(0, ...(counts?.written ?? []).filter((d) => d.path === path).map(({ bytes }) => bytes));
}

const pathsOf = (counts: MethodCounts | undefined) => counts?.read.map(({ path }) => path);

/** For docs/performance.md: `PRINT_MEASURED=1 npx vitest run test/core/growth.test.ts`. */
function print(iterations: WireCounts[], messageBytes: number[], cold: WireCounts): void {
  const shown = [EARLY, 50, 100, ITERATIONS].map((iteration) => ({
    iteration: String(iteration),
    counts: iterations[iteration - 1] ?? {},
    bytes: messageBytes[iteration - 1],
  }));
  const rows = [...shown, { iteration: `${ITERATIONS + 1}, cold`, counts: cold, bytes: undefined }].map(
    ({ iteration, counts: { Commit, RunQuery, BatchGetDocuments }, bytes }) => ({
      iteration,
      commits: Commit?.calls,
      'documents written': Commit?.written.length,
      'bytes written': Commit?.sentBytes,
      'execution bytes': Math.max(
        ...(Commit?.written ?? []).filter((d) => d.path.includes('/executions/')).map((d) => d.bytes),
      ),
      'read calls': (RunQuery?.calls ?? 0) + (BatchGetDocuments?.calls ?? 0),
      'documents read': (RunQuery?.read.length ?? 0) + (BatchGetDocuments?.read.length ?? 0),
      'bytes read': (RunQuery?.receivedBytes ?? 0) + (BatchGetDocuments?.receivedBytes ?? 0),
      'message bytes': bytes,
    }),
  );
  console.table(rows);
}
