// An alert that fires at a source, as its webhook would have sent it.

/** A firing alert, or a group of them. */
export interface FoundAlert {
  /** The payload of the webhook. The same for each call while the alert does not change. */
  payload: object;
  /** Identifies it at its source, together with `startedAt`. */
  identity: string;
  /** When it started to fire; of a group, its newest alert. */
  startedAt: Date;
  /** For people. */
  title: string;
}
