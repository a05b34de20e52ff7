// One message, one iteration: load, decide, claim, do the work, publish what follows.
// What makes it safe to repeat stands in docs/reliability.md.

import type { ConversationMessage } from '../../contract/llm.ts';
import type { Stored } from '../../contract/store.ts';
import { controllerFor } from '../../controller/registry.ts';
import { RetryableError, TerminalError } from '../../errors.ts';
import type { Agent } from '../../schema/agent.ts';
import { type Failure, failureOf } from '../../schema/common.ts';
import { executionType, paths } from '../../schema/documents.ts';
import type { Execution } from '../../schema/execution.ts';
import type { IterationMessage } from '../../schema/iterationMessage.ts';
import { CRASH_POINTS } from '../crashPoints.ts';
import type { RuntimeDeps } from '../deps.ts';
import { RACE_LOST, retryLostRaces } from '../races.ts';
import { advanceStage } from '../stage/advanceStage.ts';
import { startBudget } from './budget.ts';
import { loadConversation } from './conversation.ts';
import { type Decision, decide, type Ending, type Work } from './decide.ts';
import { endHeld, endOpen } from './endExecution.ts';
import { claim, type HeldExecution, LeaseLostError } from './lease.ts';
import { loadAgent, loadSnapshot } from './loadAgent.ts';
import { publishIteration } from './nextIteration.ts';
import { cutOffCalls, isSettled, startNextWave } from './pendingCalls.ts';
import { performIteration } from './performIteration.ts';

/** What became of a message. All of them are acked; what must be redelivered throws a RetryableError. */
export type IterationOutcome =
  | { kind: 'ran'; execution: Execution }
  /** Without having run: out of time, out of iterations, or its documents cannot be read. */
  | { kind: 'ended'; execution: Execution }
  | { kind: 'already_ended' }
  | { kind: 'late_copy'; republished: boolean }
  /** It waits for children or people, which go on by themselves. */
  | { kind: 'waits' }
  /** To be recorded by the caller. */
  | { kind: 'rejected'; reason: 'EXECUTION_UNKNOWN' | 'ITERATION_AHEAD' };

/** How often one delivery looks again after it lost a race; then Pub/Sub's back-off is the better wait. */
const MAX_RACES = 5;

/**
 * Handles one iteration message.
 * @throws RetryableError when it must be delivered again: another process is at work, or store, publisher failed.
 */
export function runIteration(message: IterationMessage, deps: RuntimeDeps): Promise<IterationOutcome> {
  return retryLostRaces(`execution ${message.executionId}`, MAX_RACES, ({ isLast }) =>
    tryIteration(message, isLast, deps),
  );
}

async function tryIteration(
  message: IterationMessage,
  isLast: boolean,
  deps: RuntimeDeps,
): Promise<IterationOutcome | typeof RACE_LOST> {
  const { sessionId, executionId } = message;
  const [stored, messages, snapshot] = await Promise.all([
    deps.store.get(paths.execution(sessionId, executionId), executionType),
    loadConversation(deps.store, sessionId, executionId),
    loadSnapshot(sessionId, executionId, deps),
  ]);
  await deps.reach?.(CRASH_POINTS.afterLoad);
  if (stored === undefined) return { kind: 'rejected', reason: 'EXECUTION_UNKNOWN' };
  const decision = decide(stored.value, message, deps.clock.now());
  switch (decision.kind) {
    case 'reject_ahead':
      return { kind: 'rejected', reason: 'ITERATION_AHEAD' };
    case 'already_ended':
      await advanceStage(stored.value, deps);
      return decision;
    case 'late_copy':
      if (decision.republish) await publishIteration(deps.publisher, stored.value);
      return { kind: 'late_copy', republished: decision.republish };
    case 'busy':
    case 'wait':
      throw retryLater(executionId, decision, deps);
    case 'end':
      return ended(stored, decision.ending, deps);
    case 'waits':
      return decision;
    case 'ask_model':
    case 'run_tools': {
      const agent = await loadAgent(stored.value, snapshot, deps);
      if (agent.failure !== undefined) return failed(stored, agent.failure, deps);
      if (messages.failure !== undefined) return failed(stored, messages.failure, deps);
      const loaded = { agent: agent.value, conversation: messages.value };
      if (isWhole(stored.value, loaded.conversation)) return runClaimed(stored, decision, loaded, deps);
      // The two reads are not one snapshot; a commit between them shows in one only. Read again, but not for ever.
      return isLast ? failed(stored, MESSAGES_MISSING, deps) : RACE_LOST;
    }
  }
}

const MESSAGES_MISSING: Failure = {
  code: 'DOCUMENT_INVALID',
  message: 'Messages of this execution are missing in the store.',
};

/** Whether the conversation that was read is the one the execution counts. */
function isWhole({ pendingCalls, lastMessage }: Execution, conversation: ConversationMessage[]): boolean {
  const unsettled = pendingCalls.filter((call) => !isSettled(call));
  return conversation.length === lastMessage - unsettled.length;
}

async function ended(
  stored: Stored<Execution>,
  ending: Ending,
  deps: RuntimeDeps,
): Promise<IterationOutcome | typeof RACE_LOST> {
  const execution = await endOpen(stored, ending, deps);
  return execution === undefined ? RACE_LOST : { kind: 'ended', execution };
}

function failed(stored: Stored<Execution>, failure: Failure, deps: RuntimeDeps) {
  return ended(stored, { status: 'failed', failure }, deps);
}

/** Does the work under a lease. The race may be lost before the claim or after it. */
async function runClaimed(
  stored: Stored<Execution>,
  work: Work,
  { agent, conversation }: { agent: Agent; conversation: ConversationMessage[] },
  deps: RuntimeDeps,
): Promise<IterationOutcome | typeof RACE_LOST> {
  const held = await claim(stored, deps, (execution) => prepared(execution, work, deps));
  if (held === undefined) return RACE_LOST;
  const budget = startBudget(held, deps.clock);
  try {
    await deps.reach?.(CRASH_POINTS.afterClaim);
    deps.publisher.warm();
    const controller = controllerFor(agent.strategy);
    const cutOff = cutOffCalls(stored.value.pendingCalls);
    await performIteration({ held, agent, controller, budget, deps }, work, { conversation, cutOff });
  } catch (error) {
    if (error instanceof LeaseLostError) return RACE_LOST;
    if (!(await endOrHandBack(held, error, deps))) throw error;
  } finally {
    budget.stop();
    held.release();
  }
  return { kind: 'ran', execution: held.current() };
}

function prepared(execution: Execution, work: Work, deps: RuntimeDeps): Execution {
  const begun: Execution = {
    ...execution,
    notBefore: null,
    status: 'active',
    startedAt: execution.startedAt ?? deps.clock.now(),
  };
  return work.kind === 'run_tools' ? { ...begun, pendingCalls: startNextWave(begun.pendingCalls) } : begun;
}

/**
 * What cannot be stored or done at all would fail the same way at every delivery: the execution ends. After any other
 * error the lease is handed back, so that the next delivery need not wait until it runs out.
 * @returns whether the error is dealt with. If not, the message must come again: what follows the work is not done.
 */
async function endOrHandBack(held: HeldExecution, error: unknown, deps: RuntimeDeps): Promise<boolean> {
  if (held.current().lease === null) return false;
  if (error instanceof TerminalError) {
    await endHeld(held, { status: 'failed', failure: failureOf(error) }, deps);
    return true;
  }
  await held
    .commit((execution) => ({ execution: { ...execution, lease: null }, writes: [] }))
    .catch(() => undefined);
  return false;
}

function retryLater(
  executionId: string,
  { kind, until }: Extract<Decision, { kind: 'busy' | 'wait' }>,
  deps: RuntimeDeps,
): RetryableError {
  const retryAfterMs = Math.max(0, until.getTime() - deps.clock.now().getTime());
  return kind === 'busy'
    ? new RetryableError('EXECUTION_BUSY', `another delivery works on execution ${executionId}`, {
        retryAfterMs,
      })
    : new RetryableError(
        'EXECUTION_WAITING',
        `execution ${executionId} pauses until ${until.toISOString()}`,
        {
          retryAfterMs,
        },
      );
}
