// What happened in a run, as the world saw it: every write in the order it landed, every model call, every tool run.

import type { FunctionName } from '../../functions/manifest.ts';
import type { Write } from '../../shared/contract/store.ts';
import type { Execution } from '../../shared/schema/execution.ts';
import type { Session } from '../../shared/schema/session.ts';
import type { Process } from './simulatedProcess.ts';

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
  /** When an iteration (`{executionId}.{iteration}`) was claimed first, and when a message of an execution was published last. */
  claims: Map<string, number>;
  published: Map<string, number>;
  /** What broke a rule the moment it happened; the rest is found afterwards. */
  violations: string[];
  /** For people: one line for everything that happened. */
  trace: string[];
}
