// The key of an alert, which makes intake idempotent: it is stored in the batch that opens a session, or that
// attaches the alert to one, so that each later delivery of the message finds this session.

import { createDocument, type Write } from '../../core/contract/store.ts';
import type { StateDeps } from '../../core/kernel/deps.ts';
import { documentTitle } from '../../core/schema/documentTitle.ts';
import type { Session } from '../../core/schema/session.ts';
import type { TriagedAlert } from './alert.ts';
import { type AlertKey, alertKeyType } from './alertKeyDocument.ts';

/** The longest time for which Pub/Sub keeps a message, and so can deliver it again. */
const MESSAGE_RETENTION_MS = 31 * 24 * 3600 * 1000;

/** The write that stores the key of an alert. It fails if an earlier delivery has stored it. */
export function alertKeyWrite(
  { key, alert, reportedAt: at }: Pick<TriagedAlert, 'key' | 'alert' | 'reportedAt'>,
  { sessionId, expireAt }: Pick<Session, 'sessionId' | 'expireAt'>,
  now: Date,
  joined: AlertKey['joined'] = null,
): Write {
  const deliveredUntil = now.getTime() + MESSAGE_RETENTION_MS;
  const keyExpireAt = new Date(Math.max(expireAt.getTime(), deliveredUntil));
  const title = documentTitle(alert.title);
  const value = { title, sessionId, joined, at, expireAt: keyExpireAt, createdAt: now };
  return createDocument(alertKeyType.paths.alertKey(key), alertKeyType, value);
}

/** The session of an earlier delivery of the alert; undefined if there is none. */
export async function findSessionId(
  key: string,
  { store }: Pick<StateDeps, 'store'>,
): Promise<string | undefined> {
  return (await store.get(alertKeyType.paths.alertKey(key), alertKeyType))?.value.sessionId;
}
