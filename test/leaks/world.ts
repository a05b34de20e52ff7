// A system for one scenario, in memory: the functions' own handlers, the real Gemini client over HTTP against
// the scripted Gemini, real MCP connections. Whatever leaves it is kept, to be looked through.

import type * as z from 'zod';
import { describeAlert } from '../../cli/alert/alertInput.ts';
import { jsonPrinter, textPrinter } from '../../cli/print/printer.ts';
import type { ModelScript } from '../../local/scriptedModel/modelScript.ts';
import { startScriptedModel } from '../../local/scriptedModel/startScriptedModel.ts';
import { readAlert } from '../../shared/alerts/index.ts';
import { readSessionAlert } from '../../shared/alerts/schema/alert.ts';
import { routingPart } from '../../shared/alerts/schema/routing.ts';
import type { ChangeChecks } from '../../shared/config/changeChecks.ts';
import type { Config, RunbookConfig } from '../../shared/config/config.ts';
import { NO_RUNBOOKS } from '../../shared/config/runbooks.ts';
import { mcpServerConfigSchema } from '../../shared/config/serverConfig.ts';
import { NO_TRIAGE } from '../../shared/config/triageFile.ts';
import type { FetchRunbook } from '../../shared/contract/fetchRunbook.ts';
import { MAX_DELIVERIES, TOPICS } from '../../shared/core/contract/publisher.ts';
import type { Clock, RuntimeDeps } from '../../shared/core/kernel/deps.ts';
import type { PlannedAgent } from '../../shared/core/schema/agent.ts';
import { readPart } from '../../shared/core/schema/parts.ts';
import { handleDeadLetter } from '../../shared/engine/handleDeadLetter.ts';
import { handleIteration } from '../../shared/engine/handleIteration.ts';
import { handleTick } from '../../shared/engine/handleTick.ts';
import { inProcess } from '../../shared/engine/inProcess.ts';
import { verdictPart } from '../../shared/evidence/schema/verdict.ts';
import { deriveAlertKey } from '../../shared/kits/alerts/sessionId.ts';
import { listApprovals } from '../../shared/kits/views/listApprovals.ts';
import { handleAlert } from '../../shared/lists/alertHandler.ts';
import { handleChange } from '../../shared/lists/changeHandler.ts';
import { alertKeyType, paths, sessionType, timelineEventType } from '../../shared/lists/documents.ts';
import { PARTS } from '../../shared/lists/parts.ts';
import { SWEEP_FEATURES } from '../../shared/lists/sweepFeatures.ts';
import { createGeminiClient } from '../../shared/llm/gemini/client.ts';
import { createLogger } from '../../shared/log.ts';
import { createGuards } from '../../shared/masking/guards.ts';
import { knownSecrets } from '../../shared/masking/knownSecrets.ts';
import { lineMasker } from '../../shared/masking/lineMasker.ts';
import { createMasker, DEFAULT_MASKING } from '../../shared/masking/masker.ts';
import { checkParts } from '../../shared/store/checkedParts.ts';
import { createMemoryPublisher, type PublishedMessage } from '../../shared/store/memory/memoryPublisher.ts';
import { createMemoryStore } from '../../shared/store/memory/memoryStore.ts';
import { createGoogleTokens } from '../../shared/tools/mcp/auth/googleTokens.ts';
import { keepConnections } from '../../shared/tools/mcp/connectionCache.ts';
import { connectWith } from '../../shared/tools/mcp/mcpConnection.ts';
import { composeIterations } from '../../shared/wiring/composeIterations.ts';
import { composeState } from '../../shared/wiring/composeState.ts';
import { composeEventarcEvent } from '../support/pushEvents.ts';
import { sampleAgent, samplePlan } from '../support/samples.ts';
import { SIGNATURES } from '../support/signatures.ts';
import type { Plan } from './plan.ts';
import { renderDeliveries, renderRejected } from './renderDeliveries.ts';

const BACKOFF_MS = 120_000;
/** Waits up to this long pass at once; longer ones are limits, which nothing here reaches. */
const LONGEST_WAIT_MS = 10_000;

/** How a world is set up. */
export interface WorldOptions {
  agent?: Partial<PlannedAgent>;
  script?: ModelScript;
  servers?: Record<string, z.input<typeof mcpServerConfigSchema>>;
  /** The runbooks of the configuration. Default: none. */
  runbooks?: RunbookConfig;
  /** What the web answers. Default: nothing is read. */
  fetchRunbook?: FetchRunbook;
  /** The checks after changes. Default: none. */
  changeChecks?: ChangeChecks;
  /** Variables beside those of the plan. */
  environment?: Record<string, string>;
  /** Answers a Gemini request instead of the scripted Gemini; undefined leaves it to that. */
  answer?: (url: string) => Response | undefined;
}

/** Everything that leaves the system, by where it goes. */
export type Outputs = Record<
  'prompts' | 'documents' | 'messages' | 'log' | 'terminal' | 'responses' | 'calls of tools' | 'deliveries',
  unknown[]
>;

/** A system, and what it has put out so far. */
export interface World {
  config: Config;
  deps: RuntimeDeps;
  outputs: Outputs;
  /** Has an alert handled as `publish` and `ingestAlert` do, then everything that follows. */
  run(body: unknown, attributes?: Record<string, string>): Promise<string>;
  /** Opens an alert's session; nothing runs before the next `drain`, with nothing else undelivered. */
  open(body: object): Promise<string>;
  /** Hands an event to `ingestAlert`, which is none of Pub/Sub. */
  ingestEvent(event: unknown): Promise<void>;
  /** Delivers what is not delivered yet, and what follows. What fails for ever is buried. */
  drain(): Promise<void>;
  /** Sweeps, reads what commands print of `sessionId`, stops everything, and returns what came out. */
  end(sessionId?: string): Promise<Outputs>;
}

/** Starts a system whose processes know the secrets of the plan. */
export async function startWorld(plan: Plan, options: WorldOptions = {}): Promise<World> {
  const outputs: Outputs = {
    prompts: [],
    documents: [],
    messages: [],
    log: [],
    terminal: [],
    responses: [],
    'calls of tools': [],
    deliveries: [],
  };
  const gemini = await startScriptedModel({
    script: options.script ?? { conversations: [{ turns: [{ text: 'Out of memory.' }] }] },
  });
  const environment = {
    GOOGLE_GEMINI_BASE_URL: gemini.url,
    GEMINI_API_KEY: 'scripted-key-of-nobody',
    ...plan.environment,
    ...options.environment,
  };
  const config = configOf(options, plan);
  const known = knownSecrets(environment, config.servers);
  const clock = createFastClock();
  const store = checkParts(createMemoryStore(clock.now), PARTS);
  const publisher = createMemoryPublisher();
  const kept = keepConnections({
    now: () => clock.now().getTime(),
    connect: connectWith(createGoogleTokens(), known),
  });
  /** A process, with the masker that its wiring gives it. */
  const processWith = (secrets: string[]) => {
    const maskerFor = createGuards({ known: secrets });
    const destination = { write: (line: string) => void outputs.log.push(line) };
    const log = createLogger({ LOG_LEVEL: 'trace' }, destination, lineMasker(maskerFor));
    return composeState({
      store,
      publisher,
      clock,
      maskerFor,
      log,
    });
  };
  const { fetchRunbook } = options;
  const ingesting = {
    ...processWith(knownSecrets({ ...plan.environment, ...options.environment })),
    fetchRunbook,
  };
  const running = processWith(known);
  const stateLog = createLogger({ LOG_LEVEL: 'trace' }, { write: (line) => void outputs.log.push(line) });
  const state = composeState({
    store,
    publisher,
    clock,
    log: stateLog,
  });
  const warn = (message: string, fields: object) => running.log.warn(fields, message);
  const deps = composeIterations(config, {
    ...running,
    llm: createGeminiClient({
      env: environment,
      secrets: known,
      log: warn,
      random: () => 0,
      now: () => clock.now().getTime(),
      fetch: (url, init) => {
        const answer = options.answer?.(String(url));
        return answer === undefined ? fetch(url, init) : Promise.resolve(answer);
      },
    }),
    connect: kept.connect,
    secrets: known,
    ...SIGNATURES,
  });

  const deliver = (message: PublishedMessage): Promise<void> => {
    const event = composeEventarcEvent(message, message.topic);
    switch (message.topic) {
      case TOPICS.alerts:
        return handleAlert(event, config, ingesting);
      case TOPICS.iterations:
        return handleIteration(event, deps);
      case TOPICS.changes:
        return handleChange(event, { ...ingesting, changeChecks: options.changeChecks });
      case TOPICS.deliveries:
        return Promise.resolve();
      case TOPICS.iterationsDead:
        return handleDeadLetter(event, state);
    }
  };
  /** What the framework logs and answers when a function fails. */
  const keepFailure = (error: unknown): void => {
    outputs.responses.push(error instanceof Error ? error.message : String(error));
    outputs.log.push(error instanceof Error ? (error.stack ?? '') : String(error));
  };
  const pause = (_: unknown, error: unknown): void => {
    keepFailure(error);
    clock.advance(BACKOFF_MS);
  };
  const { drain, take } = inProcess({
    steps: {
      publisher,
      deliver: (message) => deliver(message),
      pause,
      async giveUp({ topic, data, attributes }, error) {
        pause(MAX_DELIVERIES, error);
        if (topic === TOPICS.iterations) await publisher.publish(TOPICS.iterationsDead, data, attributes);
      },
    },
  });

  return {
    config,
    deps,
    outputs,
    drain,
    async run(body, attributes = {}) {
      const data = typeof body === 'string' ? Buffer.from(body) : Buffer.from(JSON.stringify(body));
      const messageId = await publisher.publish(TOPICS.alerts, data, attributes);
      const reading = readAlert(data, createMasker({ known: knownSecrets(plan.environment) }));
      if (reading.ok) outputs.terminal.push(describeAlert(reading.alert));
      await drain();
      const key = await store.get(paths.alertKey(deriveAlertKey({ messageId, data })), alertKeyType);
      return key?.value.sessionId ?? 'refused';
    },
    async open(body) {
      const data = Buffer.from(JSON.stringify(body));
      const messageId = await publisher.publish(TOPICS.alerts, data, {});
      const message = take();
      if (message !== undefined) await deliver(message);
      const key = await store.get(paths.alertKey(deriveAlertKey({ messageId, data })), alertKeyType);
      return key?.value.sessionId ?? 'refused';
    },
    async ingestEvent(event) {
      await handleAlert(event, config, ingesting).catch(keepFailure);
    },
    async end(sessionId) {
      outputs.responses.push(await handleTick(state, SWEEP_FEATURES));
      await drain();
      if (sessionId !== undefined) {
        await print(sessionId);
        outputs.deliveries.push(...(await renderDeliveries(store, sessionId, clock.now())));
      }
      outputs.deliveries.push(...(await renderRejected(store)));
      await kept.close();
      await gemini.stop();
      outputs.prompts.push(...gemini.requests.map(({ body }) => body));
      outputs.documents.push(...store.documents());
      outputs.messages.push(
        ...publisher.published
          .filter(({ topic }) => topic !== TOPICS.alerts && topic !== TOPICS.changes)
          .map(({ data, attributes }) => [data.toString('utf8'), attributes]),
      );
      return outputs;
    },
  };

  async function print(sessionId: string): Promise<void> {
    const write = (line: string) => void outputs.terminal.push(line);
    const session = await store.get(paths.session(sessionId), sessionType);
    const events = await store.list({ collection: paths.timeline(sessionId) }, timelineEventType);
    for (const printer of [textPrinter(write, true), jsonPrinter(write)]) {
      for (const { value } of events) printer.event(value);
      if (session !== undefined)
        printer.end(
          {
            ...session.value,
            chain: session.value.chain.name,
            alert: readSessionAlert(session.value),
            routing: readPart(routingPart, session.value) ?? null,
            verdict: readPart(verdictPart, session.value) ?? null,
            problem: null,
          },
          'nowhere',
        );
    }
    for (const approval of await listApprovals(store, clock.now())) write(JSON.stringify(approval));
  }
}

/** Servers that no agent uses: what is in their settings is known to a process all the same. */
function serversWith([
  header = '',
  bearer = '',
  parameter = '',
  variable = '',
  argument = '',
  option = '',
]: readonly string[]): NonNullable<WorldOptions['servers']> {
  return {
    'spare-remote': {
      transport: 'http',
      url: `https://mcp.example.com/?token=${encodeURIComponent(parameter)}`,
      headers: { 'x-api-key': header, authorization: `Bearer ${bearer}` },
    },
    'spare-process': {
      transport: 'stdio',
      command: 'nothing',
      args: ['--password', argument, `--token=${option}`],
      env: { SHOP_TOKEN: variable },
    },
  };
}

function configOf({ agent = {}, servers = {}, runbooks = NO_RUNBOOKS }: WorldOptions, plan: Plan): Config {
  const knowing = serversWith(plan.serverValues);
  const planned = sampleAgent({
    name: 'investigator',
    instructions: 'Find the root cause.',
    tools: Object.keys(servers),
    ...agent,
    limits: {
      maxIterations: 4,
      iterationTimeoutMs: 600_000,
      toolTimeoutMs: 600_000,
      toolResultBytes: 4_000,
      afterFailure: 'conclude',
      ...agent.limits,
    },
  });
  return {
    chains: {
      test: { name: 'test', stages: [samplePlan({ agents: [planned] })], chat: { ...planned, name: 'chat' } },
    },
    defaultChain: 'test',
    notify: () => [{ to: 'fuzz', when: ['rejected'], digestMs: null }],
    // What took an alert is quoted in its session.
    alertRules: { test: [{ labels: { team: ['*'] } }] },
    askable: {},
    servers: Object.fromEntries(
      Object.entries({ ...servers, ...knowing }).map(([name, server]) => [
        name,
        mcpServerConfigSchema.parse(server),
      ]),
    ),
    sessionDeadlineMs: () => 24 * 3_600_000,
    retentionMs: 24 * 3_600_000,
    budgets: () => ({ sessionsPerHour: [], dailyTokens: [] }),
    ownServices: [],
    alertPromptBytes: 64_000,
    masking: DEFAULT_MASKING,
    // Alerts with the same pod are shown to each other's agents.
    triage: { ...NO_TRIAGE, correlate: [{ labels: ['pod'], windowMs: 3_600_000 }] },
    runbooks,
  };
}

/** A clock on which short waits are over at once. */
function createFastClock(): Clock & { advance(ms: number): void } {
  let now = Date.now();
  return {
    now: () => new Date(now),
    advance(ms) {
      now += ms;
    },
    every: () => () => {},
    after(ms, action) {
      if (ms > LONGEST_WAIT_MS) return () => {};
      const timer = setImmediate(() => {
        now += ms;
        action();
      });
      return () => clearImmediate(timer);
    },
  };
}
