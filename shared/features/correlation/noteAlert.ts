// Notes an alert under the labels that it shares with other alerts. Of two concurrent alerts at least one
// sees the other: each is noted before it reads.

import type { Alert } from '../../alerts/schema/alert.ts';
import {
  type CorrelationKeys,
  correlationTitle,
  correlationType,
  type RelatedAlert,
} from '../../alerts/schema/correlation.ts';
import { currentId } from '../../alerts/sharedLabels.ts';
import type { StateDeps } from '../../core/kernel/deps.ts';
import { readOrWarn, UNREADABLE } from '../../core/kernel/documents/reading.ts';
import { ignoreConflict } from '../../core/kernel/documents/retryConflict.ts';
import type { Session } from '../../core/schema/session.ts';
import { cutText } from '../../text/cut.ts';

/** Alerts noted in a period; more are useless. Concurrent alerts can exceed it by a few. */
const MAX_NOTED = 100;
/** So many alerts of a period are noted whenever they come, others at least this far from the one before. */
const NOTED_EACH = 10;
const NOTED_EVERY_MS = 5_000;
const MAX_TITLE = 300;
const MAX_SEVERITY = 100;

type NotedAlert = Pick<Session, 'sessionId' | 'tenantId' | 'expireAt'> & {
  alert: Alert;
};

/**
 * Notes an alert, unless its period is full, or a storm has written it a moment ago.
 * @throws RetryableError `STORE_UNAVAILABLE`. A lost race with another writer is ignored: the alert is not
 * noted then.
 */
export async function noteAlert(
  noted: NotedAlert,
  correlation: CorrelationKeys,
  { store, clock, log }: Pick<StateDeps, 'store' | 'clock' | 'log'>,
): Promise<void> {
  const { sessionId, tenantId, expireAt, alert } = noted;
  const entry = relatedAlert({ sessionId, alert }, correlation.at);
  await Promise.all(
    correlation.keys.map(async (key) => {
      const path = correlationType.paths.correlation(currentId(key, correlation.at));
      const reading = store.get(path, correlationType);
      const found = await readOrWarn(reading, 'an alert is not noted', log);
      if (found === UNREADABLE) return;
      const { length } = found?.value.alerts ?? [];
      const isSoon =
        found !== undefined && clock.now().getTime() - found.updatedAt.getTime() < NOTED_EVERY_MS;
      if (length >= MAX_NOTED || (length >= NOTED_EACH && isSoon)) return;
      const value = { title: correlationTitle(entry.title), tenantId, count: 1, alerts: [entry], expireAt };
      await store.increment(path, correlationType, value, 'count').catch(ignoreConflict);
    }),
  );
}

/** An alert as others see it. */
export function relatedAlert(
  { sessionId, alert }: Pick<NotedAlert, 'sessionId' | 'alert'>,
  at: Date,
): RelatedAlert {
  return {
    sessionId,
    startedAt: alert.startedAt,
    at,
    title: cutText(alert.title, MAX_TITLE),
    severity: alert.severity === null ? null : cutText(alert.severity, MAX_SEVERITY),
  };
}
