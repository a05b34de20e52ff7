// Drives investigations with a model and a tool that answer at once, message by message and taking turns:
// what is left of an iteration is ours. One instance keeps the messages it knows, another one reads its
// execution again in every iteration, a third one asks through Gemini's SDK; beside them stands the floor,
// and the code of an earlier commit.

import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { PubSub } from '@google-cloud/pubsub';
import { withLimits } from '../../shared/config/budgets.ts';
import { mapAgents } from '../../shared/config/mapAgents.ts';
import { KEEPS_LEDGER } from '../../shared/core/contract/ledgerTool.ts';
import type { LlmClient } from '../../shared/core/contract/llm.ts';
import { TOPICS } from '../../shared/core/contract/publisher.ts';
import type { Store } from '../../shared/core/contract/store.ts';
import { createDocument } from '../../shared/core/contract/store.ts';
import { systemClock } from '../../shared/core/kernel/deps.ts';
import { deriveTraceId } from '../../shared/core/kernel/session/spanIds.ts';
import type { UsageLimit } from '../../shared/core/schema/agent.ts';
import { readProjectId } from '../../shared/environment.ts';
import { telemetryStore } from '../../shared/features/telemetry/telemetryStore.ts';
import { paths, sessionType } from '../../shared/lists/documents.ts';
import { STAGE_FEATURES } from '../../shared/lists/stageFeatures.ts';
import { createLogger } from '../../shared/log.ts';
import { encodeMetrics } from '../../shared/telemetry/encodeMetrics.ts';
import { encodeSpans } from '../../shared/telemetry/encodeSpans.ts';
import { createExporter } from '../../shared/telemetry/exporter.ts';
import { INQUEST_WORDING } from '../../shared/wording/inquest.ts';
import { benchDeps } from './benchDeps.ts';
import { type Code, codeOfHere } from './code.ts';
import { benchSession, instantModel } from './instantWorld.ts';
import { encodeCalls, type PlainCall, plainCalls, recordCalls } from './recordedCalls.ts';
import { startWorld } from './world.ts';

/** What one iteration asked of the store. */
export interface StoreWork {
  commits: number;
  documents: number;
  /** Of the encoded documents, as JSON. */
  bytes: number;
  /** Calls that read. */
  reads: number;
}

/** What many iterations took. */
export interface Measured {
  /** Milliseconds of each iteration, publish and export of telemetry included. */
  times: number[];
  /** Milliseconds until the next message was published: what follows does not delay an investigation. */
  publishedTimes: number[];
  /** Milliseconds of processor time of this process in each iteration, garbage collection included. */
  cpuTimes: number[];
  /** Of each iteration; none of the floor's own. */
  work: StoreWork[];
}

/** One that takes its turn. */
interface Contestant {
  run(iteration: number): Promise<void>;
  /** The work of the process before it acknowledges the message. */
  finish?(): Promise<void>;
  /** Called after each run, when nothing is measured. */
  note?(): void;
  work?: StoreWork[];
  close(): Promise<void>;
}

/**
 * The contestants: `offered` keeps a ledger and states nothing, `ledger` states evidence in every iteration,
 * `sdk` asks through Gemini's SDK, `telemetry` exports its spans to a receiver, `before` is the code of
 * another commit, with a ledger where `ledger` takes part. `budget` has `dailyTokens`, and so has
 * `budgetBefore` of the other commit. `floor` repeats the calls of `warm`, `ledgerFloor` those of `ledger`.
 */
export const VARIANTS = [
  'warm',
  'budget',
  'telemetry',
  'offered',
  'ledger',
  'cold',
  'sdk',
  'before',
  'budgetBefore',
  'floor',
  'ledgerFloor',
] as const;

/** The name of a contestant. */
export type Variant = (typeof VARIANTS)[number];

/**
 * Runs `iterations` iterations of each contestant in the project and on the emulators that this process's
 * environment names.
 * @param options.before the code of another commit, to take its turns beside the code of here.
 * @param options.variants the contestants. `warm` always runs, because the floor repeats its calls. Default:
 * all.
 */
export async function measureIterations(
  iterations: number,
  { before, variants = VARIANTS }: { before?: Code | undefined; variants?: readonly Variant[] } = {},
): Promise<Record<string, Measured>> {
  const projectId = readProjectId(process.env);
  const pubsub = new PubSub({ projectId });
  await pubsub.topic(TOPICS.iterations).get({ autoCreate: true });
  const here = await codeOfHere();
  const world = await startWorld();
  const warm = await startInvestigation(here, iterations, {});
  const starts: Record<Exclude<Variant, 'warm'>, () => Promise<Contestant> | Contestant | undefined> = {
    offered: () => startInvestigation(here, iterations, { tools: [KEEPS_LEDGER] }),
    ledger: () => startInvestigation(here, iterations, STATING),
    cold: () => startInvestigation(here, iterations, { cacheBytes: 0 }),
    telemetry: () => startInvestigation(here, iterations, { telemetry: true }),
    sdk: () => {
      const llm = here.createLlmClient({ env: world.env, log: () => {} });
      return startInvestigation(here, iterations, { llm });
    },
    budget: () => startInvestigation(here, iterations, { budgets: BUDGETS }),
    budgetBefore: () => before && startInvestigation(before, iterations, { budgets: BUDGETS }),
    before: () =>
      before && startInvestigation(before, iterations, variants.includes('ledger') ? STATING : {}),
    floor: () => floorOf(warm, projectId),
    ledgerFloor: () => {
      const { ledger } = contestants;
      return ledger && floorOf(ledger as Investigation, projectId);
    },
  };
  const contestants: Record<string, Contestant> = { warm };
  for (const variant of variants) {
    const contestant = variant === 'warm' ? undefined : await starts[variant]();
    if (contestant !== undefined) contestants[variant] = contestant;
  }
  try {
    return await takeTurns(iterations, contestants);
  } finally {
    await Promise.all([
      ...Object.values(contestants).map((one) => one.close()),
      pubsub.close(),
      world.stop(),
    ]);
  }
}

/** Each contestant once per iteration, in changing orders. */
async function takeTurns(
  iterations: number,
  contestants: Record<string, Contestant>,
): Promise<Record<string, Measured>> {
  const names = Object.keys(contestants);
  const measured = Object.fromEntries(
    names.map((name) => [
      name,
      { times: [], publishedTimes: [], cpuTimes: [], work: contestants[name]?.work ?? [] } as Measured,
    ]),
  );
  for (let iteration = 1; iteration <= iterations; iteration++) {
    const first = iteration % names.length;
    for (const name of [...names.slice(first), ...names.slice(0, first)]) {
      const startedAt = performance.now();
      const cpuBefore = process.cpuUsage();
      await contestants[name]?.run(iteration);
      measured[name]?.publishedTimes.push(performance.now() - startedAt);
      await contestants[name]?.finish?.();
      const { user, system } = process.cpuUsage(cpuBefore);
      measured[name]?.cpuTimes.push((user + system) / 1_000);
      measured[name]?.times.push(performance.now() - startedAt);
      contestants[name]?.note?.();
    }
  }
  return measured;
}

interface Investigation extends Contestant {
  work: StoreWork[];
  sessionId: string;
  /** What creating the session, and then each iteration, asked of the cloud. */
  recorded: PlainCall[][];
}

/** An agent that states evidence in every iteration. */
const STATING = { llm: instantModel(true), tools: [KEEPS_LEDGER] };

/** A budget of all chains that is never used up. */
const BUDGETS: UsageLimit[] = [{ chain: null, limit: 1_000_000_000_000 }];

/** A started investigation. @param options.cacheBytes of kept messages; 0: always cold. */
async function startInvestigation(
  code: Code,
  iterations: number,
  options: {
    llm?: LlmClient;
    cacheBytes?: number;
    tools?: string[];
    telemetry?: boolean;
    budgets?: UsageLimit[];
  },
): Promise<Investigation> {
  const cloud = code.openCloud(process.env);
  const recorder = recordCalls(cloud);
  const exporting = options.telemetry ? await exportingStore(recorder.store) : undefined;
  const deps = benchDeps({
    store: exporting?.store ?? recorder.store,
    telemetry: exporting?.telemetry,
    publisher: recorder.publisher,
    ...(options.llm && { llm: options.llm }),
    clock: code.systemClock,
    conversations: code.createConversationCache(options.cacheBytes),
  });
  const session = benchSession(iterations, options.tools);
  const { budgets = [] } = options;
  session.chain = mapAgents(session.chain, (agent) => withLimits(agent, budgets));
  const { sessionId, createdAt } = session;
  const stage = { index: 1, kind: 'investigation' as const, findings: [] };
  const { executions, writes } = code.startStage(session, stage, createdAt, {
    wording: INQUEST_WORDING,
    stageFeatures: STAGE_FEATURES,
  });
  const executionId = executions[0]?.executionId ?? '';
  await recorder.store.commit([createDocument(paths.session(sessionId), sessionType, session), ...writes]);

  const recorded = [encodeCalls(recorder.take())];
  const work: StoreWork[] = [];
  return {
    sessionId,
    recorded,
    work,
    async run(iteration) {
      const message = { schemaVersion: 1, sessionId, executionId, iteration } as const;
      await code.runIteration(message, null, deps, code.FEATURES);
    },
    async finish() {
      await exporting?.finish();
    },
    note() {
      const calls = encodeCalls(recorder.take());
      recorded.push(calls);
      work.push(workOf(calls));
    },
    async close() {
      exporting?.close();
      await cloud.close();
    },
  };
}

/** A warm instance's calls, made plainly, an iteration behind: it can go first. */
function floorOf(warm: Investigation, projectId: string): Contestant {
  const to = `floor-${randomUUID().slice(0, 8)}`;
  const plain = plainCalls(projectId, { from: warm.sessionId, to });
  return {
    run: (iteration) => plain.repeat(warm.recorded[iteration - 1] ?? []),
    close: () => plain.close(),
  };
}

function workOf(calls: PlainCall[]): StoreWork {
  const commits = calls.flatMap((call) => (call.kind === 'commit' ? [call.writes] : []));
  const increments = calls.filter(({ kind }) => kind === 'increment').length;
  const documents = commits.flat();
  return {
    commits: commits.length + increments,
    documents: documents.length + increments,
    bytes: documents.reduce((sum, { data }) => sum + Buffer.byteLength(JSON.stringify(data)), 0),
    reads: calls.filter(({ kind }) => kind === 'get' || kind === 'list').length,
  };
}

/** Starts a receiver and wraps `store`. */
async function exportingStore(store: Store) {
  const receiver = fork(new URL('telemetryReceiver.ts', import.meta.url));
  const [url] = (await once(receiver, 'message')) as [string];
  const resource = { 'service.name': 'bench' };
  const log = createLogger({ LOG_LEVEL: 'warn' });
  const telemetry = createExporter({
    load: async () => ({
      targets: [{ url, headers: async () => ({}) }],
      content: 'none',
      sample: 1,
      encode: (spans) => encodeSpans(resource, spans),
      encodeMetrics: (snapshot) => encodeMetrics(resource, snapshot),
    }),
    traceIdOf: deriveTraceId,
    warn: (fields, message) => log.warn(fields, message),
  });
  const exporting = telemetryStore(store, { telemetry, clock: systemClock, log });
  return { ...exporting, telemetry, close: () => receiver.kill() };
}
