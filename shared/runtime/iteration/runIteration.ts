// One message, one iteration: load, decide, claim, do the work, let it go on.
// What makes it safe to repeat stands in docs/reliability.md.

import type { Stored } from '../../contract/store.ts';
import { RetryableError, TerminalError } from '../../errors.ts';
import type { Failure } from '../../schema/common.ts';
import { executionType, paths } from '../../schema/documents.ts';
import type { Execution } from '../../schema/execution.ts';
import type { IterationMessage } from '../../schema/iterationMessage.ts';
import { CRASH_POINTS } from '../crashPoints.ts';
import type { RuntimeDeps } from '../deps.ts';
import { advanceStage } from '../stage/advanceStage.ts';
import { type LoadedConversation, loadConversation } from './conversation.ts';
import { type Decision, decide, type Ending, type Work } from './decide.ts';
import { endHeld, endOpen } from './endExecution.ts';
import { claim, type HeldExecution, LeaseLostError } from './lease.ts';
import { publishIteration } from './nextIteration.ts';
import { cutOffCalls, isSettled, startNextWave } from './pendingCalls.ts';
import { workOn } from './workOn.ts';

/** What became of a message. All of them are acked; what must be redelivered throws a RetryableError. */
export type IterationOutcome =
  | { kind: 'ran'; execution: Execution }
  /** Without having run: out of time, out of iterations, or its documents cannot be read. */
  | { kind: 'ended'; execution: Execution }
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
  for (let race = 1; race <= MAX_RACES; race++) {
    const [stored, messages] = await Promise.all([
      deps.store.get(paths.execution(sessionId, executionId), executionType),
      loadConversation(deps.store, sessionId, executionId),
    ]);
    await deps.reach?.(CRASH_POINTS.afterLoad);
    if (stored === undefined) return { kind: 'rejected', reason: 'EXECUTION_UNKNOWN' };
    const decision = decide(stored.value, message, deps.clock.now());
    switch (decision.kind) {
      case 'reject_ahead':
        return { kind: 'rejected', reason: 'ITERATION_AHEAD' };
      case 'already_ended':
        await advanceStage(stored.value, deps);
        return { kind: 'already_ended' };
      case 'late_copy':
        if (decision.republish) await publishIteration(deps.publisher, stored.value);
        return { kind: 'late_copy', republished: decision.republish };
      case 'busy':
      case 'wait':
        throw later(executionId, decision, deps);
      case 'end': {
        const execution = await endOpen(stored, decision.ending, deps);
        if (execution === undefined) continue;
        return { kind: 'ended', execution };
      }
      case 'ask_model':
      case 'run_tools': {
        const missing = missingMessages(stored.value, messages);
        // The two reads are not one snapshot; a commit between them shows in one only. Look again, but not for ever.
        if (missing === 'some' && race < MAX_RACES) continue;
        if (missing !== 'none') {
          const execution = await endOpen(stored, endingOf(messages.failure), deps);
          if (execution === undefined) continue;
          return { kind: 'ended', execution };
        }
        const execution = await runClaimed(stored, decision, messages, deps);
        if (execution === undefined) continue;
        return { kind: 'ran', execution };
      }
    }
  }
  throw new RetryableError(
    'STORE_CONFLICT',
    `execution ${executionId} kept changing under ${MAX_RACES} tries`,
  );
}

/** Whether the conversation that was read is the one the execution counts. `all`: none of it can be read. */
function missingMessages(execution: Execution, messages: LoadedConversation): 'none' | 'some' | 'all' {
  if (messages.failure !== undefined) return 'all';
  const unsettled = execution.pendingCalls.filter((call) => !isSettled(call));
  return messages.conversation.length === execution.lastMessage - unsettled.length ? 'none' : 'some';
}

function endingOf(failure: Failure | undefined): Ending {
  const message = 'Messages of this execution are missing in the store.';
  return { status: 'failed', failure: failure ?? { code: 'DOCUMENT_INVALID', message } };
}

/** Does the work under a lease. Undefined when the race was lost, before the claim or after it. */
async function runClaimed(
  stored: Stored<Execution>,
  work: Work,
  messages: LoadedConversation,
  deps: RuntimeDeps,
): Promise<Execution | undefined> {
  const held = await claim(stored, deps, (execution) => prepared(execution, work, deps));
  if (held === undefined) return undefined;
  try {
    await deps.reach?.(CRASH_POINTS.afterClaim);
    deps.publisher.warm();
    const cutOff = cutOffCalls(stored.value.pendingCalls);
    await workOn(held, work, { conversation: messages.conversation, cutOff }, deps);
    return held.current();
  } catch (error) {
    if (error instanceof LeaseLostError) return undefined;
    if (await giveUp(held, error, deps)) return held.current();
    throw error;
  } finally {
    held.release();
  }
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
async function giveUp(held: HeldExecution, error: unknown, deps: RuntimeDeps): Promise<boolean> {
  if (held.current().lease === null) return false;
  if (error instanceof TerminalError) {
    const failure = { code: error.code, message: error.message };
    await endHeld(held, { status: 'failed', failure }, deps);
    return true;
  }
  await held
    .commit((execution) => ({ execution: { ...execution, lease: null }, writes: [] }))
    .catch(() => undefined);
  return false;
}

function later(
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
