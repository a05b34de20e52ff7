// How long one iteration may take: its own limit, the session's deadline, or the loss of the lease, whichever is first.

import { RetryableError, TerminalError } from '../../errors.ts';
import type { Clock } from '../deps.ts';
import type { HeldExecution } from './lease.ts';

/** The time an iteration has. */
export interface Budget {
  /** Aborted with a typed error: a time-out is told by its class and code, never by its text. */
  readonly signal: AbortSignal;
  /** When `signal` aborts at the latest. */
  readonly until: Date;
  stop(): void;
}

/** The budget of the iteration that `held` is about to run. Stop it when the iteration is over. */
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
            `the investigation's deadline ${deadline.toISOString()} passed`,
          )
        : new RetryableError(
            'ITERATION_TIMEOUT',
            `the iteration did not finish within ${iterationTimeoutMs / 1000} s.`,
          ),
    );
  });
  return {
    signal: AbortSignal.any([held.signal, own.signal]),
    until: new Date(now + Math.min(iterationTimeoutMs, untilDeadline)),
    stop: cancel,
  };
}

/** Whether an error is a time limit that ran out: of the iteration, or of a call inside it. */
export function isTimeout(error: unknown): boolean {
  return (
    error instanceof RetryableError && (error.code === 'ITERATION_TIMEOUT' || error.code === 'MODEL_TIMEOUT')
  );
}
