// The runtime's dependencies. shared/wiring/ builds them for production; tests and simulation wire their own.

import { randomBytes as cryptoBytes } from 'node:crypto';
import type { Announce } from '../contract/announce.ts';
import type { GuardFor, MaskerFor } from '../contract/guard.ts';
import type { LlmClient } from '../contract/llm.ts';
import type { Logger } from '../contract/logger.ts';
import type { Publisher } from '../contract/publisher.ts';
import type { Sign, Verify } from '../contract/signatures.ts';
import type { Store } from '../contract/store.ts';
import type { Telemetry } from '../contract/telemetry.ts';
import type { ConnectTools } from '../contract/tools.ts';
import type { Wording } from '../prompts/wording.ts';
import type { AgentSnapshot, ModelSettings, PlannedAgent } from '../schema/agent.ts';
import type { ModelPrice } from '../schema/cost.ts';
import type { SystemPause } from '../schema/systemControl.ts';
import type { ConversationCache } from './conversation/conversationCache.ts';
import type { Failpoint } from './crashPoints.ts';
import type { ResultSizes } from './resultSizes.ts';
import type { StageFeature } from './stageFeature.ts';

/** Time and timers, so that tests and simulation can control them. */
export interface Clock {
  /** The current time, which stamps documents and decides deadlines. */
  now(): Date;
  /** Calls `action` every `ms` milliseconds until the returned function is called. Unreferenced. */
  every(ms: number, action: () => void): () => void;
  /** Calls `action` once after `ms` milliseconds, unless the returned function is called before. */
  after(ms: number, action: () => void): () => void;
}

/** The clock of this machine. */
export const systemClock: Clock = {
  now: () => new Date(),
  every(ms, action) {
    const timer = setInterval(action, ms).unref();
    return () => clearInterval(timer);
  },
  after(ms, action) {
    // setTimeout fires immediately above 2^31-1 ms (24 days), which is longer than any limit here.
    const timer = setTimeout(action, Math.min(ms, 2 ** 31 - 1)).unref();
    return () => clearTimeout(timer);
  },
};

/** Dependencies of work on stored state: stages, the sweep, cancellations, dead letters. */
export interface StateDeps {
  /** All state is read and written through it. */
  store: Store;
  /** Announces changes, and commits their batches. Undefined: nothing is announced. */
  announce: Announce | undefined;
  /** Publishes iterations and alerts. */
  publisher: Publisher;
  /** The only source of time. */
  clock: Clock;
  /** In production its lines are masked. */
  log: Logger;
  /** The texts of runs. */
  wording: Wording;
  /** The features of stages, in the order in which their hooks run. */
  stageFeatures: readonly StageFeature[];
  /** Exports spans and metrics. Absent: telemetry is off. */
  telemetry?: Telemetry | undefined;
  /** Called at every crash point; tests and simulation end the process there. Absent in production. */
  failpoint?: Failpoint | undefined;
}

/** The dependencies of opening a session. */
export interface AlertDeps extends StateDeps {
  /** The masker of a session, by its mask key. */
  maskerFor: MaskerFor;
  /** Signs decisions and presses of people. Absent: none can be stored. */
  sign?: Sign | undefined;
  /** Unpredictable bytes for nonces and keys. Default: `node:crypto`. For repeatable simulations. */
  randomBytes?: ((size: number) => Buffer) | undefined;
}

/** `size` unpredictable bytes, in hexadecimal. */
export function randomHex(
  { randomBytes = cryptoBytes }: Pick<AlertDeps, 'randomBytes'>,
  size: number,
): string {
  return randomBytes(size).toString('hex');
}

/** Agents that this process read, by path of their snapshot, checked against the execution. */
export type AgentCache = Map<string, AgentSnapshot>;

/** The pause of the installation that this process has read last. Starts empty. */
export interface PauseCache {
  /** The pause, null for none, and when it was read. */
  last?: { pause: SystemPause | null; readAt: Date };
}

/** The dependencies of an iteration. */
export interface RuntimeDeps extends AlertDeps {
  /** The guard of a session, by its mask key: a masker that also checks tools and answers. */
  maskerFor: GuardFor;
  /** The client of all models. */
  llm: LlmClient;
  /** Connects an agent to its MCP servers. */
  connectTools: ConnectTools;
  /** The agents of the files that others can ask, by name, with their current configuration. */
  agents: Readonly<Record<string, PlannedAgent>>;
  /** Published prices of a model whose settings have none. Absent: its cost is unknown. */
  listPrices?: (model: ModelSettings) => readonly ModelPrice[] | undefined;
  /** Verifies decisions about calls. Absent: no call that needs approval runs. */
  verify?: Verify | undefined;
  /** Starts empty. */
  agentCache: AgentCache;
  /** Starts empty. */
  conversations: ConversationCache;
  /** What features keep in this process, by feature. Starts empty. */
  featureCaches: Map<string, unknown>;
  /** Starts empty. Absent: every message reads whether the installation is paused. */
  pauseCache?: PauseCache | undefined;
  /** How large results are divided. Default: `DEFAULT_RESULT_SIZES`. For tests that cannot hold megabytes. */
  resultSizes?: ResultSizes | undefined;
  /** A random number from 0 up to 1, for jitter. Default: `Math.random`. */
  random?: (() => number) | undefined;
  /** A unique id, for lease holders. */
  newId(): string;
}
