// Events about further alerts of a session. They have sequence numbers of their own, so that they change
// neither the session nor its executions.

import { ALERT_EVENTS } from '../../alerts/schema/alert.ts';
import type { AlertCounts } from '../../alerts/schema/incident.ts';
import { createDocument, type Write } from '../../core/contract/store.ts';
import type { SessionNotice } from '../../core/kernel/session/sessionEvents.ts';
import { paths, timelineEventType } from '../../core/schema/coreDocuments.ts';
import type { Session } from '../../core/schema/session.ts';
import type { TimelineEvent } from '../../core/schema/timelineEvent.ts';

/** The counts of a session without reports. */
export function noCounts(lastAt: Date, expireAt: Date): AlertCounts {
  return { firing: 0, resolved: 0, acknowledged: 0, joined: 0, base: null, events: 0, lastAt, expireAt };
}

/** The event after those that are counted. @param counts the number of events before it. */
export function alertEvent(
  { sessionId, currentStageId, expireAt }: Session,
  { code, subject, content }: SessionNotice,
  counts: Pick<AlertCounts, 'events'>,
  now: Date,
): Write {
  const sequenceNumber = counts.events + 1;
  const event: TimelineEvent = {
    eventType: 'notice',
    sessionId,
    stageId: currentStageId,
    executionId: ALERT_EVENTS,
    parentExecutionId: null,
    sequenceNumber,
    iteration: null,
    status: 'completed',
    content,
    metadata: { code, subject },
    expireAt,
    createdAt: now,
  };
  return createDocument(paths.event(sessionId, ALERT_EVENTS, sequenceNumber), timelineEventType, event);
}
