// The work of a claimed iteration, and what must follow it: the next message, or the end of the stage.

import type { ConversationMessage } from '../llm/types.ts';
import type { ToolExecutor } from '../tools/types.ts';
import { advanceStage } from './advanceStage.ts';
import { askModel } from './askModel.ts';
import { type Budget, startBudget } from './budget.ts';
import { type Connection, connectWithRetries, NO_TOOLS, unreachableTools } from './connectTools.ts';
import type { Ending, Work } from './decide.ts';
import type { RuntimeDeps } from './deps.ts';
import { entriesFor } from './entries.ts';
import { failIteration } from './failIteration.ts';
import type { HeldExecution } from './lease.ts';
import { endWith, publishIteration } from './nextIteration.ts';
import { runTools, storedCalls } from './runTools.ts';

/** What was read before the claim. */
export interface Loaded {
  conversation: ConversationMessage[];
  /** Indexes of calls whose holder died and that may not be repeated. */
  cutOff: number[];
}

/**
 * Does the work and lets the execution go on.
 * @throws LeaseLostError when the execution changed meanwhile; RetryableError when store or publisher failed.
 */
export async function workOn(
  held: HeldExecution,
  work: Work,
  loaded: Loaded,
  deps: RuntimeDeps,
): Promise<void> {
  if (work.kind === 'end') return endExecution(held, work.ending, deps);

  const budget = startBudget(held, deps.clock);
  const concluding = work.kind === 'ask_model' && work.mode === 'conclude';
  const { tools } = held.current().agent;
  const connection: Connection =
    concluding || tools.length === 0
      ? { executor: NO_TOOLS }
      : await connectWithRetries(tools, budget.signal, deps);
  try {
    await iterate(held, work, loaded, connection, budget, deps);
    await letGoOn(held, deps);
  } finally {
    budget.stop();
    // Last, because a server may take seconds to go, and nobody should wait for it.
    await connection.executor?.close();
  }
}

/** Ends the execution and lets its stage go on. */
export async function endExecution(held: HeldExecution, ending: Ending, deps: RuntimeDeps): Promise<void> {
  const now = deps.clock.now();
  await held.commit((current) => {
    const entries = entriesFor(current, now);
    return { execution: endWith(current, ending, entries, now), writes: entries.writes };
  });
  await letGoOn(held, deps);
}

async function iterate(
  held: HeldExecution,
  work: Exclude<Work, { kind: 'end' }>,
  { conversation, cutOff }: Loaded,
  connection: Connection,
  budget: Budget,
  deps: RuntimeDeps,
): Promise<void> {
  if (work.kind === 'run_tools') {
    const executor: ToolExecutor = connection.executor ?? unreachableTools(connection.error);
    return runTools({ held, calls: storedCalls(conversation), executor, budget, deps }, cutOff);
  }
  if (connection.executor === undefined) return failIteration(held, connection.error, deps);
  const { executor } = connection;
  const calls = await askModel(held, conversation, executor.list(), work.mode, budget, deps);
  if (calls.length > 0) await runTools({ held, calls, executor, budget, deps });
}

async function letGoOn(held: HeldExecution, deps: RuntimeDeps): Promise<void> {
  held.release();
  const execution = held.current();
  if (execution.endedAt === null) await publishIteration(deps.publisher, execution);
  else await advanceStage(execution, deps);
}
