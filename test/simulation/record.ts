// What happened in a run, as the world saw it: every write in the order it landed, every model call, every tool run.

import type { FunctionName } from '../../functions/manifest.ts';
import type { Write } from '../../shared/contract/store.ts';
import type { AgentCache } from '../../shared/runtime/deps.ts';
import type { Execution } from '../../shared/schema/execution.ts';
import type { Session } from '../../shared/schema/session.ts';
import type { Owner } from './virtualTime.ts';

/** A process of a function: its owner of events, its clock and its end. */
export interface Process extends Owner {
  name: string;
  /** How far its clock is ahead of the world's, in milliseconds. */
  skewMs: number;
  /** When it last stalled or the store failed it, in epoch milliseconds; undefined when all went well. */
  troubledAt?: number;
  /** What it has read of agents. */
  agentCache: AgentCache;
  /** Called once, when it dies. */
  onDeath: (() => void)[];
}

/** One call of a function, or of the one who cancels. */
export interface Invocation {
  id: number;
  what: FunctionName | 'cancel';
  process: Process;
  /** Epoch milliseconds. */
  startedAt: number;
  /** Of an iteration message: what it is about. */
  executionId?: string;
  iteration?: number;
  /** Until when it holds which execution, in epoch milliseconds, as far as the store knows. */
  leases: Map<string, number>;
  /** Executions that somebody with another clock took from it. */
  overtaken: Set<string>;
}

export interface LandedCommit {
  at: number;
  by: Invocation;
  writes: Write[];
}

/** A model call or a tool run. */
export interface Activity {
  kind: 'model' | 'tool';
  by: Invocation;
  executionId: string;
  iteration: number;
  /** Of a tool run: position of the call in the answer, whether it may be repeated, and its idempotency key. */
  index?: number;
  readOnly?: boolean;
  key?: string;
  startedAt: number;
  endedAt: number | undefined;
}

export interface RunRecord {
  commits: LandedCommit[];
  activities: Activity[];
  /** Each execution as it was written last, and by whom. */
  executions: Map<string, { value: Execution; by: Invocation; at: number }>;
  session: Session | undefined;
  /** When an iteration (`{executionId}.{iteration}`) was claimed first. */
  claims: Map<string, number>;
  /** When a message of an execution was published last, and how many messages the sweep published. */
  published: { lastAt: Map<string, number>; bySweep: number };
  /** What broke a rule the moment it happened; the rest is found afterwards. */
  violations: string[];
  /** For people: one line for everything that happened. */
  trace: string[];
}
