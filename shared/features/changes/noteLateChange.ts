// Notes a change in the open sessions that it is near to: it became known after they were opened.

import { readSessionAlert } from '../../alerts/schema/alert.ts';
import { distanceText } from '../../changes/block.ts';
import type { Change } from '../../changes/change.ts';
import { CHANGE_EVENTS } from '../../changes/change.ts';
import { WINDOW_MS } from '../../changes/rank.ts';
import { createDocument } from '../../core/contract/store.ts';
import type { StateDeps } from '../../core/kernel/deps.ts';
import { DOCUMENT_RACES, RACE_LOST, retryLostRaces } from '../../core/kernel/documents/retryConflict.ts';
import { paths, sessionType, timelineEventType } from '../../core/schema/coreDocuments.ts';
import { rawDocumentType } from '../../core/schema/documentType.ts';
import { readableType } from '../../core/schema/readable.ts';
import type { Session } from '../../core/schema/session.ts';
import type { TimelineEvent } from '../../core/schema/timelineEvent.ts';
import { quoteText } from '../../text/cut.ts';

const MAX_SESSIONS = 20;
/** Notices of a session. */
const MAX_NOTICES = 20;
/** Values of one query. */
const MAX_VALUES = 30;
const MAX_TITLE = 200;

/**
 * Adds a notice to each open session whose alert the change is near to, if it is not older than 24 hours
 * before the alert.
 * @throws RetryableError when the store fails.
 */
export async function noteLateChange(
  id: string,
  change: Change,
  deps: Pick<StateDeps, 'store' | 'clock'>,
): Promise<void> {
  const values = change.scopes.map((scope) => scope.slice(scope.indexOf('|') + 1)).slice(0, MAX_VALUES);
  const query = {
    collection: paths.sessions,
    equal: { tenantId: change.tenantId, status: 'in_progress' },
    anyOf: { field: 'parts.changes.scopes', values },
    limit: MAX_SESSIONS,
  };
  for (const { value } of await deps.store.find(query, readableType(sessionType)))
    if (value.value !== undefined) await noteIn(value.value, id, change, deps);
}

async function noteIn(
  session: Session,
  id: string,
  change: Change,
  { store, clock }: Pick<StateDeps, 'store' | 'clock'>,
): Promise<void> {
  const start = readSessionAlert(session)?.startedAt ?? session.createdAt;
  const beforeMs = start.getTime() - change.at.getTime();
  if (beforeMs > WINDOW_MS) return;
  const { sessionId, currentStageId, expireAt } = session;
  const by = change.actor === null ? '' : ` by ${quoteText(change.actor, MAX_TITLE)}`;
  const content = `A change became known after this session was opened: ${change.kind} of ${change.resource}, ${distanceText(beforeMs)} the alert: "${quoteText(change.title, MAX_TITLE)}"${by}.`;
  const note = async (): Promise<undefined | typeof RACE_LOST> => {
    const idPrefix = `${CHANGE_EVENTS}.`;
    const noted = await store.list({ collection: paths.timeline(sessionId), idPrefix }, rawDocumentType);
    if (noted.length >= MAX_NOTICES) return undefined;
    const event: TimelineEvent = {
      eventType: 'notice',
      sessionId,
      stageId: currentStageId,
      executionId: CHANGE_EVENTS,
      parentExecutionId: null,
      sequenceNumber: noted.length + 1,
      iteration: null,
      status: 'completed',
      content,
      metadata: { code: 'late_change', subject: id },
      expireAt,
      createdAt: clock.now(),
    };
    const path = paths.event(sessionId, CHANGE_EVENTS, event.sequenceNumber);
    const { ok } = await store.commit([createDocument(path, timelineEventType, event)]);
    return ok ? undefined : RACE_LOST;
  };
  await retryLostRaces<undefined>(`changes of ${sessionId}`, DOCUMENT_RACES, note, () => undefined);
}
