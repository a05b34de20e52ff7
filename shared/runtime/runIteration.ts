// One message, one iteration: load, decide, claim, ask the model, run tools, publish the successor.
// What makes it safe to repeat stands in docs/architecture.md, "The iteration protocol".

import { RetryableError, TerminalError } from '../errors.ts';
import type { ConversationMessage } from '../llm/types.ts';
import { executionType, paths } from '../schema/documents.ts';
import type { Execution } from '../schema/execution.ts';
import type { IterationMessage } from '../schema/iterationMessage.ts';
import type { Stored } from '../store/store.ts';
import { advanceStage } from './advanceStage.ts';
import { askModel } from './askModel.ts';
import { startBudget } from './budget.ts';
import { connectWithRetries, NO_TOOLS, unreachableTools } from './connectTools.ts';
import { loadConversation } from './conversation.ts';
import { type Decision, decide, type Ending } from './decide.ts';
import type { RuntimeDeps } from './deps.ts';
import { entriesFor } from './entries.ts';
import { failIteration } from './failIteration.ts';
import { claim, type HeldExecution, LeaseLostError } from './lease.ts';
import { endWith, publishIteration } from './nextIteration.ts';
import { isSettled, startNextWave } from './pendingCalls.ts';
import { runTools, storedCalls } from './runTools.ts';

/** What became of a message. All of them are acked; what must be redelivered throws a RetryableError. */
export type IterationOutcome =
  | { kind: 'ran'; execution: Execution }
  | { kind: 'already_ended' }
  | { kind: 'late_copy'; republished: boolean }
  /** To be recorded by the caller. */
  | { kind: 'rejected'; reason: 'EXECUTION_UNKNOWN' | 'ITERATION_AHEAD' };

/** How often one delivery looks again after it lost a race; then Pub/Sub's back-off is the better wait. */
const MAX_RACES = 5;

/**
 * Handles one iteration message.
 * @throws RetryableError when it must be delivered again: somebody else is at work, or store, publisher failed.
 */
export async function runIteration(message: IterationMessage, deps: RuntimeDeps): Promise<IterationOutcome> {
  const { sessionId, executionId } = message;
  for (let race = 0; race < MAX_RACES; race++) {
    const [stored, conversation] = await Promise.all([
      deps.store.get(paths.execution(sessionId, executionId), executionType),
      loadConversation(deps.store, sessionId, executionId),
    ]);
    const decision = decide(stored?.value, message, deps.clock.now());
    deps.log.debug(
      { sessionId, executionId, iteration: message.iteration, decision: decision.kind },
      'decided',
    );

    if (stored === undefined) return { kind: 'rejected', reason: 'EXECUTION_UNKNOWN' };
    switch (decision.kind) {
      case 'reject_unknown':
        return { kind: 'rejected', reason: 'EXECUTION_UNKNOWN' };
      case 'reject_ahead':
        return { kind: 'rejected', reason: 'ITERATION_AHEAD' };
      case 'already_ended':
        await advanceStage(stored.value, deps);
        return { kind: 'already_ended' };
      case 'late_copy':
        if (decision.republish) await publishIteration(deps.publisher, stored.value);
        return { kind: 'late_copy', republished: decision.republish };
      case 'busy':
        throw busy(executionId, decision.until, deps);
      case 'end':
      case 'ask_model':
      case 'run_tools': {
        if (!isWhole(stored.value, conversation)) continue;
        const execution = await runClaimed(stored, decision, conversation, deps);
        if (execution === undefined) continue;
        if (execution.endedAt !== null) await advanceStage(execution, deps);
        else await publishIteration(deps.publisher, execution);
        return { kind: 'ran', execution };
      }
    }
  }
  throw new RetryableError(
    'STORE_CONFLICT',
    `execution ${executionId} kept changing under ${MAX_RACES} tries`,
  );
}

/** The two reads are not one snapshot: a commit between them may show in the execution and not in the messages. */
function isWhole(execution: Execution, conversation: ConversationMessage[]): boolean {
  const missing = execution.pendingCalls.filter((call) => !isSettled(call)).length;
  return conversation.length === execution.lastMessage - missing;
}

type Work = Extract<Decision, { kind: 'end' | 'ask_model' | 'run_tools' }>;

/** Does the work under a lease. Undefined when the race was lost, before the claim or after it. */
async function runClaimed(
  stored: Stored<Execution>,
  decision: Work,
  conversation: ConversationMessage[],
  deps: RuntimeDeps,
): Promise<Execution | undefined> {
  const held = await claim(stored, deps, (execution) =>
    decision.kind === 'run_tools'
      ? { ...execution, pendingCalls: startNextWave(execution.pendingCalls) }
      : execution,
  );
  if (held === undefined) return undefined;
  deps.publisher.warm();
  try {
    await work(held, decision, conversation, cutOffCalls(stored.value), deps);
    return held.current();
  } catch (error) {
    if (error instanceof LeaseLostError) return undefined;
    // Something cannot be stored or done at all, and would fail the same way at every delivery.
    if (!(error instanceof TerminalError) || held.current().endedAt !== null) throw error;
    await end(held, { status: 'failed', failure: { code: error.code, message: error.message } }, deps);
    return held.current();
  } finally {
    held.release();
  }
}

async function work(
  held: HeldExecution,
  decision: Work,
  conversation: ConversationMessage[],
  cutOff: number[],
  deps: RuntimeDeps,
): Promise<void> {
  if (decision.kind === 'end') return end(held, decision.ending, deps);

  const budget = startBudget(held, deps.clock);
  const concluding = decision.kind === 'ask_model' && decision.mode === 'conclude';
  const { agent } = held.current();
  const connection =
    concluding || agent.tools.length === 0
      ? { executor: NO_TOOLS }
      : await connectWithRetries(agent.tools, budget.signal, deps);
  try {
    if (decision.kind === 'run_tools') {
      const executor = connection.executor ?? unreachableTools(connection.error);
      await runTools({ held, calls: storedCalls(conversation), executor, budget, deps }, cutOff);
      return;
    }
    if (connection.executor === undefined) {
      return await failIteration(held, connection.error, deps);
    }
    const { executor } = connection;
    const calls = await askModel(held, conversation, executor.list(), decision.mode, budget, deps);
    if (calls.length > 0) await runTools({ held, calls, executor, budget, deps });
  } finally {
    budget.stop();
    await connection.executor?.close();
  }
}

async function end(held: HeldExecution, ending: Ending, deps: RuntimeDeps): Promise<void> {
  const now = deps.clock.now();
  await held.commit((current) => {
    const entries = entriesFor(current, now);
    return { execution: endWith(current, ending, entries, now), writes: entries.writes };
  });
}

/** Calls that were running when their holder died and may not be repeated. */
function cutOffCalls(execution: Execution): number[] {
  return execution.pendingCalls
    .filter((call) => call.state === 'running' && !call.readOnly)
    .map((call) => call.index);
}

function busy(executionId: string, until: Date, deps: RuntimeDeps): RetryableError {
  const retryAfterMs = Math.max(0, until.getTime() - deps.clock.now().getTime());
  return new RetryableError('EXECUTION_BUSY', `another delivery works on execution ${executionId}`, {
    retryAfterMs,
  });
}
