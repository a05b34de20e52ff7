// What the runtime needs from outside. shared/wiring/ builds it; tests and simulation wire their own.

import type { LlmClient } from '../contract/llm.ts';
import type { Publisher } from '../contract/publisher.ts';
import type { Store } from '../contract/store.ts';
import type { ConnectTools } from '../contract/tools.ts';
import type { Logger } from '../log.ts';
import type { AgentSnapshot } from '../schema/agent.ts';
import type { Reach } from './crashPoints.ts';

export interface Clock {
  now(): Date;
  /** Calls `action` every `ms` milliseconds until the returned function is called. Never keeps the process alive. */
  every(ms: number, action: () => void): () => void;
  /** Calls `action` once after `ms` milliseconds, unless the returned function is called before. */
  after(ms: number, action: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => new Date(),
  every(ms, action) {
    const timer = setInterval(action, ms).unref();
    return () => clearInterval(timer);
  },
  after(ms, action) {
    // setTimeout fires at once above 2^31-1 ms; a limit of 24 days is as good as none.
    const timer = setTimeout(action, Math.min(ms, 2 ** 31 - 1)).unref();
    return () => clearTimeout(timer);
  },
};

/** For all that works on stored state alone: stages, the sweep, cancellations, dead letters. */
export interface StateDeps {
  store: Store;
  publisher: Publisher;
  clock: Clock;
  log: Logger;
  /** For tests and simulation: they end the process at named moments. Absent in production. */
  reach?: Reach | undefined;
}

/** Agents that this process has read, by the path of their snapshot. */
export type AgentCache = Map<string, AgentSnapshot>;

/** For iterations. */
export interface RuntimeDeps extends StateDeps {
  llm: LlmClient;
  connectTools: ConnectTools;
  /** Starts empty; what is in it is checked before it is used. */
  agentCache: AgentCache;
  /** A unique id, for lease holders. */
  newId(): string;
}
