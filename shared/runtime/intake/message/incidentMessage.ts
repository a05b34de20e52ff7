// An alert's message as a report of its incident.

import { type AlertReport, incidentKeyOf, reportOf } from '../../../alerts/incident.ts';
import { create, type Write } from '../../../contract/store.ts';
import { alertKeyType, paths } from '../../../schema/documents.ts';
import type { Alert, Session } from '../../../schema/session.ts';
import type { PubsubMessage } from '../../kernel/pubsubEvent.ts';

/** The longest time for which Pub/Sub keeps a message: until then it may be delivered again. */
const MESSAGE_RETENTION_MS = 31 * 24 * 3600 * 1000;

/** An alert without its secrets. */
export interface ReadAlert {
  alert: Alert;
  body: string;
  /** When the problem was over, as the source says; null when it does not. */
  endedAt: Date | null;
}

/** A message that reports something of an incident. */
export interface IncidentMessage {
  /** The key of its alert. */
  key: string;
  incidentKey: string;
  /** The attribute `chain`; null without one. */
  chain: string | null;
  report: AlertReport;
  /** When its message was published; when it was first handled, if that is not known. */
  reportedAt: Date;
  alert: Alert;
  /** The same alert with the marks of a session, in the place of its secrets. */
  readFor(maskKey: string): ReadAlert;
}

/**
 * What a message reports of an incident; undefined for an alert that has a session of its own: one without an identity, a
 * test, and one that is investigated once more because a user wants it.
 */
export function incidentMessageOf(
  { attributes, publishedAt }: PubsubMessage,
  key: string,
  reading: ReadAlert,
  { rerunOf, tenantId }: { rerunOf: string | null; tenantId: string },
  now: Date,
  readFor: IncidentMessage['readFor'],
): IncidentMessage | undefined {
  const { alert, endedAt } = reading;
  const chain = attributes.chain ?? null;
  const incidentKey = rerunOf === null ? incidentKeyOf(alert, { tenantId, chain }) : undefined;
  if (incidentKey === undefined) return undefined;
  const report = reportOf(alert, { endedAt, publishedAt, now });
  return { key, incidentKey, chain, report, reportedAt: publishedAt ?? now, alert, readFor };
}

/** The write that makes a delivery of an alert find its session, and keeps another one from doing the same once more. */
export function alertKeyWrite(
  key: string,
  { sessionId, expireAt }: Pick<Session, 'sessionId' | 'expireAt'>,
  now: Date,
): Write {
  const deliveredUntil = now.getTime() + MESSAGE_RETENTION_MS;
  const keyExpireAt = new Date(Math.max(expireAt.getTime(), deliveredUntil));
  return create(paths.alertKey(key), alertKeyType, { sessionId, expireAt: keyExpireAt, createdAt: now });
}
