// A circuit: after failures in a row nothing is sent for some time, then requests try again. A failure of
// these opens it again, and answers close it. Pure: callers keep the state in a document or in memory, and
// choose the unit of time.

/** The part of a circuit that decides. */
export interface Circuit {
  /** Failures since the last answer. */
  failures: number;
  /** Until when nothing is sent; null while it is closed. */
  openUntil: number | null;
}

/** Without failures. */
export const CLOSED: Circuit = { failures: 0, openUntil: null };

/**
 * The requests that are sent. `closed`: all; `open`: none; `half_open`: trial requests, because its time is
 * over.
 */
export function circuitState({ openUntil }: Circuit, now: number): 'closed' | 'open' | 'half_open' {
  if (openUntil === null) return 'closed';
  return openUntil > now ? 'open' : 'half_open';
}

/**
 * The circuit after a failure.
 * @param maxFailures failures in a row that open a closed circuit.
 * @param openUntil gives the time until which it is open now; only called if it opens.
 */
export function afterFailure(before: Circuit, maxFailures: number, openUntil: () => number): Circuit {
  const failures = before.failures + 1;
  const opens = before.openUntil !== null || failures >= maxFailures;
  return { failures, openUntil: opens ? openUntil() : null };
}
