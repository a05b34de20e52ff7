// Takes an alert of a problem that may be known already: it belongs to the session there is, or opens one. What it reports is
// counted by the batch that stores its key, so that a message which is delivered again is not counted again; the count itself
// has no precondition, so that a thousand messages at once are counted, too.

import { decideFollowUp, decideIncident, type IncidentDecision } from '../../../alerts/incident.ts';
import { add, replace, type Stored } from '../../../contract/store.ts';
import { alertCountsType, alertKeyType, incidentType, paths } from '../../../schema/documents.ts';
import type { AlertCounts, Incident } from '../../../schema/incident.ts';
import type { Session } from '../../../schema/session.ts';
import { CRASH_POINTS } from '../../kernel/crashPoints.ts';
import type { StateDeps } from '../../kernel/deps.ts';
import { RACE_LOST, retryLostRaces } from '../../kernel/documents/races.ts';
import { readOrWarn, UNREADABLE } from '../../kernel/documents/reading.ts';
import { pause } from '../../kernel/pause.ts';
import { alertKeyWrite, type IncidentMessage } from '../message/incidentMessage.ts';
import { alertEvent, isTold } from './alertEvents.ts';
import { followIncident } from './followIncident.ts';
import type { FollowRules } from './followRules.ts';
import { createOpening, type Opening } from './openIncident.ts';
import { readIncident } from './readIncident.ts';

/** Attempts at one incident within one delivery; with the waits for another one some ten seconds. */
const INCIDENT_RACES = 20;
/** Attempts to have an event: of many reports at once only some need one. */
const EVENT_RACES = 3;
/** How long a delivery waits before it looks again whether another one has opened the session. */
const OPENING_WAIT_MS = 500;

/** What became of a report: `attached` to a session, or what opening one gave. */
export type IncidentOutcome<T> = T | { outcome: 'attached'; sessionId: string; report: string };

/** How a session is opened, and what must hold for it to begin. */
interface IngestSteps<T> {
  /** `RACE_LOST` when another delivery was faster. Without an opening the session belongs to no incident. */
  open(opening?: Opening): Promise<T | typeof RACE_LOST>;
  /** What is done when an earlier delivery of the same message has stored its key. */
  resume(sessionId: string): Promise<T>;
  rules: FollowRules;
  /** Whether triage lets what fires be investigated. */
  isWanted: boolean;
}

/**
 * Opens a session for a report, or records it in the one there is. Where this code cannot read the incident, it leaves the
 * document as it is, and a second one stands in for it.
 * @throws RetryableError `STORE_CONFLICT` when other deliveries keep being faster, and when the store fails; the errors of
 *   `open`.
 */
export async function ingestIncident<T>(
  message: IncidentMessage,
  steps: IngestSteps<T>,
  deps: StateDeps,
): Promise<IncidentOutcome<T>> {
  const standIn = { ...message, incidentKey: `${message.incidentKey}-2` };
  for (const about of [message, standIn]) {
    const taken = await ingestReadable(about, steps, deps);
    if (taken !== UNREADABLE) return taken;
  }
  return retryLostRaces<IncidentOutcome<T>>(`alert ${message.key}`, 1, () => steps.open());
}

/** What became of a report whose incident this code may not be able to read. */
type Taken<T> = IncidentOutcome<T> | typeof UNREADABLE;

/** `UNREADABLE` when this code cannot read the incident; nothing was done then. */
async function ingestReadable<T>(
  message: IncidentMessage,
  { open, resume, rules, isWanted }: IngestSteps<T>,
  deps: StateDeps,
): Promise<Taken<T>> {
  const { store, clock } = deps;
  const subject = `incident ${message.incidentKey}`;
  let attempts = 0;
  return retryLostRaces<Taken<T>>(subject, INCIDENT_RACES, async ({ isLast }) => {
    const found = await readIncident(message.incidentKey, deps);
    if (found === UNREADABLE) return UNREADABLE;
    const { incident, session } = found;
    const now = clock.now();
    const { key, reportedAt, alert } = message;
    const facts = { key, isWanted, reportedAt, members: alert.members, now };
    const decision = decideIncident(incident?.value, session?.value, message.report, facts);
    if (decision.kind === 'wait') {
      await pause(OPENING_WAIT_MS, new AbortController().signal, clock);
      return RACE_LOST;
    }
    if (decision.kind === 'open' || incident === undefined || session === undefined) {
      const again = decision.kind === 'open' ? decision.again : undefined;
      return open(createOpening(message, { incident, session: session?.value, again }, deps));
    }
    const counts = await readCounts(session.id, deps);
    if (counts === UNREADABLE)
      return open(createOpening(message, { incident, session: undefined, again: undefined }, deps));
    const options = { isEventful: ++attempts <= EVENT_RACES, isLast };
    if (await attach(message, { incident, session, counts, decision }, options, deps)) {
      await deps.failpoint?.(CRASH_POINTS.ingestAfterCommit);
      // The session as it was read may be older than this commit: a write of it does not change the incident.
      if (decision.isNews || decideFollowUp(decision.incident, session.value) !== 'none')
        await followIncident(message, rules, deps);
      await deps.failpoint?.(CRASH_POINTS.ingestAfterPublish);
      return { outcome: 'attached', sessionId: session.id, report: message.report.kind };
    }
    const earlier = await store.get(paths.alertKey(message.key), alertKeyType);
    if (earlier === undefined) return RACE_LOST;
    await followIncident(message, rules, deps);
    return resume(earlier.value.sessionId);
  });
}

/** The counts of a session's reports; undefined when none is counted. */
async function readCounts(
  sessionId: string,
  { store, log }: Pick<StateDeps, 'store' | 'log'>,
): Promise<AlertCounts | undefined | typeof UNREADABLE> {
  const consequence = 'reports of its problem do not count for this session';
  const found = await readOrWarn(store.get(paths.alertCounts(sessionId), alertCountsType), consequence, log);
  return found === UNREADABLE ? UNREADABLE : found?.value;
}

/** What a report is attached to. */
interface Attachment {
  incident: Stored<Incident>;
  session: Stored<Session>;
  /** The reports so far; undefined before the first one. */
  counts: AlertCounts | undefined;
  decision: Extract<IncidentDecision, { kind: 'attach' }>;
}

/** Counts a report, with an event where it has one. False when it is counted already, or another delivery was faster. */
async function attach(
  message: IncidentMessage,
  { incident, session, counts: counted, decision }: Attachment,
  { isEventful, isLast }: { isEventful: boolean; isLast: boolean },
  deps: StateDeps,
): Promise<boolean> {
  const { store, clock } = deps;
  const { sessionId, maskKey, expireAt } = session.value;
  const { report, alert } = message;
  const now = clock.now();
  const none = { firing: 0, resolved: 0, acknowledged: 0, joined: 0, events: 0, lastAt: now, expireAt };
  const counts: AlertCounts = counted ?? none;
  const isEvent = isEventful && isTold(report, counts);
  const told = () => ({ report, alert: alert.members.length > 0 ? message.readFor(maskKey).alert : alert });
  const added = { ...none, [report.kind]: 1, events: isEvent ? 1 : 0 };
  // A later time than others know is worth losing a race for, but not the report.
  const isNews = decision.isNews && !(isLast && decision.incident.firing === incident.value.firing);
  await deps.failpoint?.(CRASH_POINTS.ingestBeforeCommit);
  const result = await store.commit([
    alertKeyWrite(message.key, session.value, now),
    add(paths.alertCounts(sessionId), alertCountsType, added, [
      'firing',
      'resolved',
      'acknowledged',
      'events',
    ]),
    ...(isEvent ? [alertEvent(session.value, told(), counts, now)] : []),
    ...(isNews ? [replace(incident.path, incidentType, decision.incident, incident.version)] : []),
  ]);
  return result.ok;
}
