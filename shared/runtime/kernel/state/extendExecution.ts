// The deadline of an execution after time that does not count: a wait for a model, or a pause of the installation. Pure.

import type { Execution } from '../../../schema/execution.ts';

/** Time in which an execution can conclude after an execution that it waits for, in milliseconds. */
export const TIME_AFTER_MS = 60_000;

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
export const ms = (date: Date): number => date.getTime();
/** The earlier of two times. */
export const earlier = (one: Date, other: Date): Date => (one < other ? one : other);
/** The later of two times. */
export const later = (one: Date, other: Date): Date => (one > other ? one : other);

/** The deadline of an execution after a wait. Time that an earlier wait covers counts once. */
export function extendExecution(
  { deadline, waitedUntil }: Extended,
  { from, to }: Wait,
  latest: Date,
): Extended {
  const start = waitedUntil === null ? from : later(from, waitedUntil);
  if (to <= start) return { deadline, waitedUntil };
  const extended = new Date(ms(deadline) + ms(to) - ms(start));
  return { deadline: later(deadline, earlier(extended, latest)), waitedUntil: to };
}
