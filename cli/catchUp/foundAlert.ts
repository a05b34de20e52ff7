// An alert that fires at a source, as its webhook would have sent it.

/** A firing alert, or a group of them. */
export interface FoundAlert {
  /** The payload of the webhook, with the start of the alert. The same for each call while the alert does not change. */
  payload: object;
  /** When it started to fire; of a group, its newest alert. */
  startedAt: Date;
  /** For people. */
  title: string;
}
