// The interface of a feature of the sweep. `lists/sweepFeatures.ts` lists these features.

import type { ErrorCode } from '../../errors.ts';
import type { StateDeps } from '../deps.ts';

/** One feature of the sweep: work of each run, after the open sessions were checked. */
export interface SweepFeature {
  /** Does the work. The report contains the errors of the store. */
  run(deps: StateDeps): Promise<FeatureReport>;
}

/** The results of the work of a feature. */
export interface FeatureReport {
  /** Number of sessions that were started. */
  started: number;
  /** Sessions that could not be read or started. The next run tries again, unless a document is broken. */
  failures: SweepFailure[];
}

/** The most failures that a report lists: an outage fails every session for the same reason. */
export const LISTED_FAILURES = 20;

/** A session that the sweep could not repair or start. */
export interface SweepFailure {
  sessionId: string;
  /** Null for an error that does not come from this code. */
  code: ErrorCode | null;
  message: string;
}
