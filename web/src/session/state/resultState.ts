// An unfolded result's state, kept by the session: distant rows are not drawn.

import { type Signal, signal } from '@preact/signals';

/** Lines that are shown at first. */
const FOLDED = 12;

/** Bytes up to which a result is read whole when it is unfolded. */
export const READ_AT_ONCE = 64_000;

/** The state of a result. */
export interface ResultState {
  /** The content as a whole; undefined until it is read. */
  whole: Signal<string | undefined>;
  /** Why it could not be read. */
  error: Signal<Error | undefined>;
  /** Number of lines that are shown. */
  limit: Signal<number>;
  isWrapped: Signal<boolean>;
  search: Signal<string>;
}

/** The state of a result that is unfolded for the first time. */
function createResultState(): ResultState {
  return {
    whole: signal<string | undefined>(undefined),
    error: signal<Error | undefined>(undefined),
    limit: signal(FOLDED),
    isWrapped: signal(true),
    search: signal(''),
  };
}

/** The state of a result, created at the first call. @param states of the session, by eventId. */
export function ensureResultState(states: Map<string, ResultState>, eventId: string): ResultState {
  const known = states.get(eventId) ?? createResultState();
  states.set(eventId, known);
  return known;
}
