// The key of an alert, which makes intake idempotent: it is stored in the batch that opens a session, or that attaches the alert
// to one, so that each later delivery of the message finds this session.

import { create, type Write } from '../../../contract/store.ts';
import { alertKeyType, paths, sessionType } from '../../../schema/documents.ts';
import { documentTitle } from '../../../schema/documentTitle.ts';
import type { Session } from '../../../schema/session.ts';
import type { StateDeps } from '../../kernel/deps.ts';
import { readOrWarn, UNREADABLE } from '../../kernel/documents/reading.ts';
import { resumeStage } from '../../stage/advanceStage.ts';
import type { IntakeOutcome } from './intakeOutcome.ts';
import type { ReadAlert } from './readMessage.ts';

/** The longest time for which Pub/Sub keeps a message, and so can deliver it again. */
const MESSAGE_RETENTION_MS = 31 * 24 * 3600 * 1000;

/** The write that stores the key of an alert. It fails if an earlier delivery has stored it. */
export function alertKeyWrite(
  { key, alert }: Pick<ReadAlert, 'key' | 'alert'>,
  { sessionId, expireAt }: Pick<Session, 'sessionId' | 'expireAt'>,
  now: Date,
): Write {
  const deliveredUntil = now.getTime() + MESSAGE_RETENTION_MS;
  const keyExpireAt = new Date(Math.max(expireAt.getTime(), deliveredUntil));
  const title = documentTitle(alert.title);
  const value = { title, sessionId, expireAt: keyExpireAt, createdAt: now };
  return create(paths.alertKey(key), alertKeyType, value);
}

/** The session of an earlier delivery of the alert; undefined if there is none. */
export async function findSessionId(
  key: string,
  { store }: Pick<StateDeps, 'store'>,
): Promise<string | undefined> {
  return (await store.get(paths.alertKey(key), alertKeyType))?.value.sessionId;
}

/** Publishes the messages that an earlier delivery did not publish before it died. */
export async function resumeSession(sessionId: string, deps: StateDeps): Promise<IntakeOutcome> {
  // A session that cannot be read contains the alert already; the sweep, or the sweep of newer code, repairs it.
  const consequence = `session ${sessionId} is not resumed by its alert`;
  const session = await readOrWarn(
    deps.store.get(paths.session(sessionId), sessionType),
    consequence,
    deps.log,
  );
  // The key is kept longer than some sessions.
  if (session !== undefined && session !== UNREADABLE)
    await readOrWarn(resumeStage(session.value, deps), consequence, deps.log);
  return { outcome: 'already_open', sessionId };
}
