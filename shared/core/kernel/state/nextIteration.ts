// Ends an iteration: prepares the execution for the next message, or ends it if an ending is due.

import { type Publisher, TOPICS } from '../../contract/publisher.ts';
import { isTerminal, type TerminalStatus } from '../../schema/common.ts';
import { type Execution, isCollecting } from '../../schema/execution.ts';
import { ITERATION_MESSAGE_VERSION, type IterationMessage } from '../../schema/iterationMessage.ts';
import type { ExecutionBatch } from '../conversation/executionBatch.ts';
import { appendMissingResult } from './callResult.ts';
import { type Ending, endingDue } from './decide.ts';
import { hungServersAfter } from './hungServers.ts';

/** The outcome of an iteration's model call, in addition to its calls. */
export interface ModelOutcome {
  /** Whether it timed out. */
  timedOut?: boolean;
  /** Whether the answer was empty. */
  answeredNothing?: boolean;
}

/**
 * Returns the execution for the next iteration. Ends it in the same batch if an ending is due. Only a
 * time-out of the model call counts; that of a tool is a result for the model. Failures of collected calls do
 * not count: the model reads them, and nothing else depends on them.
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
    startedClaims: 0,
    consecutiveTimeouts: timedOut ? execution.consecutiveTimeouts + 1 : 0,
    hungServers: collects ? execution.hungServers : hungServersAfter(execution),
    emptyAnswers: answeredNothing ? execution.emptyAnswers + 1 : 0,
    pendingCalls: [],
    outage: null,
    lease: null,
    ...(collects && { lastInteractionFailed: false, lastErrorMessage: null }),
  };
  const ending = endingDue(next, batch.now);
  // An ended execution keeps the number of its last iteration.
  return ending === undefined
    ? next
    : endWithFailure({ ...next, iteration: execution.iteration }, ending, batch);
}

/**
 * Returns the execution ended by a failure. Appends the error event, and a result for every call without one,
 * so that no reserved number stays unused.
 */
export function endWithFailure(execution: Execution, ending: Ending, batch: ExecutionBatch): Execution {
  const { status, failure } = ending;
  const eventStatus = status === 'completed' ? 'failed' : status;
  for (const call of execution.pendingCalls) {
    if (call.state === 'waiting' && call.waitsFor?.kind === 'child') {
      const content = `No result: ${failure.message} The asked agent was ended, too.`;
      appendMissingResult(call, content, eventStatus, batch);
    } else if (call.state === 'requested' || call.state === 'waiting') {
      appendMissingResult(call, `Not run: ${failure.message}`, eventStatus, batch);
    } else if (call.state === 'running') {
      const content = `No result: ${failure.message} The call had started; its effect is unverified.`;
      appendMissingResult(call, content, eventStatus, batch, call.readOnly ? undefined : 'unknown');
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

/** The execution in its final state: without lease and pending calls. */
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

/** Publishes the message of an execution's current iteration; does nothing if the execution has ended. */
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
