// Drives two investigations, message by message and taking turns, with a model and a tool that answer at once: what is
// left is ours. One instance keeps the messages it knows, the other one meets its execution anew in every iteration.

import { randomUUID } from 'node:crypto';
import { PubSub } from '@google-cloud/pubsub';
import type { LlmClient } from '../../shared/contract/llm.ts';
import { type Publisher, TOPICS } from '../../shared/contract/publisher.ts';
import { create, type Store } from '../../shared/contract/store.ts';
import type { ToolExecutor } from '../../shared/contract/tools.ts';
import { createLogger } from '../../shared/log.ts';
import { type RuntimeDeps, systemClock } from '../../shared/runtime/deps.ts';
import {
  type ConversationCache,
  createConversationCache,
} from '../../shared/runtime/iteration/conversationCache.ts';
import { runIteration } from '../../shared/runtime/iteration/runIteration.ts';
import { startStage } from '../../shared/runtime/stage/startStage.ts';
import { NO_TOKENS } from '../../shared/schema/common.ts';
import { paths, sessionType } from '../../shared/schema/documents.ts';
import { DEFAULT_TENANT, type Session } from '../../shared/schema/session.ts';
import { openCloud } from '../../shared/wiring/openCloud.ts';

const TOOL = 'bench.read';
const RESULT = 'x'.repeat(2_000);

/** What one iteration asked of the store. */
interface StoreWork {
  commits: number;
  documents: number;
  /** Of the encoded documents, as JSON. */
  bytes: number;
  reads: number;
}

/** What many iterations took. */
interface Measured {
  /** Milliseconds of each iteration, publish included. */
  times: number[];
  /** Milliseconds of processor time of this process in each iteration, garbage collection included. */
  cpuTimes: number[];
  early: StoreWork;
  late: StoreWork;
}

/** Iterations of an instance that keeps messages, and of one that reads all of them every time. */
export type Instances = Record<'warm' | 'cold', Measured>;

/** Runs `iterations` iterations of each in the project and on the emulators that this process's environment names. */
export async function measureIterations(iterations: number): Promise<Instances> {
  const { projectId, publisher, ...cloud } = openCloud(process.env);
  const pubsub = new PubSub({ projectId });
  await pubsub.topic(TOPICS.iterations).get({ autoCreate: true });
  try {
    const warm = await startInvestigation(iterations, { ...cloud, publisher }, createConversationCache());
    const cold = await startInvestigation(iterations, { ...cloud, publisher }, createConversationCache(0));
    for (let iteration = 1; iteration <= iterations; iteration++) {
      // The order changes, so that neither always comes after the other.
      for (const run of iteration % 2 === 0 ? [warm, cold] : [cold, warm]) await run.next();
    }
    return { warm: warm.measured(), cold: cold.measured() };
  } finally {
    await Promise.all([cloud.close(), pubsub.close()]);
  }
}

/** An investigation that was begun, and what its iterations took. */
async function startInvestigation(
  iterations: number,
  cloud: { store: Store; publisher: Publisher },
  conversations: ConversationCache,
) {
  const work: StoreWork = { commits: 0, documents: 0, bytes: 0, reads: 0 };
  const deps: RuntimeDeps = {
    store: counted(cloud.store, work),
    publisher: cloud.publisher,
    llm: instantModel(),
    connectTools: () => Promise.resolve(instantTool()),
    clock: systemClock,
    agentCache: new Map(),
    conversations,
    newId: randomUUID,
    log: createLogger({ LOG_LEVEL: 'silent' }),
  };
  const session = benchSession(iterations);
  const { sessionId, createdAt } = session;
  const { executions, writes } = startStage(
    session,
    { index: 1, kind: 'investigation', findings: [] },
    createdAt,
  );
  const executionId = executions[0]?.executionId ?? '';
  await cloud.store.commit([create(paths.session(sessionId), sessionType, session), ...writes]);

  const times: number[] = [];
  const cpuTimes: number[] = [];
  const perIteration: StoreWork[] = [];
  return {
    async next(): Promise<void> {
      Object.assign(work, { commits: 0, documents: 0, bytes: 0, reads: 0 });
      const startedAt = performance.now();
      const cpuBefore = process.cpuUsage();
      await runIteration(
        { schemaVersion: 1, sessionId, executionId, iteration: times.length + 1 },
        null,
        deps,
      );
      const { user, system } = process.cpuUsage(cpuBefore);
      cpuTimes.push((user + system) / 1_000);
      times.push(performance.now() - startedAt);
      perIteration.push({ ...work });
    },
    measured: (): Measured => ({
      times,
      cpuTimes,
      early: perIteration[4] ?? work,
      late: perIteration.at(-1) ?? work,
    }),
  };
}

function counted(store: Store, work: StoreWork): Store {
  return {
    ...store,
    get(path, type) {
      work.reads++;
      return store.get(path, type);
    },
    list(query, type) {
      work.reads++;
      return store.list(query, type);
    },
    commit(writes) {
      work.commits++;
      work.documents += writes.length;
      for (const { type, value } of writes) {
        work.bytes += Buffer.byteLength(JSON.stringify(type.encode(value as never)));
      }
      return store.commit(writes);
    },
  };
}

/** Always asks for one more tool call. */
function instantModel(): LlmClient {
  return {
    generate(request) {
      const callId = `call_${request.messages.length}`;
      // Never the same call a third time, which would not be run.
      const args = { object: `pod-${request.messages.length}` };
      const signature = 'x'.repeat(800);
      const part = {
        functionCall: { name: 'bench__read', args },
        thoughtSignature: signature,
      };
      const { provider, model } = request.model;
      return Promise.resolve({
        text: '',
        groundings: [],
        citations: [],
        codeExecutions: [],
        searchEntryPoint: null,
        finishMessage: null,
        truncated: false,
        finishReason: 'STOP',
        thinking: 'One more look.',
        toolCalls: [{ callId, name: TOOL, arguments: JSON.stringify(args) }],
        blocks: [
          {
            blockType: 'tool_use',
            toolUseId: callId,
            toolName: TOOL,
            input: JSON.stringify(args),
            provider,
            providerData: JSON.stringify({ thought_signature: signature }),
            sequence: 0,
          },
        ],
        replay: { provider, model, data: JSON.stringify([part]) },
        usage: { ...NO_TOKENS, input: 100, output: 10, total: 110 },
        modelVersion: 'instant',
      });
    },
  };
}

function instantTool(): ToolExecutor {
  return {
    missing: [],
    list: () => [{ name: TOOL, description: 'Reads.', inputSchema: { type: 'object' }, readOnly: true }],
    execute: ({ callId, name }) =>
      Promise.resolve({
        callId,
        name,
        content: RESULT,
        isError: false,
        truncated: false,
        durationMs: 0,
        timedOut: false,
      }),
    close: () => Promise.resolve(),
  };
}

function benchSession(iterations: number): Session {
  const now = new Date();
  const limits = {
    maxIterations: iterations + 1,
    iterationTimeoutMs: 60_000,
    toolTimeoutMs: 60_000,
    toolResultBytes: 64_000,
    afterFailure: 'fail' as const,
  };
  const agent = {
    name: 'bench',
    strategy: 'native-thinking' as const,
    instructions: 'Look.',
    model: { provider: 'google' as const, model: 'instant', includeThoughts: true },
    tools: ['bench'],
    nativeTools: [],
    combineNativeTools: false,
    limits,
  };
  return {
    sessionId: `bench-${iterations}-${randomUUID().slice(0, 8)}`,
    tenantId: DEFAULT_TENANT,
    userId: null,
    kind: 'investigation',
    status: 'in_progress',
    alert: {
      source: 'text',
      title: 'bench',
      status: 'firing',
      severity: null,
      identity: null,
      summary: null,
      url: null,
      runbookUrl: null,
      startedAt: null,
      labels: {},
      bodyBytes: 5,
    },
    alertText: 'bench',
    chain: { name: 'bench', stages: [{ name: 'bench', agents: [agent], synthesis: null }] },
    currentStageId: '01-bench',
    openStage: null,
    finalAnalysis: null,
    executiveSummary: null,
    partial: null,
    caveats: [],
    tokens: NO_TOKENS,
    failure: null,
    deadline: new Date(now.getTime() + 3_600_000),
    dueAt: null,
    expireAt: new Date(now.getTime() + 3_600_000),
    traceparent: null,
    createdAt: now,
    endedAt: null,
  };
}
