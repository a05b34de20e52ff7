// Notes an alert under the labels that it shares with other alerts, and reads these. Of two concurrent alerts
// at least one sees the other: each is noted before it reads.

import type { Alert } from '../../alerts/schema/alert.ts';
import {
  type CorrelationKeys,
  correlationTitle,
  correlationType,
  type RelatedAlert,
} from '../../alerts/schema/correlation.ts';
import { currentId } from '../../alerts/sharedLabels.ts';
import { readOrWarn, UNREADABLE } from '../../core/kernel/documents/reading.ts';
import { ignoreConflict } from '../../core/kernel/documents/retryConflict.ts';
import type { Session } from '../../core/schema/session.ts';
import { type CorrelationDeps, loadRelated } from '../../kits/alerts/loadRelated.ts';
import { cutText } from '../../text/cut.ts';

/** Alerts noted in a period; more are useless. Concurrent alerts can exceed it by a few. */
const MAX_NOTED = 100;
const MAX_TITLE = 300;
const MAX_SEVERITY = 100;

type NotedAlert = Pick<Session, 'sessionId' | 'tenantId' | 'expireAt'> & {
  alert: Alert;
};

/**
 * Notes an alert, unless its period is full.
 * @returns the alerts that share its labels.
 * @throws RetryableError `STORE_UNAVAILABLE`. A lost race with another writer is ignored: the alert is not
 * noted then.
 */
export async function noteAlert(
  noted: NotedAlert,
  correlation: CorrelationKeys,
  deps: CorrelationDeps,
): Promise<RelatedAlert[]> {
  const { sessionId, tenantId, expireAt, alert } = noted;
  const entry = relatedAlert({ sessionId, alert }, correlation.at);
  await Promise.all(
    correlation.keys.map(async (key) => {
      const path = correlationType.paths.correlation(currentId(key, correlation.at));
      const reading = deps.store.get(path, correlationType);
      const found = await readOrWarn(reading, 'an alert is not noted', deps.log);
      if (found === UNREADABLE) return;
      if ((found?.value.alerts.length ?? 0) >= MAX_NOTED) return;
      const value = { title: correlationTitle(entry.title), tenantId, count: 1, alerts: [entry], expireAt };
      await deps.store.increment(path, correlationType, value, 'count').catch(ignoreConflict);
    }),
  );
  return loadRelated({ sessionId, alert: { ...alert, title: entry.title }, correlation }, deps);
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
