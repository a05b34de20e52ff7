// Default values of the configuration files. config/system.yaml shows the same values, commented out.

const SECOND = 1000;
const MINUTE = 60 * SECOND;

/** Maximum number of sessions from alerts in an hour. An alert storm exceeds it and has one cause. */
export const DEFAULT_SESSIONS_PER_HOUR = 100;

/** Time after which a session ends as timed out, in milliseconds. */
export const DEFAULT_SESSION_DEADLINE_MS = 40 * MINUTE;

/** How much of an alert's body is shown to the model, in UTF-8 bytes; the rest stays in the store. */
export const DEFAULT_ALERT_PROMPT_BYTES = 64_000;

/** How much of a runbook is shown to the model, in UTF-8 bytes. */
export const DEFAULT_RUNBOOK_BYTES = 32_000;
