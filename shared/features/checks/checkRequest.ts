// The request of a check, as a document and as a message of the topic of alerts. The message only names the
// document, so that its author cannot choose what is checked, and copies of it open one session.

import { createHash } from 'node:crypto';
import { type Publisher, TOPICS } from '../../core/contract/publisher.ts';
import { createDocument, type Write } from '../../core/contract/store.ts';
import { type Check, checkType } from './check.ts';

/** The attribute that names a check. */
export const CHECK_ATTRIBUTE = 'inquestCheck';
/** How long a request is kept after its time. */
const KEEP_MS = 90 * 24 * 3600 * 1000;

const NO_CONTENT = Buffer.from('{}');

/** The id of a schedule's check at a time, equal for every sweep: `backups.2026-11-22T05-30-00-000Z`. */
export function scheduledCheckId(schedule: string, slot: Date): string {
  return `${schedule}.${slot.toISOString().replace(/[:.]/g, '-')}`;
}

/** The key of the check's alert, which lets only one session be opened. */
export const alertKeyOfCheck = (checkId: string): string =>
  createHash('sha256').update(`check ${checkId}`).digest('hex');

/** The fields that a requester chooses. */
type CheckRequest = Pick<
  Check,
  'checkId' | 'tenantId' | 'userId' | 'schedule' | 'slot' | 'content' | 'previousId' | 'requestedBy'
>;

/** The write of a new request, which is published at its time. */
export function requestWrite(request: CheckRequest, now: Date): Write {
  const check: Check = {
    ...request,
    state: 'waiting',
    sessionId: null,
    reason: null,
    attempts: 0,
    dueAt: request.slot,
    createdAt: now,
    expireAt: new Date(Math.max(request.slot.getTime(), now.getTime()) + KEEP_MS),
  };
  return createDocument(checkType.paths.check(check.checkId), checkType, check);
}

/** Publishes the message of a check. @throws RetryableError `PUBLISH_FAILED`. */
export async function publishCheck(publisher: Publisher, checkId: string): Promise<void> {
  await publisher.publish(TOPICS.alerts, NO_CONTENT, { [CHECK_ATTRIBUTE]: checkId });
}
