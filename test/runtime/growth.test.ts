// Work per iteration does not grow with its number (invariant I6): what 200 iterations sent and read, counted on the
// wire between the SDK and Firestore. Only counts and bytes are judged, never time.

import { describe, expect, it, onTestFinished } from 'vitest';
import { paths } from '../../shared/schema/documents.ts';
import { type MethodCounts, tapFirestore, type WireCounts } from '../support/firestoreWire.ts';
import { EXECUTION, startBench } from '../support/harness.ts';
import { startTextServer } from '../tools/httpServer.ts';

const ITERATIONS = 200;
/** The first of those compared: connections are open by then, and nothing is special about it. */
const EARLY = 5;
const RESULT_LENGTH = 2_000;
/**
 * Whatever were kept of every iteration, be it one array element in one document, would take at least four bytes of
 * each in every write of that document. What may differ is the encoded length of numbers and times: some 60 bytes
 * were seen in an iteration's 15 kB. A byte an iteration lies between.
 */
const MAX_GROWTH_BYTES = ITERATIONS - EARLY;

interface Measured {
  sessionId: string;
  /** What each iteration did, in order. */
  iterations: WireCounts[];
  /** Bytes of the message each iteration was started by. */
  messageBytes: number[];
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
    expect(modelCalls).toBe(ITERATIONS + 1);
  });

  it('makes the same calls in every iteration but the first: two reads, three commits', async () => {
    const { iterations } = await measured();
    for (const [index, counts] of iterations.entries()) {
      const calls = Object.entries(counts).map(([method, { calls }]) => [method, calls]);
      // The process meets the agent in the first one.
      const BatchGetDocuments = index === 0 ? 2 : 1;
      expect(Object.fromEntries(calls)).toEqual({ BatchGetDocuments, RunQuery: 1, Commit: 3 });
    }
  });

  it('writes the same number of documents in every iteration', async () => {
    const { iterations } = await measured();
    // The execution with each commit; an answer, its record, a thought, a call; a result as event and as message.
    expect(new Set(iterations.map(({ Commit }) => Commit?.written.length))).toEqual(new Set([9]));
  });

  it('sends as many bytes at the end as at the beginning', async () => {
    const { iterations } = await measured();
    for (const method of ['Commit', 'RunQuery', 'BatchGetDocuments']) {
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

  it('reads the execution and its messages, each once, and the agent the first time, and nothing else', async () => {
    const { iterations, sessionId } = await measured();
    for (const [index, { BatchGetDocuments, RunQuery }] of iterations.entries()) {
      const agent = index === 0 ? [paths.agentSnapshot(sessionId, EXECUTION)] : [];
      // The two are read at the same time, in any order.
      const read = pathsOf(BatchGetDocuments);
      expect(read?.toSorted()).toEqual([paths.execution(sessionId, EXECUTION), ...agent].toSorted());
      // Two messages began it, each iteration before this one added an answer and a result.
      const messages = Array.from({ length: 2 + 2 * index }, (_, n) =>
        paths.message(sessionId, EXECUTION, n + 1),
      );
      expect(pathsOf(RunQuery)).toEqual(messages);
    }
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
  const turns = Array.from({ length: ITERATIONS }, (_, index) => {
    // All of one length, so that what differs on the wire is ours.
    const label = String(index + 1).padStart(3, '0');
    const args = { length: RESULT_LENGTH, pattern: `line ${label}\n` };
    return { thinking: `Look number ${label}.`, toolCalls: [{ name: 'text.text', args }] };
  });
  const bench = await startBench({
    agent: {
      tools: ['text'],
      limits: { maxIterations: ITERATIONS + 1 },
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
  for (let iteration = 1; iteration <= ITERATIONS; iteration++) {
    const message = await bench.deliverNext();
    iterations.push(wire.take());
    messageBytes.push(message.data.length);
    // What was sent is megabytes each, and nobody looks at it.
    modelCalls += bench.gemini.requests.splice(0).length;
  }
  await bench.drain();
  modelCalls += bench.gemini.requests.length;
  const { session } = await bench.read(sessionId);
  if (process.env.PRINT_MEASURED) print(iterations, messageBytes);
  return { sessionId, iterations, messageBytes, modelCalls, status: session.status };
}

/** How much more than the early iteration any later one has. */
function growth(values: number[]): number {
  return Math.max(...values.slice(EARLY)) - (values[EARLY - 1] ?? 0);
}

function largest(counts: MethodCounts | undefined, path: string): number {
  return Math.max(0, ...(counts?.written ?? []).filter((d) => d.path === path).map(({ bytes }) => bytes));
}

const pathsOf = (counts: MethodCounts | undefined) => counts?.read.map(({ path }) => path);

/** For docs/performance.md: `PRINT_MEASURED=1 npx vitest run test/runtime/growth.test.ts`. */
function print(iterations: WireCounts[], messageBytes: number[]): void {
  const rows = [EARLY, 50, 100, ITERATIONS].map((iteration) => {
    const { Commit, RunQuery, BatchGetDocuments } = iterations[iteration - 1] ?? {};
    return {
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
      'message bytes': messageBytes[iteration - 1],
    };
  });
  console.table(rows);
}
