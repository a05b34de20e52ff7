// Has an alert belong to the open session of one that shares its labels, where a rule says so: an event there instead of a
// session of its own.

import { hasEvent } from '../../../alerts/incident.ts';
import { isInvestigated } from '../../../alerts/status.ts';
import { add, create, type Stored } from '../../../contract/store.ts';
import { relatedText } from '../../../prompt/alsoFiring.ts';
import type { CorrelationKeys, RelatedAlert } from '../../../schema/correlation.ts';
import {
  ALERT_EVENTS,
  alertCountsType,
  alertKeyType,
  paths,
  sessionType,
  timelineEventType,
} from '../../../schema/documents.ts';
import type { AlertCounts } from '../../../schema/incident.ts';
import type { Alert, Session } from '../../../schema/session.ts';
import type { TimelineEvent } from '../../../schema/timelineEvent.ts';
import { CRASH_POINTS } from '../../kernel/crashPoints.ts';
import type { StateDeps } from '../../kernel/deps.ts';
import { RACE_LOST, retryLostRaces } from '../../kernel/documents/races.ts';
import { readOrWarn, UNREADABLE } from '../../kernel/documents/reading.ts';
import { readNoted } from '../../kernel/session/loadRelated.ts';
import { relatedTo } from '../../kernel/session/related.ts';
import { alertKeyWrite } from '../message/incidentMessage.ts';
import { noteAlert } from './noteAlert.ts';

/** Attempts to store the event; the last one goes without. */
const JOIN_RACES = 4;

/** The alert that joins. */
interface JoiningAlert {
  /** Of its message. */
  key: string;
  /** The id that a session of its own would have. */
  sessionId: string;
  alert: Alert;
  correlation: CorrelationKeys;
  /** The rule that has it join. */
  rule: string;
}

/**
 * Attaches an alert to the open session of the alert that is nearest to it in time. A session that ends at that moment keeps
 * it; the next report of the alert opens its own.
 * @returns the id of the session, or of that which an earlier delivery gave it; undefined when no session is open.
 * @throws RetryableError when the store fails, or other deliveries keep being faster.
 */
export async function joinSession(joining: JoiningAlert, deps: StateDeps): Promise<string | undefined> {
  const { store } = deps;
  const session = await findOpenSession(joining, deps);
  if (session === undefined) return undefined;
  const { sessionId, tenantId, expireAt } = session.value;
  const { alert, correlation } = joining;
  if (isInvestigated(alert.status))
    await noteAlert({ sessionId, tenantId, expireAt, alert }, correlation, deps);
  let attempts = 0;
  return retryLostRaces<string>(`session ${sessionId}`, JOIN_RACES, async () => {
    const earlier = await store.get(paths.alertKey(joining.key), alertKeyType);
    if (earlier !== undefined) return earlier.value.sessionId;
    attempts += 1;
    return (await commitJoin(joining, session, attempts < JOIN_RACES, deps)) ? sessionId : RACE_LOST;
  });
}

/** The nearest of those beside an alert whose investigation runs. At most ten sessions are read. */
async function findOpenSession(
  { sessionId, alert, correlation }: JoiningAlert,
  deps: StateDeps,
): Promise<Stored<Session> | undefined> {
  const noted = await readNoted(correlation, deps);
  const related = relatedTo({ sessionId, title: alert.title }, correlation, noted);
  for (const id of new Set(related.map((one) => one.sessionId))) {
    const reading = deps.store.get(paths.session(id), sessionType);
    const session = await readOrWarn(reading, 'no alert joins this session', deps.log);
    if (session === UNREADABLE) continue;
    if (session?.value.status === 'in_progress' && session.value.conclusion === null) {
      const counted = deps.store.get(paths.alertCounts(id), alertCountsType);
      if ((await readOrWarn(counted, 'no alert joins this session', deps.log)) !== UNREADABLE) return session;
    }
  }
  return undefined;
}

async function commitJoin(
  { key, alert, correlation, rule }: JoiningAlert,
  session: Stored<Session>,
  mayHaveEvent: boolean,
  { store, clock, failpoint }: StateDeps,
): Promise<boolean> {
  const { sessionId, expireAt } = session.value;
  const now = clock.now();
  const none: AlertCounts = {
    ...{ firing: 0, resolved: 0, acknowledged: 0, joined: 0, events: 0 },
    lastAt: now,
    expireAt,
  };
  const counts = (await store.get(paths.alertCounts(sessionId), alertCountsType))?.value ?? none;
  const isTold = mayHaveEvent && hasEvent(counts.joined + 1);
  const entry = { ...alert, at: correlation.at };
  const event = joinEvent(session.value, { entry, status: alert.status, rule }, counts, now);
  await failpoint?.(CRASH_POINTS.ingestBeforeCommit);
  const result = await store.commit([
    alertKeyWrite(key, session.value, now),
    add(paths.alertCounts(sessionId), alertCountsType, { ...none, joined: 1, events: isTold ? 1 : 0 }, [
      'joined',
      'events',
    ]),
    ...(isTold
      ? [create(paths.event(sessionId, ALERT_EVENTS, event.sequenceNumber), timelineEventType, event)]
      : []),
  ]);
  await failpoint?.(CRASH_POINTS.ingestAfterCommit);
  return result.ok;
}

function joinEvent(
  { sessionId, currentStageId, expireAt }: Session,
  { entry, status, rule }: { entry: Omit<RelatedAlert, 'sessionId'>; status: Alert['status']; rule: string },
  counts: AlertCounts,
  now: Date,
): TimelineEvent {
  return {
    eventType: 'notice',
    sessionId,
    stageId: currentStageId,
    executionId: ALERT_EVENTS,
    parentExecutionId: null,
    sequenceNumber: counts.events + 1,
    iteration: null,
    status: 'completed',
    content: `Another alert joins this session (rule ${rule} of triage.yaml), ${status}: ${relatedText(entry)}. ${counts.joined + 1} have joined by now.`,
    metadata: { code: 'alert_joined', subject: rule },
    expireAt,
    createdAt: now,
  };
}
