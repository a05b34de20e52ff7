// Investigations in this process, on a Firestore or on the store in memory, with the real Gemini SDK against
// a scripted Gemini and real MCP servers. Pub/Sub is a list in memory, so that a test decides what is
// delivered, how often and in which order.

import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished } from 'vitest';
import type * as z from 'zod';
import type { ModelScript } from '../../local/scriptedModel/modelScript.ts';
import { type ScriptedModel, startScriptedModel } from '../../local/scriptedModel/startScriptedModel.ts';
import type { Sleep } from '../../packages/scripted-gemini/src/index.ts';
import type { ChangeChecks } from '../../shared/config/changeChecks.ts';
import type { Budgets, Config, RunbookConfig, SessionConfig } from '../../shared/config/config.ts';
import { NO_RUNBOOKS } from '../../shared/config/runbooks.ts';
import { schedulesFileSchema } from '../../shared/config/schedulesFile.ts';
import { mcpServerConfigSchema } from '../../shared/config/serverConfig.ts';
import { triageFileSchema } from '../../shared/config/triageFile.ts';
import type { FindDestination } from '../../shared/contract/destination.ts';
import type { McpServerConfig } from '../../shared/contract/mcpServer.ts';
import type { QuotaLimits } from '../../shared/contract/quotas.ts';
import { MAX_DELIVERIES, TOPICS } from '../../shared/core/contract/publisher.ts';
import type { Skill } from '../../shared/core/contract/skills.ts';
import { replaceDocument, type Store, type Stored } from '../../shared/core/contract/store.ts';
import type { Telemetry } from '../../shared/core/contract/telemetry.ts';
import type { RuntimeDeps, StateDeps } from '../../shared/core/kernel/deps.ts';
import { LEASE_MS } from '../../shared/core/kernel/execution/lease.ts';
import type { Feature } from '../../shared/core/kernel/feature/feature.ts';
import { withDue } from '../../shared/core/kernel/state/replaceExecution.ts';
import type { SweepReport } from '../../shared/core/rescue/sweep.ts';
import {
  CLAIMS_STRATEGY,
  type Limits,
  type PlannedAgent,
  type RULES,
  type StagePlan,
  SUMMARY_STRATEGY,
} from '../../shared/core/schema/agent.ts';
import type { DocumentType } from '../../shared/core/schema/documentType.ts';
import type { Execution } from '../../shared/core/schema/execution.ts';
import type { Engine } from '../../shared/engine/createEngine.ts';
import { handleDeadLetter } from '../../shared/engine/handleDeadLetter.ts';
import { handleIteration } from '../../shared/engine/handleIteration.ts';
import { handleTick } from '../../shared/engine/handleTick.ts';
import { inProcess } from '../../shared/engine/inProcess.ts';
import type { Verdict } from '../../shared/evidence/schema/verdict.ts';
import { ASKS } from '../../shared/features/ask/takeMention.ts';
import { handleDelivery } from '../../shared/features/deliveries/entry/handleDelivery.ts';
import type { InboxDeps } from '../../shared/features/deliveries/inbox/deps.ts';
import { handleAlert } from '../../shared/lists/alertHandler.ts';
import { handleChange } from '../../shared/lists/changeHandler.ts';
import {
  agentSnapshotType,
  alertBodyType,
  executionType,
  interactionType,
  messagePartType,
  messageType,
  paths,
  rejectedMessageType,
  sessionType,
  stageType,
  timelineEventType,
} from '../../shared/lists/documents.ts';
import { PARTS } from '../../shared/lists/parts.ts';
import { SWEEP_FEATURES } from '../../shared/lists/sweepFeatures.ts';
import { createLlmClient } from '../../shared/llm/chooseClient.ts';
import { createEmbedder } from '../../shared/llm/gemini/embedder.ts';
import { createLogger } from '../../shared/log.ts';
import { createGuards } from '../../shared/masking/guards.ts';
import { DEFAULT_MASKING } from '../../shared/masking/masker.ts';
import { checkParts } from '../../shared/store/checkedParts.ts';
import { createFirestoreStore } from '../../shared/store/firestore/firestoreStore.ts';
import type { MemoryPublisher, PublishedMessage } from '../../shared/store/memory/memoryPublisher.ts';
import { createMemoryStore } from '../../shared/store/memory/memoryStore.ts';
import { keepConnections } from '../../shared/tools/mcp/connectionCache.ts';
import { composeIterations } from '../../shared/wiring/composeIterations.ts';
import { composeState } from '../../shared/wiring/composeState.ts';
import { composeStore } from '../../shared/wiring/storeServices.ts';
import { EVERY_TOOL } from '../tools/everyTool.ts';
import { startStatelessServer } from '../tools/httpServer.ts';
import { canRunInMemory } from './fullTests.ts';
import { composeEventarcEvent, composePushBody, PUBLISH_TIME } from './pushEvents.ts';
import { keepInMemory } from './rawDocument.ts';
import { sampleAgent, samplePlan } from './samples.ts';
import { computeSessionId } from './sessionIds.ts';
import { SIGNATURES } from './signatures.ts';
import { createTestClock, onClock, type TestClock } from './testClock.ts';

/** The execution of the only agent of the default bench. */
export const EXECUTION = '01-investigator';
const BACKOFF_MS = 10_000;
/** Address of the dashboard in messages. */
export const PUBLIC_URL = 'https://inquest.example.com';
/** For what runs in real time and is not to fail: longer than any machine takes. */
const PATIENCE_MS = 600_000;
/** The MCP server `process`. */
const PROCESS_SERVER = fileURLToPath(new URL('../tools/stdioServer.ts', import.meta.url));

/** Overrides of an agent. */
export type AgentOptions = Partial<Omit<PlannedAgent, 'limits'>> & { limits?: Partial<Limits> };

/** The setup of a test bench. */
export interface BenchOptions {
  script: ModelScript;
  /** Changes to the only agent, `investigator`, which has no tools by default. */
  agent?: AgentOptions;
  /** The stages, instead of one with one agent; what is absent is as in `samplePlan`. */
  stages?: Partial<StagePlan>[];
  /** Changes to the agent that writes the executive summary. Absent: none is written. */
  summary?: AgentOptions;
  /** Changes to the agent that checks claims. Absent: they are not checked. */
  claims?: AgentOptions | undefined;
  /** The verdict after which no stage starts. Default: none. */
  stopWhen?: Verdict;
  /** Whether calls are repeated for contrast. Default: they are. */
  contrast?: 'off';
  /** What rules over collected results are for. Default: `DEFAULT_RULES`. */
  rules?: (typeof RULES)[number];
  /** Changes to the agent that answers questions. Absent: none are answered. */
  chat?: AgentOptions;
  /**
   * MCP servers beside `fixture`, which runs in the test's process, and `process`, which is started once.
   * Both have the same tools: echo, refuse, fail, huge, slow, die.
   */
  servers?: Record<string, z.input<typeof mcpServerConfigSchema>>;
  /** How the scripted Gemini waits between two chunks. Default: as long as the script says. */
  geminiSleep?: Sleep;
  /** Environment of the Gemini client, instead of the one that leads to the scripted Gemini. */
  geminiEnv?: Record<string, string | undefined>;
  /** Where OpenAI's API is, for agents with such models. Default: nowhere. */
  openAiUrl?: string;
  /** Changes the store of all processes. Default: it is used as it is. */
  wrapStore?: (store: Store, clock: TestClock) => Store;
  /** Keeps documents in memory instead of Firestore. Default: as `npm test` for `test/core`. */
  inMemory?: boolean;
  /** Agents that others may ask, by name. Default: none. */
  agents?: Config['askable'];
  /** Limits of models, by `provider/model`. Those of servers are theirs. Default: none. */
  modelQuotas?: QuotaLimits['models'];
  /** What sessions may use up. Default: no limits. */
  budgets?: Partial<Budgets>;
  /** The percentage of each budget that is kept for critical alerts. Default: none. */
  reserveForCritical?: number;
  ownServices?: string[];
  /** triage.yaml as it is written. Default: none. */
  triage?: unknown;
  /** schedules.yaml as it is written, without the key `schedules`. Default: none. */
  schedules?: unknown;
  /** The checks after changes. Default: none. */
  changeChecks?: ChangeChecks;
  /** The runbooks of the configuration. Default: none. */
  runbooks?: RunbookConfig;
  /** The skills of the configuration. Default: none. */
  skills?: readonly Skill[];
  /** What the process knows to be secret. Default: nothing. */
  knownSecrets?: string[];
  /** The configuration that each alert finds, instead of one with `stages`. */
  readConfig?: () => SessionConfig;
  /** The features of iterations. Default: all of them. */
  features?: readonly Feature[];
  /** The destinations of every session. Default: none. */
  notify?: Config['notify'];
  /** Finds them. Default: there are none. */
  destinations?: FindDestination;
  /** The roles of people who press buttons. Default: none. */
  memberOf?: InboxDeps['memberOf'];
  /** Exports the spans of every commit. Default: telemetry is off. */
  telemetry?: Telemetry;
  /** How long a session may take. Default: 10 minutes. */
  deadlineMs?: number;
  /** How long documents are kept. Default: a day. */
  retentionMs?: number;
}

/** A test bench: a system whose messages a test delivers itself. */
export interface Bench {
  projectId: string;
  config: Config;
  deps: Engine & { store: Store; publisher: MemoryPublisher; clock: TestClock };
  gemini: ScriptedModel;
  /** Puts an alert on the topic `alerts` and returns the id of the session it will open. */
  publishAlert(alert?: unknown, attributes?: Record<string, string>, publishTime?: string): Promise<string>;
  /**
   * Delivers a message once.
   * @param process the dependencies of the process that handles it: the bench's own by default.
   * @throws the error of the function.
   */
  deliver(message: PublishedMessage, process?: RuntimeDeps): Promise<void>;
  /**
   * Delivers all messages in order, also new ones; after a failed delivery, the clock is moved by Pub/Sub's
   * back-off.
   */
  drain(): Promise<void>;
  /**
   * Delivers the next undelivered message once and returns it.
   * @throws the error of the function.
   */
  deliverNext(process?: RuntimeDeps): Promise<PublishedMessage>;
  /** One tick of the schedule: a sweep. */
  tick(process?: StateDeps): Promise<SweepReport>;
  /** Fails all commits after the next `count`, as after a death. Pinning is not counted. */
  dieAfterCommits(count: number): void;
  /** Ends failures, moves the clock past the lease, and redelivers at the next `drain`. */
  revive(): void;
  /** Messages that failed at every delivery, with the last error. */
  deadLetters: { message: PublishedMessage; error: unknown }[];
  /** All documents of a session. */
  read(sessionId: string): Promise<Investigation>;
  /** All rejected messages of which a sample is kept. */
  rejected(): ReturnType<typeof readRejected>;
  /** Changes an execution as another writer would. */
  editExecution(sessionId: string, change: (execution: Execution) => Execution, id?: string): Promise<void>;
}

/** All documents of a session. */
export type Investigation = Awaited<ReturnType<typeof readInvestigation>>;

/** An agent with the given fields. Its tools have all the time there is: theirs is real. */
export function agentOf({ limits, ...overrides }: AgentOptions = {}): PlannedAgent {
  return sampleAgent({
    name: 'investigator',
    instructions: 'Find the root cause.',
    tools: [],
    nativeTools: [],
    combineNativeTools: false,
    outsideTools: 'apart',
    limits: {
      maxIterations: 5,
      iterationTimeoutMs: 20_000,
      toolTimeoutMs: PATIENCE_MS,
      toolResultBytes: 64_000,
      afterFailure: 'fail',
      ...limits,
    },
    ...overrides,
  });
}

/** Everything an investigation needs, in a project of its own. It is torn down after the test. */
export async function startBench(options: BenchOptions): Promise<Bench> {
  const [gemini, fixture] = await Promise.all([
    startScriptedModel({
      // Its answers are for every alert of a test, so that they have no caveat.
      script: { for: {}, ...options.script },
      ...(options.geminiSleep && { sleep: options.geminiSleep }),
    }),
    startStatelessServer(),
  ]);
  const projectId = `demo-${randomUUID().slice(0, 8)}`;
  const clock = createTestClock();
  const isInMemory =
    options.inMemory ??
    (process.env.INQUEST_TEST_STORE === 'memory' && canRunInMemory(expect.getState().testPath ?? ''));
  const memory = isInMemory ? checkParts(createMemoryStore(clock.now), PARTS) : undefined;
  if (memory !== undefined) keepInMemory(projectId, memory);
  const plain =
    memory ?? onClock(checkParts(createFirestoreStore({ projectId, timeoutMs: PATIENCE_MS }), PARTS), clock);
  const store = options.wrapStore?.(plain, clock) ?? plain;
  const kept = keepConnections({ now: () => clock.now().getTime() });
  onTestFinished(async () => {
    await kept.close();
    await Promise.all([gemini.stop(), fixture.close(), store.close()]);
  });
  const deadLetters: Bench['deadLetters'] = [];
  const queue = inProcess({
    steps: {
      deliver: (message) => deliver(message),
      pause: (attempt) => clock.advance(BACKOFF_MS * 2 ** (attempt - 1)),
      giveUp(message, error) {
        clock.advance(BACKOFF_MS * 2 ** (MAX_DELIVERIES - 1));
        deadLetters.push({ message, error });
      },
    },
  });
  const { publisher } = queue;
  const log = createLogger({ LOG_LEVEL: 'silent' });
  const config = configOf(options, fixture.url);
  const state = composeState(composeStore({ store, publisher, clock, log }, options.telemetry));
  const engine = composeIterations(config, {
    ...state,
    features: options.features,
    llm: createLlmClient({
      env: {
        ...(options.geminiEnv ?? { GOOGLE_GEMINI_BASE_URL: gemini.url, GEMINI_API_KEY: 'scripted' }),
        OPENAI_BASE_URL: options.openAiUrl,
      },
      random: () => 0,
      now: () => clock.now().getTime(),
    }),
    embed: createEmbedder({ GOOGLE_GEMINI_BASE_URL: gemini.url, GEMINI_API_KEY: 'scripted' }),
    connect: kept.connect,
    maskerFor: createGuards({ known: options.knownSecrets ?? [] }),
    random: () => 0,
    ...SIGNATURES,
  });
  const deps: Bench['deps'] = { ...engine, publisher, clock };

  /** When alerts were published, in ISO 8601, by id of the message. */
  const publishTimes = new Map<string, string>();
  const deliver = (message: PublishedMessage, process: RuntimeDeps = deps): Promise<void> => {
    // Both shapes occur in production, so they alternate here.
    const pushed = { ...message, publishTime: publishTimes.get(message.id) };
    const event =
      Number(message.id) % 2 === 0 ? composeEventarcEvent(pushed, message.topic) : composePushBody(pushed);
    switch (message.topic) {
      case TOPICS.alerts:
        return handleAlert(event, options.readConfig?.() ?? config, process);
      case TOPICS.iterations:
        return handleIteration(event, { ...process, features: engine.features });
      case TOPICS.iterationsDead:
        return handleDeadLetter(event, process);
      case TOPICS.changes:
        return handleChange(event, { ...process, changeChecks: options.changeChecks });
      case TOPICS.deliveries: {
        const { failpoint: _, ...state } = process;
        const destinations = options.destinations ?? (async () => undefined);
        const memberOf = options.memberOf ?? (() => undefined);
        return handleDelivery(event, {
          ...state,
          destinations,
          memberOf,
          publicUrl: PUBLIC_URL,
          mentions: ASKS,
        });
      }
    }
  };

  const { commit } = store;
  return {
    projectId,
    config,
    deps,
    gemini,
    deliver,
    deadLetters,
    async publishAlert(alert = { title: 'PodCrashLooping' }, attributes = {}, publishTime = PUBLISH_TIME) {
      const data = typeof alert === 'string' ? Buffer.from(alert) : alert;
      const messageId = await publisher.publish(TOPICS.alerts, data, attributes);
      const message = publisher.published.at(-1);
      const published = { messageId, data: message?.data ?? Buffer.of() };
      publishTimes.set(messageId, publishTime);
      return computeSessionId(published, new Date(publishTime), deps.maskerFor('0'.repeat(32)));
    },
    drain: queue.drain,
    async deliverNext(process) {
      const message = queue.take();
      if (message === undefined) throw new Error('nothing is left to deliver');
      await deliver(message, process);
      return message;
    },
    tick: (process = deps) => handleTick(process, SWEEP_FEATURES),
    dieAfterCommits(count) {
      let left = count;
      store.commit = (writes) => {
        const isPin = writes.every(({ path }) => /\/(?:pinnedTools|toolLists)\//.test(path));
        if (left > 0 && isPin) return commit(writes);
        return left-- > 0 ? commit(writes) : Promise.reject(new Error('the process died'));
      };
    },
    revive() {
      store.commit = commit;
      clock.advance(LEASE_MS + 1);
      queue.giveBack();
    },
    read: (sessionId) => readInvestigation(store, sessionId),
    rejected: () => readRejected(store),
    async editExecution(sessionId, change, id = EXECUTION) {
      const path = paths.execution(sessionId, id);
      const stored = await store.get(path, executionType);
      if (stored === undefined) throw new Error(`there is no ${path}`);
      const changed = withDue(change(stored.value), clock.now());
      const result = await store.commit([replaceDocument(path, executionType, changed, stored.version)]);
      if (!result.ok) throw new Error(`${path} changed meanwhile`);
    },
  };
}

/** An investigation whose alert was ingested; its first iterations are published and not delivered yet. */
export async function opened(options: BenchOptions & { alert?: unknown }) {
  const bench = await startBench(options);
  const sessionId = await bench.publishAlert(options.alert);
  await bench.deliverNext();
  return { ...bench, sessionId };
}

/** A whole investigation of one alert: everything is delivered once, in order. */
export async function investigate(options: BenchOptions & { alert?: unknown }) {
  const bench = await startBench(options);
  const sessionId = await bench.publishAlert(options.alert);
  await bench.drain();
  const [failed] = bench.deadLetters;
  if (failed !== undefined) throw failed.error;
  return { ...bench, sessionId, ...(await bench.read(sessionId)) };
}

/** The samples of all rejected messages, each with its function and the failure. */
export async function readRejected(store: Store) {
  const all = values(await store.list({ collection: paths.rejectedMessages }, rejectedMessageType));
  return all.flatMap(({ function: name, code, samples }) =>
    samples.map(({ reason: message, ...sample }) => ({
      function: name,
      failure: { code, message },
      ...sample,
    })),
  );
}

/** All documents of a session, read through the converters. */
export async function readInvestigation(store: Store, sessionId: string) {
  const below = <T>(name: string, type: DocumentType<T>) =>
    store.list({ collection: `${paths.session(sessionId)}/${name}` }, type);
  const [session, alertBody, stages, executions, agents, timeline, messages, interactions] =
    await Promise.all([
      store.get(paths.session(sessionId), sessionType),
      below('alertBody', alertBodyType),
      below('stages', stageType),
      below('executions', executionType),
      below('agentSnapshots', agentSnapshotType),
      below('timeline', timelineEventType),
      below('messages', messageType),
      below('interactions', interactionType),
    ]);
  const parts = await Promise.all(
    messages.map((message) => store.list({ collection: `${message.path}/parts` }, messagePartType)),
  );
  if (session === undefined) throw new Error(`there is no session ${sessionId}`);
  const [execution] = executions;
  if (execution === undefined) throw new Error(`session ${sessionId} has no execution`);
  const all = [session, alertBody, stages, executions, agents, timeline, messages, interactions, parts].flat(
    2,
  );
  return {
    session: session.value,
    alertBody: values(alertBody),
    stages: values(stages),
    executions: values(executions),
    agents: values(agents),
    /** The first execution. */
    execution: execution.value,
    timeline: values(timeline),
    messages: values(messages),
    interactions: values(interactions),
    parts: values(parts.flat()),
    /** The version of each document by path, to detect writes between two reads. */
    versions: Object.fromEntries(all.map(({ path, version }) => [path, version])),
  };
}

const values = <T>(documents: Stored<T>[]) => documents.map((document) => document.value);

/** The limits of models, and those of servers. */
function quotasOf(models: QuotaLimits['models'] = {}, servers: [string, McpServerConfig][]): QuotaLimits {
  const limited = servers.flatMap(([name, { limits }]) =>
    limits === undefined ? [] : [[name, limits] as const],
  );
  return { models, servers: Object.fromEntries(limited) };
}

function configOf(options: BenchOptions, fixtureUrl: string): Config {
  const stages = options.stages ?? [{ name: 'investigation', agents: [agentOf(options.agent)] }];
  const builtIn: BenchOptions['servers'] = {
    fixture: { transport: 'http', url: fixtureUrl },
    process: { transport: 'stdio', command: process.execPath, args: [PROCESS_SERVER] },
  };
  const servers = Object.entries({ ...builtIn, ...options.servers }).map(
    ([name, server]): [string, McpServerConfig] => [
      name,
      mcpServerConfigSchema.parse({ ...EVERY_TOOL, connectTimeoutMs: PATIENCE_MS, ...server }),
    ],
  );
  const summary = options.summary && {
    summary: agentOf({ name: SUMMARY_STRATEGY, strategy: SUMMARY_STRATEGY, ...options.summary }),
  };
  const check = { name: CLAIMS_STRATEGY, strategy: CLAIMS_STRATEGY, ...options.claims };
  const claims = options.claims && {
    claims: agentOf({ ...check, limits: { maxIterations: 2, ...options.claims.limits } }),
    ...(options.stopWhen !== undefined && { stopWhen: options.stopWhen }),
    ...(options.contrast !== undefined && { contrast: options.contrast }),
    ...(options.rules !== undefined && { rules: options.rules }),
  };
  const chat = options.chat && { chat: agentOf({ name: 'chat', ...options.chat }) };
  return {
    chains: { test: { name: 'test', stages: stages.map(samplePlan), ...summary, ...claims, ...chat } },
    defaultChain: 'test',
    alertRules: {},
    servers: Object.fromEntries(servers),
    askable: options.agents ?? {},
    quotas: quotasOf(options.modelQuotas, servers),
    sessionDeadlineMs: () => options.deadlineMs ?? 600_000,
    retentionMs: options.retentionMs ?? 24 * 3600 * 1000,
    budgets: () => ({ sessionsPerHour: [], dailyTokens: [], ...options.budgets }),
    reserveForCritical: () => options.reserveForCritical ?? 0,
    ownServices: options.ownServices ?? [],
    alertPromptBytes: 64_000,
    masking: DEFAULT_MASKING,
    ...(options.schedules !== undefined &&
      schedulesFileSchema(['test']).parse({ schedules: options.schedules })),
    ...(options.triage !== undefined && { triage: triageFileSchema(options.triage).parse(options.triage) }),
    runbooks: options.runbooks ?? NO_RUNBOOKS,
    ...(options.skills && { skills: options.skills }),
    ...(options.notify !== undefined && { notify: options.notify }),
  };
}
