// Copies of erased data that the command cannot delete, and until when they exist.

import { PULLED, PUSH } from '../../functions/manifest.ts';

const DAY_MS = 24 * 3_600_000;
/** Retention of the module's daily backups. */
const BACKUP_DAYS = 14;
/** How far a database with point-in-time recovery can be read back. */
const RECOVERY_DAYS = 7;
/** Retention of the counts of a month. */
const COUNT_DAYS = 60;
/** Retention of dropped and rejected alerts. */
const REJECTED_DAYS = 30;
/** Retention of presses and mentions. */
const INBOX_DAYS = 1;
/** How long Google keeps questions in the background that are not deleted. */
const QUESTION_DAYS = 55;
/** Default retention of Cloud Logging. */
const LOG_DAYS = 30;

interface Remainder {
  what: string;
  /** A day in UTC; null if the copy has no end of its own. */
  until: string | null;
}

/**
 * The copies, and the documents that name no owner, that remain after data was erased now.
 * @param questions the number of questions in the background that could not be deleted at Google.
 */
export function listRemainders(now: Date, questions = 0): Remainder[] {
  const after = (days: number) => new Date(now.getTime() + days * DAY_MS).toISOString().slice(0, 10);
  const kept = `questions in the background at Google: ${questions}, until the sweep has deleted them (else ${QUESTION_DAYS} days)`;
  return [
    ...(questions === 0 ? [] : [{ what: kept, until: after(QUESTION_DAYS) }]),
    {
      what: `counts of budgets, tokens, quotas and metrics, some by the name of a tenant, a user or a label (${COUNT_DAYS} days)`,
      until: after(COUNT_DAYS),
    },
    {
      what: `rejected messages that name neither tenant nor session, and alerts that versions before this one dropped (${REJECTED_DAYS} days)`,
      until: after(REJECTED_DAYS),
    },
    { what: `presses and mentions in Slack, without texts (${INBOX_DAYS} day)`, until: after(INBOX_DAYS) },
    { what: `daily backups of the database (${BACKUP_DAYS} days)`, until: after(BACKUP_DAYS) },
    { what: `point-in-time recovery, where it is on (${RECOVERY_DAYS} days)`, until: after(RECOVERY_DAYS) },
    { what: `logs, by the retention of their bucket (default: ${LOG_DAYS} days)`, until: after(LOG_DAYS) },
    { what: `messages in Pub/Sub (${PUSH.retentionDays} days)`, until: after(PUSH.retentionDays) },
    {
      what: `dead letters of alerts in Pub/Sub (${PULLED.retentionDays} days)`,
      until: after(PULLED.retentionDays),
    },
    {
      what: 'quotes in later sessions about the same problem, until these expire or are erased',
      until: null,
    },
    { what: 'what tools, models and sources of alerts received', until: null },
  ];
}
