// The work of a claimed iteration, and what must follow it: the next message, or the end of the stage.

import type { ConversationMessage } from '../../contract/llm.ts';
import type { ToolExecutor } from '../../contract/tools.ts';
import type { RuntimeDeps } from '../deps.ts';
import { askModel } from './askModel.ts';
import { type Budget, startBudget } from './budget.ts';
import { type Connection, connectWithRetries, NO_TOOLS, unreachableTools } from './connectTools.ts';
import type { Work } from './decide.ts';
import { letGoOn } from './endExecution.ts';
import { failIteration } from './failIteration.ts';
import type { HeldExecution } from './lease.ts';
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

async function iterate(
  held: HeldExecution,
  work: Work,
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
