// The key of an alert, which makes intake idempotent: it is stored in the batch that opens a session, or that
// attaches the alert to one, so that each later delivery of the message finds this session. It has the fate
// of the alert, which so is stored with its effect.

import { createDocument, type Write } from '../../../core/contract/store.ts';
import type { StateDeps } from '../../../core/kernel/deps.ts';
import { documentTitle } from '../../../core/schema/documentTitle.ts';
import type { Session } from '../../../core/schema/session.ts';
import type { TriagedAlert } from '../alert.ts';
import type { FirstOutcome } from '../intakeOutcome.ts';
import { type AlertKey, alertKeyType, NO_FATE } from './alertKeyDocument.ts';
import { composeFate } from './decideFate.ts';
import { fitFate } from './storeFate.ts';

/** The longest time for which Pub/Sub keeps a message, and so can deliver it again. */
const MESSAGE_RETENTION_MS = 31 * 24 * 3600 * 1000;

/** The write that stores the key of an alert with its fate. It fails if an earlier delivery has stored it. */
export function alertKeyWrite(
  alert: TriagedAlert,
  { sessionId, expireAt }: Pick<Session, 'sessionId' | 'expireAt'>,
  outcome: FirstOutcome,
  now: Date,
  { joined = null, counted = null }: Partial<Pick<AlertKey, 'joined' | 'counted'>> = {},
): Write {
  const { key, reportedAt: at } = alert;
  const deliveredUntil = now.getTime() + MESSAGE_RETENTION_MS;
  const keyExpireAt = new Date(Math.max(expireAt.getTime(), deliveredUntil));
  const value: AlertKey = {
    title: documentTitle(alert.alert.title),
    ...(alert.places === null ? NO_FATE : keyFate(alert, outcome, now)),
    sessionId,
    joined,
    counted,
    at,
    expireAt: keyExpireAt,
    createdAt: now,
  };
  return createDocument(alertKeyType.paths.alertKey(key), alertKeyType, value);
}

function keyFate(alert: TriagedAlert, outcome: FirstOutcome, now: Date) {
  const { id, value } = fitFate(composeFate(alert, outcome), now);
  const { expireAt: _, at: _at, sessionId: _session, title, tenantId, messageId, problem, ...fate } = value;
  return { title, fateId: id, tenantId, messageId, problem, fate };
}

/** The session of an earlier delivery of the alert; undefined if there is none. */
export async function findSessionId(
  key: string,
  { store }: Pick<StateDeps, 'store'>,
): Promise<string | undefined> {
  return (await store.get(alertKeyType.paths.alertKey(key), alertKeyType))?.value.sessionId;
}
