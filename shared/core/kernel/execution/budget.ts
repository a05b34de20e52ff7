// Limits an iteration's time: its limit, the session's deadline or the lost lease, whichever is first.

import { secondsText } from '../../../text/amounts.ts';
import { RetryableError, TerminalError } from '../../errors.ts';
import type { Clock } from '../deps.ts';
import type { HeldExecution } from './lease.ts';

/** The time of an iteration. */
export interface Budget {
  /** Aborts with a typed error, so that a time-out is recognised by its class and code, never by its text. */
  readonly signal: AbortSignal;
  /** The latest time at which `signal` aborts. */
  readonly until: Date;
  /** Stops the timer when the iteration is over. */
  stop(): void;
}

/** Starts the budget of the iteration that `held` will run. The caller stops it when the iteration ends. */
export function startBudget(held: HeldExecution, clock: Clock): Budget {
  const { deadline, limits } = held.current();
  const now = clock.now().getTime();
  const { iterationTimeoutMs } = limits;
  const untilDeadline = Math.max(0, deadline.getTime() - now);

  const own = new AbortController();
  const cancel = clock.after(Math.min(iterationTimeoutMs, untilDeadline), () => {
    own.abort(
      untilDeadline <= iterationTimeoutMs
        ? new TerminalError(
            'DEADLINE_EXCEEDED',
            `the deadline of the stage or the investigation, ${deadline.toISOString()}, passed`,
          )
        : new RetryableError(
            'ITERATION_TIMEOUT',
            `the iteration did not finish within ${secondsText(iterationTimeoutMs)}.`,
          ),
    );
  });
  return {
    signal: AbortSignal.any([held.signal, own.signal]),
    until: new Date(now + Math.min(iterationTimeoutMs, untilDeadline)),
    stop: cancel,
  };
}

/** Whether an error is an expired time limit, of the iteration or of a model call. */
export function isTimeout(error: unknown): boolean {
  return (
    error instanceof RetryableError && (error.code === 'ITERATION_TIMEOUT' || error.code === 'MODEL_TIMEOUT')
  );
}
