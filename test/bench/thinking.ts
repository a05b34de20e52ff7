// Instance-seconds and dollars of an investigation whose model thinks for half a minute each time: a function
// that waits, and none. Calls run in this process on the local cloud, and ask a scripted Gemini over HTTP.
// Thoughts are a hundred times as short; a call that waited for one is counted with the whole thought.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { startScriptedModel } from '../../local/scriptedModel/startScriptedModel.ts';
import { mapAgents } from '../../shared/config/mapAgents.ts';
import { TOPICS } from '../../shared/core/contract/publisher.ts';
import { createDocument, type Store } from '../../shared/core/contract/store.ts';
import { runIteration } from '../../shared/core/iteration/runIteration.ts';
import { isTerminal } from '../../shared/core/schema/common.ts';
import { startStage } from '../../shared/core/stage/startStage.ts';
import { takeWebhook } from '../../shared/features/interactions/takeWebhook.ts';
import { readWebhook, verifyWebhook } from '../../shared/features/interactions/verifyWebhook.ts';
import { executionType, paths, sessionType } from '../../shared/lists/documents.ts';
import { FEATURES } from '../../shared/lists/iterationFeatures.ts';
import { STAGE_FEATURES } from '../../shared/lists/stageFeatures.ts';
import { createLlmClient } from '../../shared/llm/chooseClient.ts';
import { createBackgroundModel } from '../../shared/llm/interactions/backgroundModel.ts';
import { createMemoryPublisher } from '../../shared/store/memory/memoryPublisher.ts';
import { openCloud } from '../../shared/wiring/openCloud.ts';
import { openNoticeKeys } from '../../shared/wiring/openNoticeKeys.ts';
import { INQUEST_WORDING } from '../../shared/wording/inquest.ts';
import { benchDeps } from './benchDeps.ts';
import { benchSession } from './instantWorld.ts';
import { ASSUMED, operationsOf, PRICES, secondOfInstance } from './money.ts';
import { recordCalls } from './recordedCalls.ts';

const ITERATIONS = 20;
const THOUGHT_MS = 30_000;
const SCALE = 100;
/** Cloud Run bills each start of this time. */
const BILLED_MS = 100;

/** The wait of the model: a function waits for each answer, or none does. */
export type Wait = 'inline' | 'background';

/** The measurements of one investigation. */
export interface Thinking {
  /** Calls of functions and of the route of webhooks. */
  calls: number;
  /** Each call alone on an instance, thoughts included where it waited, billed by 100 ms. */
  instanceSeconds: number;
  /** Milliseconds of each call without thoughts. */
  ownMs: number[];
  /** Milliseconds from the end of each thought to its first stored event. */
  firstEventMs: number[];
  /** At list prices, without the model. */
  dollars: (concurrency: number) => number;
}

/** Runs one investigation on the emulators of the environment. */
export async function measureThinking(wait: Wait): Promise<Thinking> {
  const cloud = openCloud(process.env);
  const publisher = createMemoryPublisher();
  const ended = { thoughtAt: 0 };
  const gemini = await startScriptedModel({
    script: { conversations: [{ turns: listTurns() }] },
    sleep: async (ms, signal) => {
      if (ms === 0) return;
      await delay(ms, undefined, { signal });
      ended.thoughtAt = performance.now();
    },
  });
  const env = { GOOGLE_GEMINI_BASE_URL: gemini.url, GEMINI_API_KEY: 'bench' };
  const firstEventMs: number[] = [];
  const recorder = recordCalls({ store: noteEvents(cloud.store, ended, firstEventMs), publisher });
  const webhooks = await receiveWebhooks(env, recorder);
  const llm = createLlmClient({ env, log: () => {} });
  const background = createBackgroundModel({ env, webhookUrl: () => webhooks.url });
  const deps = Object.assign(benchDeps({ store: recorder.store, publisher: recorder.publisher, llm }), {
    background,
  });
  try {
    const { sessionId, executionId } = await openSession(wait, cloud.store);
    const times: number[] = [];
    let handled = 0;
    const isOver = async () => {
      const found = await cloud.store.get(paths.execution(sessionId, executionId), executionType);
      return found !== undefined && isTerminal(found.value.status);
    };
    let message: unknown = { schemaVersion: 1, sessionId, executionId, iteration: 1 };
    for (;;) {
      const startedAt = performance.now();
      await runIteration(message as Parameters<typeof runIteration>[0], null, deps, FEATURES);
      times.push(performance.now() - startedAt);
      if (await isOver()) break;
      const next = () => publisher.published.slice(handled).find(({ topic }) => topic === TOPICS.iterations);
      while (next() === undefined) await delay(1);
      const found = next();
      handled = publisher.published.indexOf(found as never) + 1;
      message = JSON.parse(String(found?.data));
    }
    const waited = wait === 'inline' ? THOUGHT_MS / SCALE : 0;
    const ownMs = [...times.map((ms) => Math.max(0, ms - waited)), ...webhooks.times];
    const whole = [
      ...times.map((ms) => (wait === 'inline' ? ms - waited + THOUGHT_MS : ms)),
      ...webhooks.times,
    ];
    const billedMs = whole.map((ms) => Math.ceil(ms / BILLED_MS) * BILLED_MS);
    const instanceSeconds = billedMs.reduce((all, ms) => all + ms, 0) / 1_000;
    const { reads, writes, documents, messageBytes } = operationsOf(recorder.take(), ITERATIONS, 0);
    const fixed =
      reads * PRICES.documentRead +
      writes * PRICES.documentWrite +
      documents * PRICES.documentDelete +
      messageBytes * PRICES.messageByte +
      whole.length * PRICES.call;
    const second = secondOfInstance(ASSUMED.iterationGibibytes);
    return {
      calls: whole.length,
      instanceSeconds,
      ownMs,
      firstEventMs,
      dollars: (concurrency) => fixed + (instanceSeconds / concurrency) * second,
    };
  } finally {
    await Promise.all([gemini.stop(), webhooks.stop(), cloud.close()]);
  }
}

/** A call in each turn but the last. */
function listTurns() {
  const firstDelayMs = THOUGHT_MS / SCALE;
  return Array.from({ length: ITERATIONS }, (_, index) =>
    index + 1 < ITERATIONS
      ? {
          firstDelayMs,
          thinking: 'One more look.',
          toolCalls: [{ name: 'bench.read', args: { object: `pod-${index}` } }],
        }
      : { firstDelayMs, text: 'The database ran out of connections.' },
  );
}

async function openSession(wait: Wait, store: Store): Promise<{ sessionId: string; executionId: string }> {
  const session = benchSession(ITERATIONS);
  const model = { model: 'gemini-3.8-flash', api: 'interactions', wait } as const;
  session.chain = mapAgents(session.chain, (agent) => ({ ...agent, model: { ...agent.model, ...model } }));
  const stage = { index: 1, kind: 'investigation' as const, findings: [] };
  const { executions, writes } = startStage(session, stage, session.createdAt, {
    wording: INQUEST_WORDING,
    stageFeatures: STAGE_FEATURES,
  });
  const { sessionId } = session;
  await store.commit([createDocument(paths.session(sessionId), sessionType, session), ...writes]);
  return { sessionId, executionId: executions[0]?.executionId ?? '' };
}

/** A store that notes how long after a thought its first event is stored. */
function noteEvents(store: Store, ended: { thoughtAt: number }, firstEventMs: number[]): Store {
  return {
    ...store,
    async commit(writes) {
      const result = await store.commit(writes);
      if (ended.thoughtAt > 0 && writes.some(({ path }) => path.includes('/timeline/'))) {
        firstEventMs.push(performance.now() - ended.thoughtAt);
        ended.thoughtAt = 0;
      }
      return result;
    },
  };
}

/** The route of webhooks without the rest of the API, and the time of each of its calls. */
async function receiveWebhooks(env: Record<string, string>, deps: Parameters<typeof takeWebhook>[1]) {
  const keys = openNoticeKeys(env);
  const times: number[] = [];
  const server = createServer(async (request, response) => {
    const startedAt = performance.now();
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const body = Buffer.concat(pieces);
    const header = (name: string) => request.headers[name] as string | undefined;
    const isSigned = (await verifyWebhook({ header, body }, keys, new Date())) !== undefined;
    const event = readWebhook('', body);
    if (!isSigned || event === undefined) throw new Error('a webhook of the bench was refused');
    await takeWebhook(event, deps);
    response.end();
    times.push(performance.now() - startedAt);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    times,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () => new Promise<void>((resolve) => server.close(() => resolve()).closeAllConnections()),
  };
}
