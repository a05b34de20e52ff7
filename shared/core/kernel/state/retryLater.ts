// The error for an early message: another process has its execution, or the execution pauses.

import { RetryableError } from '../../errors.ts';
import type { Decision } from './decide.ts';

/** The default pause of an execution: as long as Pub/Sub's first back-off, in milliseconds. */
export const PAUSE_MS = 10_000;

/** Longer pauses do not rely on redelivery: acknowledged, and published by the sweep. Milliseconds. */
export const PARKED_FROM_MS = 60_000;

/** Why, and until when, a message must wait. */
type TooEarly = Pick<Extract<Decision, { kind: 'busy' | 'wait' }>, 'kind' | 'until'>;

/** The error that causes a redelivery: `EXECUTION_BUSY` or `EXECUTION_WAITING`. */
export function retryLaterError(executionId: string, { kind, until }: TooEarly, now: Date): RetryableError {
  const options = { retryAfterMs: Math.max(0, until.getTime() - now.getTime()) };
  const waiting = `execution ${executionId} pauses until ${until.toISOString()}`;
  return kind === 'busy'
    ? new RetryableError('EXECUTION_BUSY', `another delivery works on execution ${executionId}`, options)
    : new RetryableError('EXECUTION_WAITING', waiting, options);
}
