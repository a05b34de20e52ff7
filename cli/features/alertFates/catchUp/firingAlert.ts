// An alert that fires at a source, as its webhook would have sent it.

/** A firing alert, or a group of them. */
export interface FiringAlert {
  /** The webhook's payload with the alert's start: equal for each call of an unchanged alert. */
  payload: object;
  /** When it started to fire; of a group, its newest alert. */
  startedAt: Date;
  /** For people. */
  title: string;
}
