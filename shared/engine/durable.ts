// An engine of a program: its agents, and the runs of them that a store holds and a queue drives.

import type * as z from 'zod';
import type { Guard, GuardFor } from '../core/contract/guard.ts';
import type { Logger } from '../core/contract/logger.ts';
import type { Store } from '../core/contract/store.ts';
import type { ToolSource } from '../core/contract/tools.ts';
import { errorMessage } from '../core/errors.ts';
import { type RuntimeDeps, systemClock } from '../core/kernel/deps.ts';
import type { Wording } from '../core/prompts/wording.ts';
import {
  createOwnSignatures,
  createSigner,
  createVerifier,
  derivePublicKey,
} from '../kits/access/signatures.ts';
import { ENGINE_FEATURES, ENGINE_SWEEP } from '../lists/engineFeatures.ts';
import { createLlmClient } from '../llm/chooseClient.ts';
import { createScriptClient, SCRIPT_PROVIDER } from '../llm/scriptClient.ts';
import { createGuards } from '../masking/guards.ts';
import { knownSecrets } from '../masking/knownSecrets.ts';
import { createLearnedSecrets, type LearnedSecrets } from '../masking/learnedSecrets.ts';
import { lineMasker } from '../masking/lineMasker.ts';
import { createServerTokens } from '../tools/mcp/auth/serverTokens.ts';
import { keepConnections } from '../tools/mcp/connectionCache.ts';
import { connectWith } from '../tools/mcp/mcpConnection.ts';
import { mcpSources } from '../tools/mcp/mcpSource.ts';
import { skillSource } from '../tools/skills/skillSource.ts';
import { planAgent, planChain } from './agent.ts';
import type { Agent, AgentOptions, Chain, ChainOptions } from './agentOptions.ts';
import { createEngine, type Engine } from './createEngine.ts';
import {
  awaitRun,
  followEvents,
  type RunEvent,
  type RunResult,
  readAnswer,
  readRun,
  toRunState,
} from './followRun.ts';
import { handleDeadLetter } from './handleDeadLetter.ts';
import { handleIteration } from './handleIteration.ts';
import { createHandlers, type Handlers } from './handlers.ts';
import { handleTick } from './handleTick.ts';
import { createLineLogger } from './lineLogger.ts';
import { type ListOptions, listRuns, RUN_FILTERS, type RunPage } from './listRuns.ts';
import { describeDeployment, type EngineManifest } from './manifest.ts';
import type { McpSource } from './mcp.ts';
import type { Model } from './model.ts';
import type { Deliveries, Queue } from './queue.ts';
import { registeredStore } from './registeredStore.ts';
import { addRegistration, checkRegistration, createRegistry, type Registry, requireOwn } from './registry.ts';
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

const internals = new WeakMap<Agents, Internals>();

/** The parts of an engine that `simulate` replaces or needs. */
export interface Internals {
  deps: Engine;
  registry: Registry;
}

/** The parts of an engine. @throws RangeError for an object that `durable` did not make. */
export function readInternals(agents: Agents): Internals {
  const found = internals.get(agents);
  if (found === undefined) throw new RangeError('these agents are not what durable() has returned');
  return found;
}

/**
 * Makes an engine. It holds no global state: two engines are two databases.
 * @throws TerminalError `CONFIG_INVALID` for a key of approvals that is none.
 */
export function durable(options: DurableOptions): Agents {
  const { queue, model } = options;
  const registry = createRegistry();
  const { deps, register, close } = assembleEngine(options, registry);
  const deliveries: Deliveries = {
    work: (event) => logFailure('work', handleIteration(event, deps), deps),
    bury: (event) => logFailure('bury', handleDeadLetter(event, deps), deps),
    sweep: () => logFailure('sweep', handleTick(deps, ENGINE_SWEEP), deps),
  };
  queue.deliverTo?.(deliveries);
  const agents: Agents = {
    agent: (given) => register(planAgent(given, model)),
    chain: (given) => register(planChain(given)),
    async start<T>(agent: Agent<T> | Chain<T>, input: RunInput, given: StartOptions = {}) {
      requireOwn(agent, registry);
      const id = await startRun(agent.chain, input, given, deps);
      return { id, answer: agent.answer };
    },
    async result<T>(run: Run<T> | string, { signal }: WaitOptions = {}) {
      const session = await awaitRun(readId(run), signal, deps);
      const { finalAnalysis: text, executiveSummary: summary, failure, caveats, tokens, cost } = session;
      return {
        ...toRunState(session),
        status: session.status as RunResult['status'],
        text,
        summary,
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
    close,
  };
  internals.set(agents, { deps, registry });
  return agents;
}

/** Logs why a message is delivered again, or a sweep failed. @throws the error of the work. */
function logFailure<T>(name: keyof Deliveries, work: Promise<T>, { log }: { log: Logger }): Promise<T> {
  return work.catch((error: unknown) => {
    log.warn({ err: error }, `${name}: ${errorMessage(error)}`);
    throw error;
  });
}

const readId = (run: { id: string } | string): string => (typeof run === 'string' ? run : run.id);

interface EngineParts {
  deps: Engine;
  /** Makes an agent or a chain, its tools and its models known. @throws as `checkRegistration`. */
  register<A extends Chain>(agent: A): A;
  close(): Promise<void>;
}

function assembleEngine(options: DurableOptions, registry: Registry): EngineParts {
  const { store, queue, approvals, guard, wording } = options;
  const env = { ...process.env };
  const known = options.secrets ?? knownSecrets(env);
  const learned = createLearnedSecrets();
  const guards = createGuards({ known, learned });
  const log = options.log ?? createLineLogger(lineMasker(guards));
  const servers = createServerConnections(learned, known);
  const sources: ToolSource[] = [codeSource(registry.tools), skillSource(registry.skills)];
  const signatures = readSignatures(approvals, queue);
  const deps = createEngine({
    store: registeredStore(store, (name) => registry.roles.has(name)),
    announce: undefined,
    stageFeatures: [RUN_FILTERS],
    features: ENGINE_FEATURES,
    wording: { ...ENGINE_WORDING, ...wording },
    publisher: queue.publisher,
    clock: systemClock,
    log,
    maskerFor: replaceGuards(guards, guard),
    ...signatures,
    llm: createLlmClient({
      env,
      secrets: known,
      log: (message, fields) => log.warn(fields, message),
      clients: { [SCRIPT_PROVIDER]: async () => createScriptClient() },
    }),
    agents: registry.askable,
    sources,
  });
  return {
    deps,
    register(agent) {
      checkRegistration(agent, registry, signatures.sign !== undefined);
      for (const server of addRegistration(agent, registry)) sources.push(...servers.connect(server));
      if (registry.apiKey !== undefined) {
        env.GEMINI_API_KEY = registry.apiKey;
        learned.learn('gemini', [registry.apiKey]);
      }
      return agent;
    },
    async close() {
      await Promise.allSettled([servers.close(), queue.close?.(), queue.publisher.close()]);
      await store.close();
    },
  };
}

/** The connections to MCP servers, whose secrets are masked. */
function createServerConnections(learned: LearnedSecrets, known: readonly string[]) {
  const now = () => systemClock.now().getTime();
  const kept = keepConnections({ now, connect: connectWith(createServerTokens({ learned, now }), known) });
  return {
    connect({ name, config }: McpSource): ToolSource[] {
      learned.learn(name, knownSecrets({}, { [name]: config }));
      return mcpSources({ [name]: config }, kept.connect, known);
    },
    close: () => kept.close(),
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
