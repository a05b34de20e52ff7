// An engine of a program: its agents, and the runs of them that a store holds and a queue drives.

import type * as z from 'zod';
import type { Guard, GuardFor } from '../core/contract/guard.ts';
import type { Logger } from '../core/contract/logger.ts';
import type { Store } from '../core/contract/store.ts';
import { errorMessage, TerminalError } from '../core/errors.ts';
import { type RuntimeDeps, systemClock } from '../core/kernel/deps.ts';
import type { Wording } from '../core/prompts/wording.ts';
import { sweepSessions } from '../core/rescue/sweep.ts';
import type { PlannedAgent } from '../core/schema/agent.ts';
import {
  createOwnSignatures,
  createSigner,
  createVerifier,
  derivePublicKey,
} from '../kits/access/signatures.ts';
import { createLlmClient } from '../llm/chooseClient.ts';
import { createScriptClient, SCRIPT_PROVIDER } from '../llm/scriptClient.ts';
import { createLogger } from '../log.ts';
import { createGuards } from '../masking/guards.ts';
import { knownSecrets } from '../masking/knownSecrets.ts';
import { createLearnedSecrets } from '../masking/learnedSecrets.ts';
import { handleDeadLetter } from '../runtime/entry/handleDeadLetter.ts';
import { receiveIteration } from '../runtime/entry/receiveIteration.ts';
import { createServerTokens } from '../tools/mcp/auth/serverTokens.ts';
import { keepConnections } from '../tools/mcp/connectionCache.ts';
import { connectWith } from '../tools/mcp/mcpConnection.ts';
import { mcpSources } from '../tools/mcp/mcpSource.ts';
import {
  type Agent,
  type AgentOptions,
  type Chain,
  type ChainOptions,
  planAgent,
  planChain,
} from './agent.ts';
import { createEngine } from './createEngine.ts';
import { ENGINE_FEATURES, ENGINE_SWEEP } from './features.ts';
import {
  awaitRun,
  followEvents,
  type RunEvent,
  type RunResult,
  readAnswer,
  readRun,
  toRunState,
} from './followRun.ts';
import { createHandlers, type Handlers } from './handlers.ts';
import { type ListOptions, listRuns, type RunPage } from './listRuns.ts';
import { describeDeployment, type EngineManifest } from './manifest.ts';
import type { McpSource } from './mcp.ts';
import type { Model } from './model.ts';
import type { Deliveries, Queue } from './queue.ts';
import { registeredStore } from './registeredStore.ts';
import { type Signal, type SignalOutcome, signalRun } from './signalRun.ts';
import { type RunInput, type StartOptions, startRun } from './startRun.ts';
import { codeSource } from './tool.ts';
import { ENGINE_WORDING } from './wording.ts';

/** The parts of an engine. */
export interface DurableOptions {
  /** Holds all state: `firestore()` or `memory()`. An engine owns its database. */
  store: Store;
  /** Drives the runs: `pubsub(topic)` or `inProcess()`. */
  queue: Queue;
  /** The model of agents without a model of their own. Default: each agent names one. */
  model?: Model;
  /**
   * Signs decisions about calls that need approval: a private key of Ed25519, DER (PKCS#8) in base64, the
   * same in all processes. Default: beside `inProcess()` a key of this process, else no tool can need
   * approval.
   */
  approvals?: { key: string };
  /**
   * Values that are masked in everything that is stored, logged and sent. Default: those of the environment.
   */
  secrets?: readonly string[];
  /**
   * Replaces the guard, which masks texts, cleans answers and refuses calls that would carry secrets away.
   * Called once for each run and process with Inquest's own. Default: that one.
   */
  guard?: (own: Guard) => Guard;
  /** Texts of runs that replace the engine's own, each a pure function. Default: none. */
  wording?: Partial<Wording>;
  /** Gets the log. Default: warnings and errors as JSON lines on standard output. */
  log?: Logger;
}

/** A run that was started. */
export interface Run<T = unknown> {
  /** The id, for every other call. */
  readonly id: string;
  /** The form of the answer that the agent declares. */
  readonly answer: z.ZodType<T> | undefined;
}

/** Options of a wait. */
interface WaitOptions {
  /** Its abort ends the wait, which then throws the reason. Default: it ends with the run. */
  signal?: AbortSignal;
}

/** The agents of a program, and their runs. */
export interface Agents {
  /** Registers an agent. @throws TerminalError `CONFIG_INVALID` with the name, the option and the fix. */
  agent<T>(options: AgentOptions<T>): Agent<T>;
  /** Registers a chain of agents. @throws as `agent`. */
  chain<T>(options: ChainOptions<T>): Chain<T>;
  /** Starts a run; with an id that has a run already, continues it. @throws as `startRun`. */
  start<T>(agent: Agent<T> | Chain<T>, input: RunInput, options?: StartOptions): Promise<Run<T>>;
  /** Waits for the end of a run. @throws the reason of an abort; TerminalError `SESSION_UNKNOWN`. */
  result<T>(run: Run<T> | string, options?: WaitOptions): Promise<RunResult<T>>;
  /**
   * The events of a run, each once and in order, until the run has ended.
   * @param options.after the number of the last event that the caller has. Default: 0, all events.
   * @throws as `result`.
   */
  events(run: Run | string, options?: WaitOptions & { after?: number }): AsyncGenerator<RunEvent, void>;
  /** Sends a signal to a run. @throws as `signalRun`. */
  signal(run: Run | string, signal: Signal): Promise<SignalOutcome>;
  /** A page of runs, in the order of their ids. @throws as `listRuns`. */
  list(options?: ListOptions): Promise<RunPage>;
  /** The functions that Google Cloud calls. */
  readonly handlers: Handlers;
  /** What a deployment has to create. @throws TerminalError `CONFIG_INVALID` for a queue without a topic. */
  readonly manifest: EngineManifest;
  /** Closes the connections of tools, the store and the queue. Runs continue where handlers are called. */
  close(): Promise<void>;
}

/**
 * Makes an engine. It holds no global state: two engines are two databases.
 * @throws TerminalError `CONFIG_INVALID` for a key of approvals that is none.
 */
export function durable(options: DurableOptions): Agents {
  const { queue, model } = options;
  const registry = createRegistry(options);
  const { deps } = registry;
  const deliveries: Deliveries = {
    work: (event) => logFailure('work', receiveIteration(event, deps, ENGINE_FEATURES), deps),
    bury: (event) => logFailure('bury', handleDeadLetter(event, deps), deps),
    sweep: () => logFailure('sweep', sweepSessions(deps, ENGINE_SWEEP), deps),
  };
  queue.deliverTo?.(deliveries);
  return {
    agent: (given) => registry.register(planAgent(given, model)),
    chain: (given) => registry.register(planChain(given)),
    async start<T>(agent: Agent<T> | Chain<T>, input: RunInput, given: StartOptions = {}) {
      registry.requireOwn(agent);
      const id = await startRun(agent.chain, input, given, deps);
      return { id, answer: agent.answer };
    },
    async result<T>(run: Run<T> | string, { signal }: WaitOptions = {}) {
      const session = await awaitRun(readId(run), signal, deps);
      const { finalAnalysis: text, failure, caveats, tokens, cost } = session;
      return {
        ...toRunState(session),
        status: session.status as RunResult['status'],
        text,
        answer: typeof run === 'string' ? undefined : await readAnswer(session, run.answer, deps),
        failure,
        caveats: caveats.map(({ code }) => code),
        tokens,
        cost,
      };
    },
    async *events(run, { after = 0, signal } = {}) {
      await readRun(readId(run), deps);
      yield* followEvents(readId(run), { after, signal }, deps);
    },
    signal: (run, signal) => signalRun(readId(run), signal, deps),
    list: (given = {}) => listRuns(given, deps),
    handlers: createHandlers(deliveries),
    get manifest() {
      return describeDeployment(queue);
    },
    close: () => registry.close(),
  };
}

/** Logs why a message is delivered again, or a sweep failed. @throws the error of the work. */
function logFailure<T>(name: keyof Deliveries, work: Promise<T>, { log }: { log: Logger }): Promise<T> {
  return work.catch((error: unknown) => {
    log.warn({ err: error }, `${name}: ${errorMessage(error)}`);
    throw error;
  });
}

const readId = (run: { id: string } | string): string => (typeof run === 'string' ? run : run.id);

interface Registry {
  deps: RuntimeDeps;
  /** Makes an agent or a chain, its tools and its models known. */
  register<A extends Chain>(agent: A): A;
  /** @throws TerminalError `CONFIG_UNKNOWN_AGENT` for an agent of another engine. */
  requireOwn(agent: Pick<Chain, 'name' | 'chain'>): void;
  close(): Promise<void>;
}

function createRegistry({ store, queue, approvals, secrets, guard, wording, log }: DurableOptions): Registry {
  const env = { ...process.env };
  const logger = log ?? createLogger({ LOG_LEVEL: 'warn' });
  const learned = createLearnedSecrets();
  const known = secrets ?? knownSecrets(env);
  const now = () => systemClock.now().getTime();
  const kept = keepConnections({ now, connect: connectWith(createServerTokens({ learned, now }), known) });
  const code = codeSource([]);
  const sources = [code as Parameters<typeof createEngine>[0]['sources'][number]];
  const servers = new Map<string, McpSource>();
  const chains = new Map<string, Pick<Chain, 'name' | 'chain'>>();
  const roles = new Set<string>();
  let ownKey: string | undefined;
  const agents: Record<string, PlannedAgent> = {};
  const signatures = readSignatures(approvals, queue);
  const warn = (message: string, fields: object) => logger.warn(fields, message);
  const clients = { [SCRIPT_PROVIDER]: async () => createScriptClient() };
  const deps = createEngine({
    store: registeredStore(store, (name) => roles.has(name)),
    announce: undefined,
    stageFeatures: [],
    wording: { ...ENGINE_WORDING, ...wording },
    publisher: queue.publisher,
    clock: systemClock,
    log: logger,
    maskerFor: replaceGuards(createGuards({ known, learned }), guard),
    ...signatures,
    llm: createLlmClient({ env, secrets: known, log: warn, clients }),
    agents,
    sources,
  });
  const addServer = (server: McpSource): void => {
    const before = servers.get(server.name);
    if (before === server) return;
    if (before !== undefined)
      throw new TerminalError('CONFIG_INVALID', `two MCP servers have the name ${server.name}; set name`);
    servers.set(server.name, server);
    learned.learn(server.name, knownSecrets({}, { [server.name]: server.config }));
    sources.push(...mcpSources({ [server.name]: server.config }, kept.connect, known));
  };
  return {
    deps,
    register(agent) {
      const { name, chain, tools, askable, models } = agent;
      if (chains.has(name))
        throw new TerminalError('CONFIG_INVALID', `two agents have the name ${name}; rename one of them`);
      chains.set(name, agent);
      for (const one of tools) {
        if (one.kind === 'mcp') addServer(one);
        else code.add(one);
        if (one.kind === 'tool' && one.definition.waits === 'person' && signatures.sign === undefined)
          throw new TerminalError(
            'CONFIG_INVALID',
            `agent ${name}: ${one.definition.name} needs approval; set approvals: { key } in durable()`,
          );
      }
      for (const { apiKey } of models) {
        if (apiKey === undefined || apiKey === ownKey) continue;
        if (ownKey !== undefined)
          throw new TerminalError(
            'CONFIG_INVALID',
            `agent ${name}: its model has another apiKey than a model before; an engine uses one key`,
          );
        ownKey = apiKey;
        env.GEMINI_API_KEY = apiKey;
        learned.learn('gemini', [apiKey]);
      }
      for (const one of askable) agents[one.name] = one;
      for (const one of [...agent.agents, ...askable]) roles.add(one.name);
      for (const stage of chain.stages) for (const one of stage.agents) roles.add(one.replicaOf ?? one.name);
      return agent;
    },
    requireOwn(agent) {
      if (chains.get(agent.name)?.chain === agent.chain) return;
      throw new TerminalError('CONFIG_UNKNOWN_AGENT', `agent ${agent.name} is not of this engine`);
    },
    async close() {
      await Promise.allSettled([kept.close(), queue.close?.(), queue.publisher.close()]);
      await store.close();
    },
  };
}

/** The same object for the same guard: guards are keys of caches. */
function replaceGuards(guardFor: GuardFor, replace: DurableOptions['guard']): GuardFor {
  if (replace === undefined) return guardFor;
  const replaced = new WeakMap<Guard, Guard>();
  return (key) => {
    const own = guardFor(key);
    const guard = replaced.get(own) ?? replace(own);
    replaced.set(own, guard);
    return guard;
  };
}

function readSignatures(
  approvals: DurableOptions['approvals'],
  { kind }: Pick<Queue, 'kind'>,
): Partial<Pick<RuntimeDeps, 'sign' | 'verify'>> {
  if (approvals !== undefined)
    return { sign: createSigner(approvals.key), verify: createVerifier(derivePublicKey(approvals.key)) };
  return kind === 'in-process' ? createOwnSignatures() : {};
}
