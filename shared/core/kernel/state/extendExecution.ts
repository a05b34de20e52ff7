// An execution's deadline after uncounted time: a wait for a model, or an installation's pause. Pure.

import type { Execution } from '../../schema/execution.ts';

/** Time in which an execution can conclude after an execution that it waits for, in milliseconds. */
const TIME_AFTER_MS = 60_000;

/** A period that does not count. */
export interface Wait {
  /** Start of the wait: of the first failed call of an outage, or of a pause. */
  from: Date;
  /** End of the wait: the time of the next attempt, or the end of the pause. */
  to: Date;
}

/** The effect of a wait on an execution. */
export type Extended = Pick<Execution, 'deadline' | 'waitedUntil'>;

/** The time in epoch milliseconds. */
const ms = (date: Date): number => date.getTime();
/** The earlier of two times. */
export const earlier = (one: Date, other: Date): Date => (one < other ? one : other);
/** The later of two times. */
export const later = (one: Date, other: Date): Date => (one > other ? one : other);

/**
 * The part of a wait that no earlier wait covers. @param countedUntil the end of the earlier waits; null
 * without any.
 */
export function uncountedPart({ from, to }: Wait, countedUntil: Date | null): Wait & { ms: number } {
  const start = countedUntil === null ? from : later(from, countedUntil);
  return { from: start, to, ms: Math.max(0, ms(to) - ms(start)) };
}

/** A deadline after `waitedMs` that do not count: `latest` at most, and never earlier than before. */
export function extendDeadline(deadline: Date, waitedMs: number, latest: Date): Date {
  return later(deadline, earlier(new Date(ms(deadline) + waitedMs), latest));
}

/** The latest deadline of something that an execution waits for. */
export const deadlineBelow = (deadline: Date): Date => new Date(ms(deadline) - TIME_AFTER_MS);

/** The deadline of an execution after a wait. Time that an earlier wait covers counts once. */
export function extendExecution({ deadline, waitedUntil }: Extended, wait: Wait, latest: Date): Extended {
  const { ms: waitedMs } = uncountedPart(wait, waitedUntil);
  if (waitedMs === 0) return { deadline, waitedUntil };
  return { deadline: extendDeadline(deadline, waitedMs, latest), waitedUntil: wait.to };
}
