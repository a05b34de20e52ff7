// What an investigation asks of Google Cloud, from alert to analysis, and its price.

import { randomUUID } from 'node:crypto';
import { FIRESTORE_PRICES } from '../../cli/google/firestorePrices.ts';
import { withLimits } from '../../shared/config/budgets.ts';
import type { Budgets, SessionConfig } from '../../shared/config/config.ts';
import { mapAgents } from '../../shared/config/mapAgents.ts';
import { NO_RUNBOOKS } from '../../shared/config/runbooks.ts';
import { ALL_ON } from '../../shared/contract/switches.ts';
import type { LlmClient, LlmResponse } from '../../shared/core/contract/llm.ts';
import { TOPICS } from '../../shared/core/contract/publisher.ts';
import { runIteration } from '../../shared/core/iteration/runIteration.ts';
import { systemClock } from '../../shared/core/kernel/deps.ts';
import { type ChainSnapshot, SUMMARY_STRATEGY } from '../../shared/core/schema/agent.ts';
import { handleTick } from '../../shared/engine/handleTick.ts';
import { ingestAlert } from '../../shared/features/alerts/ingestAlert.ts';
import { intakeFeatures } from '../../shared/lists/intakeFeatures.ts';
import { FEATURES } from '../../shared/lists/iterationFeatures.ts';
import { SWEEP_FEATURES } from '../../shared/lists/sweepFeatures.ts';
import { createLogger } from '../../shared/log.ts';
import { DEFAULT_MASKING } from '../../shared/masking/masker.ts';
import { createMemoryPublisher } from '../../shared/store/memory/memoryPublisher.ts';
import { createMemoryStore } from '../../shared/store/memory/memoryStore.ts';
import { composeState } from '../../shared/wiring/composeState.ts';
import { benchDeps } from './benchDeps.ts';
import { benchSession, instantModel } from './instantWorld.ts';
import { type RecordedCall, recordCalls } from './recordedCalls.ts';

// List prices in US dollars, us-central1, without free tiers and discounts, as of November 2026:
// cloud.google.com/run/pricing, cloud.google.com/pubsub/pricing, cloud.google.com/scheduler/pricing,
// ai.google.dev/gemini-api/docs/pricing. Those of Firestore are in cli/google/firestorePrices.ts.

const MILLION = 1_000_000;

/** For one of each. */
export const PRICES = {
  ...FIRESTORE_PRICES,
  /** Published, and again delivered. */
  messageByte: 40 / 2 ** 40,
  call: 0.4 / MILLION,
  cpuSecond: 0.000024,
  gibibyteSecond: 0.0000025,
  scheduledJobMonth: 0.1,
  /** gemini-3.8-flash from 2027 on; until then it is half of it. */
  inputToken: 1.5 / MILLION,
  cachedInputToken: 0.15 / MILLION,
  outputToken: 7.5 / MILLION,
};

/** What Pub/Sub counts for a smaller message. */
export const MIN_MESSAGE_BYTES = 1_000;

/** What was assumed where nothing can be counted without the cloud and the model. */
export const ASSUMED = {
  /** From question to answer; a function is paid for while it waits. */
  modelSeconds: 8,
  toolSeconds: 0.5,
  /** Our own part, on one processor. */
  ownSeconds: 0.05,
  cpus: 1,
  /** Of an instance that runs iterations, and of one that sweeps (functions/manifest.ts). */
  iterationGibibytes: 1,
  sweepGibibytes: 0.25,
  /** System prompt, tools and alert. */
  firstPromptTokens: 3_000,
  /** A call, its result of 2 kB and the thought signature. */
  addedTokens: 700,
  /** Thinking included. */
  outputTokens: 400,
  /** The executive summary is asked with its own prompt, the alert and the analysis. */
  summaryPromptTokens: 2_500,
  sweepSeconds: 0.2,
};
const MINUTES_OF_A_MONTH = 30 * 24 * 60;

/** What one investigation asked for. */
export interface Operations {
  iterations: number;
  calls: number;
  reads: number;
  writes: number;
  /** Documents that are there in the end. */
  documents: number;
  messages: number;
  /** As Pub/Sub counts them, published and delivered. */
  messageBytes: number;
}

/** Dollars. */
export interface Cost {
  firestore: number;
  pubsub: number;
  functions: number;
  /** When nothing of a prompt is cached, and when all of the prompt before is. */
  model: { uncached: number; cached: number };
  /** What of `functions` and `model` is the executive summary. */
  summary: number;
}

/**
 * Runs an investigation of so many iterations in memory, with one call and a result of 2 kB in each but the
 * last, and its executive summary.
 */
export async function countInvestigation(iterations: number): Promise<Operations> {
  const memoryPublisher = createMemoryPublisher();
  const recorder = recordCalls({ store: createMemoryStore(), publisher: memoryPublisher });
  const deps = benchDeps({
    store: recorder.store,
    publisher: recorder.publisher,
    llm: concluding(instantModel(), iterations),
  });
  const data = Buffer.from('Checkout is slow: p99 of 4 s since 10:20.');
  const message = {
    messageId: randomUUID(),
    data,
    attributes: {},
    publishedAt: null,
    traceparent: null,
    deliveryAttempt: null,
  };
  await ingestAlert(message, benchConfig(iterations), deps, intakeFeatures(ALL_ON));
  let handled = 0;
  for (; handled < memoryPublisher.published.length; handled++) {
    const { topic, data: bytes } = memoryPublisher.published[handled] ?? { topic: TOPICS.alerts };
    if (topic !== TOPICS.iterations || bytes === undefined) continue;
    const outcome = await runIteration(JSON.parse(bytes.toString()), null, deps, FEATURES);
    if (outcome.kind !== 'ran') throw new Error(`an iteration was not run but ${outcome.kind}`);
  }
  const calls = recorder.take();
  const wanted = iterations + 1;
  if (handled !== wanted) throw new Error(`${handled} iterations with the summary instead of ${wanted}`);
  return operationsOf(calls, iterations, data.length);
}

/** What a sweep asks of Firestore when there is nothing to do. */
export async function countIdleSweep(): Promise<{ reads: number; writes: number }> {
  const recorder = recordCalls({ store: createMemoryStore(), publisher: createMemoryPublisher() });
  const log = createLogger({ LOG_LEVEL: 'silent' });
  const { store, publisher } = recorder;
  const deps = composeState({
    store,
    publisher,
    clock: systemClock,
    log,
  });
  // The first one finds no mark, and lists.
  await handleTick(deps, SWEEP_FEATURES);
  recorder.take();
  await handleTick(deps, SWEEP_FEATURES);
  const calls = recorder.take();
  return { reads: readsOf(calls), writes: writesOf(calls) };
}

/** What an investigation costs at list prices. */
export function costOf({ iterations, calls, reads, writes, documents, messageBytes }: Operations): Cost {
  const call = ASSUMED.modelSeconds + ASSUMED.ownSeconds;
  // The executive summary is one more.
  const seconds = (iterations + 1) * call + (iterations - 1) * ASSUMED.toolSeconds;
  const { summary, ...model } = modelCost(iterations, PRICES);
  return {
    firestore:
      reads * PRICES.documentRead + writes * PRICES.documentWrite + documents * PRICES.documentDelete,
    pubsub: messageBytes * PRICES.messageByte,
    functions: calls * PRICES.call + seconds * secondOfInstance(ASSUMED.iterationGibibytes),
    model,
    summary: summary + PRICES.call + call * secondOfInstance(ASSUMED.iterationGibibytes),
  };
}

/** The tokens of an iteration's request, from 1. */
export const promptTokens = (iteration: number): number =>
  ASSUMED.firstPromptTokens + (iteration - 1) * ASSUMED.addedTokens;

/** What the model of an investigation costs, with its summary, which is also given alone. */
export function modelCost(
  iterations: number,
  prices: Pick<typeof PRICES, 'inputToken' | 'cachedInputToken' | 'outputToken'>,
): Cost['model'] & { summary: number } {
  const prompts = Array.from({ length: iterations }, (_, index) => promptTokens(index + 1));
  const input = sum(prompts);
  const repeated = sum(prompts.slice(0, -1));
  const output = iterations * ASSUMED.outputTokens * prices.outputToken;
  const summary = ASSUMED.summaryPromptTokens * prices.inputToken + ASSUMED.outputTokens * prices.outputToken;
  return {
    uncached: input * prices.inputToken + output + summary,
    cached: repeated * prices.cachedInputToken + (input - repeated) * prices.inputToken + output + summary,
    summary,
  };
}

/** What a month costs in which nothing happens: the sweep and its schedule. */
export function idleMonth({ reads, writes }: { reads: number; writes: number }): number {
  const documents = reads * PRICES.documentRead + writes * PRICES.documentWrite;
  const each = documents + PRICES.call + ASSUMED.sweepSeconds * secondOfInstance(ASSUMED.sweepGibibytes);
  return PRICES.scheduledJobMonth + MINUTES_OF_A_MONTH * each;
}

/** A function is paid alone, as if no two calls ever shared an instance. */
export function secondOfInstance(
  gibibytes: number,
  prices: Pick<typeof PRICES, 'cpuSecond' | 'gibibyteSecond'> = PRICES,
): number {
  return ASSUMED.cpus * prices.cpuSecond + gibibytes * prices.gibibyteSecond;
}

/** The sums of recorded calls. @param alertBytes of the alert, which its sender publishes. */
export function operationsOf(calls: RecordedCall[], iterations: number, alertBytes: number): Operations {
  const writes = calls.flatMap((call) => (call.kind === 'commit' ? call.writes : []));
  const published = calls.flatMap((call) => (call.kind === 'publish' ? [call.data.length] : []));
  // The alert is published as well, by who sends it.
  const sizes = [alertBytes, ...published].map((bytes) => Math.max(bytes, MIN_MESSAGE_BYTES));
  return {
    iterations,
    calls: sizes.length,
    reads: readsOf(calls),
    writes: writesOf(calls),
    documents: new Set(writes.map(({ path }) => path)).size,
    messages: sizes.length,
    messageBytes: 2 * sum(sizes),
  };
}

function writesOf(calls: RecordedCall[]): number {
  return sum(
    calls.map((call) => (call.kind === 'commit' ? call.writes.length : call.kind === 'increment' ? 1 : 0)),
  );
}

/** An empty result is paid as one document. */
function readsOf(calls: RecordedCall[]): number {
  return sum(
    calls.map((call) => (call.kind === 'get' ? 1 : call.kind === 'list' ? Math.max(1, call.documents) : 0)),
  );
}

function sum(values: number[]): number {
  return values.reduce((all, value) => all + value, 0);
}

/** The same model, whose last answer is text, as is one without tools: a summary. */
export function concluding(model: LlmClient, iterations: number): LlmClient {
  return {
    async generate(request, options): Promise<LlmResponse> {
      const answer = await model.generate(request, options);
      const asked = 1 + request.messages.filter(({ role }) => role === 'assistant').length;
      if (asked < iterations && request.tools.length > 0) return answer;
      const text = 'The database ran out of connections.';
      const { provider, model: name } = request.model;
      const replay = { provider, model: name, data: JSON.stringify([{ text }]) };
      return {
        ...answer,
        text,
        toolCalls: [],
        replay,
        blocks: [{ blockType: 'text', textContent: text, sequence: 0 }],
      };
    },
  };
}

/** The agent of the bench, as the one that writes the executive summary. */
function summaryOf({ stages }: ChainSnapshot): Pick<ChainSnapshot, 'summary'> {
  const agent = stages[0]?.agents[0];
  if (agent === undefined) return {};
  return { summary: { ...agent, name: SUMMARY_STRATEGY, strategy: SUMMARY_STRATEGY, tools: [] } };
}

/** One chain of one agent, with a summary. @param budgets Default: none. */
export function benchConfig(
  iterations: number,
  budgets: Budgets = { sessionsPerHour: [], dailyTokens: [] },
): SessionConfig {
  const { chain } = benchSession(iterations);
  const day = 86_400_000;
  return {
    chains: {
      bench: mapAgents({ ...chain, ...summaryOf(chain) }, (agent) =>
        withLimits(agent, [], budgets.dailyTokens),
      ),
    },
    defaultChain: 'bench',
    alertRules: {},
    sessionDeadlineMs: () => day,
    retentionMs: 30 * day,
    budgets: () => budgets,
    ownServices: [],
    alertPromptBytes: 100_000,
    masking: DEFAULT_MASKING,
    runbooks: NO_RUNBOOKS,
  };
}
