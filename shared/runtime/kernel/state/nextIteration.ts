// The end of an iteration: the execution as the next message finds it, or its ending when one is due.

import { type Publisher, TOPICS } from '../../../contract/publisher.ts';
import { isTerminal, type TerminalStatus } from '../../../schema/common.ts';
import { type Execution, isCollecting } from '../../../schema/execution.ts';
import { ITERATION_MESSAGE_VERSION, type IterationMessage } from '../../../schema/iterationMessage.ts';
import type { ExecutionBatch } from '../conversation/executionBatch.ts';
import { appendMissingResult } from './callResult.ts';
import { type Ending, endingDue } from './decide.ts';
import { hungServersAfter } from './hungServers.ts';

/** How the model call of an iteration went, beside what its calls say. */
export interface ModelOutcome {
  /** Whether it ran out of time. */
  timedOut?: boolean;
  /** Whether the model answered nothing. */
  answeredNothing?: boolean;
}

/**
 * The execution as the next iteration finds it. Ends it in the same batch when an ending is due. Only a time-out of the
 * model call counts; that of a tool is a result for the model. What was collected before the model is asked counts as no
 * failure: the model reads it, and nothing else depends on it.
 */
export function finishIteration(
  execution: Execution,
  batch: ExecutionBatch,
  { timedOut = false, answeredNothing = false }: ModelOutcome = {},
): Execution {
  const collects = isCollecting(execution);
  const next: Execution = {
    ...execution,
    ...batch.counters(),
    iteration: execution.iteration + 1,
    claims: 0,
    consecutiveTimeouts: timedOut ? execution.consecutiveTimeouts + 1 : 0,
    hungServers: collects ? execution.hungServers : hungServersAfter(execution),
    emptyAnswers: answeredNothing ? execution.emptyAnswers + 1 : 0,
    pendingCalls: [],
    outage: null,
    lease: null,
    ...(collects && { lastInteractionFailed: false, lastErrorMessage: null }),
  };
  const ending = endingDue(next, batch.now);
  // An execution that ends keeps the number of the iteration that ran last.
  return ending === undefined
    ? next
    : endWithFailure({ ...next, iteration: execution.iteration }, ending, batch);
}

/**
 * The execution ended by a failure. Appends the error event, and a result for every call that has none, so that no
 * reserved number stays empty.
 */
export function endWithFailure(execution: Execution, ending: Ending, batch: ExecutionBatch): Execution {
  const { status, failure } = ending;
  const eventStatus = status === 'completed' ? 'failed' : status;
  for (const call of execution.pendingCalls) {
    if (call.state === 'waiting' && call.waitsFor?.kind === 'child') {
      const content = `No result: ${failure.message} The agent that was asked is ended, too.`;
      appendMissingResult(call, content, eventStatus, batch);
    } else if (call.state === 'requested' || call.state === 'waiting') {
      appendMissingResult(call, `Not run: ${failure.message}`, eventStatus, batch);
    } else if (call.state === 'running') {
      const content = `No result: ${failure.message} The call had started; its effect is unverified.`;
      appendMissingResult(call, content, eventStatus, batch);
    }
  }
  batch.appendEvent({
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
  return closeExecution(execution, { status, failure, finalAnalysis: null }, batch);
}

/** The execution in its last state: without lease and pending calls. */
export function closeExecution(
  execution: Execution,
  end: { status: TerminalStatus; failure: Ending['failure'] | null; finalAnalysis: string | null },
  batch: ExecutionBatch,
): Execution {
  return {
    ...execution,
    ...end,
    ...batch.counters(),
    pendingCalls: [],
    outage: null,
    lease: null,
    endedAt: batch.now,
  };
}

/** Publishes the message of an execution's current iteration; nothing for one that has ended. */
export async function publishIteration(
  publisher: Publisher,
  execution: Pick<Execution, 'status' | 'sessionId' | 'executionId' | 'iteration' | 'traceparent'>,
): Promise<void> {
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
