// What holds when no configuration file says otherwise. config/system.yaml shows the same values, commented out.

import type { Limits } from '../schema/agent.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;

export const DEFAULT_LIMITS: Limits = {
  maxIterations: 20,
  iterationTimeoutMs: 120 * SECOND,
  toolTimeoutMs: 60 * SECOND,
  toolResultBytes: 64_000,
  afterFailure: 'fail',
};

/** After this a session ends as timed out. */
export const DEFAULT_SESSION_DEADLINE_MS = 40 * MINUTE;

/** How long a session is kept before Firestore's TTL policy deletes it. */
export const DEFAULT_RETENTION_MS = 30 * DAY;

/** How much of an alert's body the model is shown; the rest stays in the store. */
export const DEFAULT_ALERT_PROMPT_BYTES = 64_000;
