// One message, one iteration: load, decide, claim, do the work, let it go on.
// What makes it safe to repeat stands in docs/architecture.md, "The iteration protocol".

import { RetryableError, TerminalError } from '../errors.ts';
import { executionType, paths } from '../schema/documents.ts';
import type { Execution } from '../schema/execution.ts';
import type { IterationMessage } from '../schema/iterationMessage.ts';
import type { Stored } from '../store/store.ts';
import { advanceStage } from './advanceStage.ts';
import { type LoadedConversation, loadConversation } from './conversation.ts';
import { type Decision, decide, type Work } from './decide.ts';
import type { RuntimeDeps } from './deps.ts';
import { claim, type HeldExecution, LeaseLostError } from './lease.ts';
import { publishIteration } from './nextIteration.ts';
import { isSettled, startNextWave } from './pendingCalls.ts';
import { endExecution, workOn } from './workOn.ts';

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
  for (let race = 1; race <= MAX_RACES; race++) {
    const [stored, messages] = await Promise.all([
      deps.store.get(paths.execution(sessionId, executionId), executionType),
      loadConversation(deps.store, sessionId, executionId),
    ]);
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
      case 'end':
      case 'ask_model':
      case 'run_tools': {
        const work = workable(decision, stored.value, messages);
        // The two reads are not one snapshot; a commit between them shows in one only. Look again, but not for ever.
        if (work === undefined && race < MAX_RACES) continue;
        const execution = await runClaimed(stored, work ?? incomplete(), messages, deps);
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

/** What can be done with the messages that were read; undefined when some are missing. An ending needs none. */
function workable(work: Work, execution: Execution, messages: LoadedConversation): Work | undefined {
  if (work.kind === 'end') return work;
  if (messages.failure !== undefined) {
    return { kind: 'end', ending: { status: 'failed', failure: messages.failure } };
  }
  const unsettled = execution.pendingCalls.filter((call) => !isSettled(call));
  return messages.conversation.length === execution.lastMessage - unsettled.length ? work : undefined;
}

function incomplete(): Work {
  const message = 'Messages of this execution are missing in the store.';
  return { kind: 'end', ending: { status: 'failed', failure: { code: 'DOCUMENT_INVALID', message } } };
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
  deps.publisher.warm();
  try {
    await workOn(
      held,
      work,
      { conversation: messages.conversation, cutOff: cutOffCalls(stored.value) },
      deps,
    );
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
  if (work.kind === 'end') return execution;
  const begun: Execution = {
    ...execution,
    notBefore: null,
    status: 'active',
    startedAt: execution.startedAt ?? deps.clock.now(),
  };
  return work.kind === 'run_tools' ? { ...begun, pendingCalls: startNextWave(begun.pendingCalls) } : begun;
}

/** Calls that were running when their holder died and may not be repeated. */
function cutOffCalls(execution: Execution): number[] {
  return execution.pendingCalls
    .filter((call) => call.state === 'running' && !call.readOnly)
    .map((call) => call.index);
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
    await endExecution(held, { status: 'failed', failure }, deps);
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
