// The end of an iteration: the execution that the next message will find, or the ending that is due instead.

import { type Publisher, TOPICS } from '../../contract/publisher.ts';
import { isTerminal, type TerminalStatus } from '../../schema/common.ts';
import type { Execution } from '../../schema/execution.ts';
import { ITERATION_MESSAGE_VERSION, type IterationMessage } from '../../schema/iterationMessage.ts';
import { appendMissingResult } from './callResult.ts';
import { type Ending, endingDue } from './decide.ts';
import type { Entries } from './entries.ts';

/**
 * The execution as the next iteration finds it. Ends it in the same batch when an ending is due.
 * @param timedOut whether this iteration ran out of time, in the model or in its tools.
 */
export function finishIteration(
  execution: Execution,
  entries: Entries,
  now: Date,
  timedOut: boolean,
): Execution {
  const next: Execution = {
    ...execution,
    iteration: execution.iteration + 1,
    claims: 0,
    consecutiveTimeouts: timedOut ? execution.consecutiveTimeouts + 1 : 0,
    pendingCalls: [],
    lease: null,
    lastEvent: entries.lastEvent(),
    lastMessage: entries.lastMessage(),
  };
  const ending = endingDue(next, now);
  // The number of the last iteration that ran stays when there will be no next one.
  return ending === undefined
    ? next
    : endWith({ ...next, iteration: execution.iteration }, ending, entries, now);
}

/** The execution ended badly, with the event that says why; calls without a result get one, so that no number is missing. */
export function endWith(execution: Execution, ending: Ending, entries: Entries, now: Date): Execution {
  const { status, failure } = ending;
  const eventStatus = status === 'completed' ? 'failed' : status;
  for (const call of execution.pendingCalls) {
    if (call.state === 'requested' || call.state === 'waiting') {
      appendMissingResult(call, `Not run: ${failure.message}`, eventStatus, entries);
    } else if (call.state === 'running') {
      const content = `No result: ${failure.message} The call had started; its effect is unverified.`;
      appendMissingResult(call, content, eventStatus, entries);
    }
  }
  entries.event({
    eventType: 'error',
    status: eventStatus,
    content: failure.message,
    metadata: {
      code: failure.code,
      retryable: false,
      recoverable: false,
      iteration: execution.iteration,
    },
  });
  return terminal(execution, { status, failure, finalAnalysis: null }, entries, now);
}

/** The execution in its last state. */
export function terminal(
  execution: Execution,
  end: { status: TerminalStatus; failure: Ending['failure'] | null; finalAnalysis: string | null },
  entries: Entries,
  now: Date,
): Execution {
  return {
    ...execution,
    ...end,
    pendingCalls: [],
    lease: null,
    lastEvent: entries.lastEvent(),
    lastMessage: entries.lastMessage(),
    endedAt: now,
  };
}

/** Publishes the message of an execution's current iteration; nothing for one that has ended. */
export async function publishIteration(publisher: Publisher, execution: Execution): Promise<void> {
  if (isTerminal(execution.status)) return;
  const { sessionId, executionId, iteration, traceparent } = execution;
  const message: IterationMessage = {
    schemaVersion: ITERATION_MESSAGE_VERSION,
    sessionId,
    executionId,
    iteration,
  };
  await publisher.publish(TOPICS.iterations, message, {
    sessionId,
    executionId,
    ...(traceparent !== null && { traceparent }),
  });
}
