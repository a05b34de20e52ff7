// Attaches an alert to the open session of an alert that shares labels with it, if a rule requires this: the
// alert gets an event there instead of a session of its own.

import { isInvestigated } from '../../alerts/fields/status.ts';
import type { Alert } from '../../alerts/schema/alert.ts';
import type { CorrelationKeys, RelatedAlert } from '../../alerts/schema/correlation.ts';
import { alertCountsType } from '../../alerts/schema/incident.ts';
import { relatedTo } from '../../alerts/sharedLabels.ts';
import type { Stored } from '../../core/contract/store.ts';
import { CRASH_POINTS } from '../../core/kernel/crashPoints.ts';
import type { StateDeps } from '../../core/kernel/deps.ts';
import { readOrWarn, UNREADABLE } from '../../core/kernel/documents/reading.ts';
import { RACE_LOST, retryLostRaces } from '../../core/kernel/documents/retryConflict.ts';
import type { SessionNotice } from '../../core/kernel/session/sessionEvents.ts';
import { paths, sessionType } from '../../core/schema/coreDocuments.ts';
import type { Session } from '../../core/schema/session.ts';
import { continueSession } from '../../core/session/continueSession.ts';
import type { TriagedAlert } from '../../kits/alerts/alert.ts';
import { alertEvent } from '../../kits/alerts/alertEvents.ts';
import { alertKeyWrite, findSessionId } from '../../kits/alerts/fates/alertKey.ts';
import { planCount } from '../../kits/alerts/fates/reportCounts.ts';
import type { FirstOutcome, IntakeOutcome } from '../../kits/alerts/intakeOutcome.ts';
import { readNoted } from '../../kits/alerts/loadRelated.ts';
import { ownSessionId } from '../../kits/alerts/sessionId.ts';
import { relatedText } from '../../wording/alsoFiring.ts';
import { canBeJoined, leadAlerts } from './leadAlerts.ts';
import { noteAlert, relatedAlert } from './noteAlert.ts';

/** Attempts to attach the alert: few alerts of a session are written into the same document. */
const JOIN_RACES = 10;
/** Attempts to give it an event. */
const EVENT_RACES = 3;
/** UTF-8 bytes of a body that is kept for a later split. */
const MAX_BODY_BYTES = 200_000;

/** An alert with labels that it shares with others. */
type JoiningAlert = TriagedAlert & { correlation: CorrelationKeys };

/**
 * Attaches an alert to the open session of the related alert that is nearest in time, if its rule requires
 * this. A session that ends at that moment keeps the alert; the next report of the alert opens its own.
 * @returns the session, or the one of an earlier delivery, which is continued; undefined if the rule does not
 *   require it or no related session is open.
 * @throws RetryableError when the store fails, or other deliveries keep being faster.
 */
export async function joinSession(
  triaged: TriagedAlert,
  deps: StateDeps,
): Promise<IntakeOutcome | undefined> {
  const { correlation, alert, key } = triaged;
  if (!triaged.triage.join || correlation === null || alert.status === 'test') return undefined;
  const joining = { ...triaged, correlation };
  const session = await findOpenSession(joining, deps);
  if (typeof session === 'string') return continueSession(session, deps);
  if (session === undefined) return undefined;
  const { sessionId } = session.value;
  let attempts = 0;
  return retryLostRaces<IntakeOutcome>(`session ${sessionId}`, JOIN_RACES, async () => {
    if (await commitJoin(joining, session, ++attempts <= EVENT_RACES, deps)) return joinedOutcome(sessionId);
    const earlier = await findSessionId(key, deps);
    return earlier === undefined ? RACE_LOST : continueSession(earlier, deps);
  });
}

/**
 * The session of the leader; where none leads, the nearest open session of a related alert, of which at most
 * ten are read. Undefined if the alert leads. The id of its session if an earlier delivery handled it: a
 * redelivered alert leads nothing again.
 */
async function findOpenSession(
  joining: JoiningAlert,
  deps: StateDeps,
): Promise<Stored<Session> | string | undefined> {
  const { alert, correlation } = joining;
  const own = { sessionId: ownSessionId(joining), title: alert.title };
  // An alert that only reports an end opens nothing that others could join.
  if (!isInvestigated(alert.status)) return findRelatedSession(own, correlation, deps);
  const entry = relatedAlert({ ...own, alert }, correlation.at);
  const lead = await leadAlerts(entry, joining.owner.tenantId, correlation, {
    ...deps,
    async findOther() {
      const handled = await findSessionId(joining.key, deps);
      return handled ?? (await findRelatedSession(own, correlation, deps));
    },
  });
  return lead;
}

async function findRelatedSession(
  own: { sessionId: string; title: string },
  correlation: CorrelationKeys,
  deps: StateDeps,
): Promise<Stored<Session> | undefined> {
  const related = relatedTo(own, correlation, await readNoted(correlation, deps));
  for (const id of new Set(related.map((one) => one.sessionId))) {
    const reading = deps.store.get(paths.session(id), sessionType);
    const session = await readOrWarn(reading, 'no alert joins this session', deps.log);
    if (session === UNREADABLE) continue;
    if (session !== undefined && canBeJoined(session.value)) {
      const counted = deps.store.get(alertCountsType.paths.alertCounts(id), alertCountsType);
      if ((await readOrWarn(counted, 'no alert joins this session', deps.log)) !== UNREADABLE) return session;
    }
  }
  return undefined;
}

async function commitJoin(
  joining: JoiningAlert,
  session: Stored<Session>,
  isEventful: boolean,
  deps: StateDeps,
): Promise<boolean> {
  const { store, clock, failpoint } = deps;
  const { alert, body, correlation, chainName, owner, triage } = joining;
  const { userId } = owner;
  const { rule } = triage;
  const { sessionId } = session.value;
  const now = clock.now();
  const counts = await store.get(alertCountsType.paths.alertCounts(sessionId), alertCountsType);
  const count = await planCount(session.value, counts, 'joined', now, store);
  const isEvent = isEventful && count.isEventDue;
  const entry = { ...alert, at: correlation.at };
  const notice = joinNotice({ entry, status: alert.status, rule }, count.total);
  await failpoint?.(CRASH_POINTS.ingestBeforeCommit);
  const result = await store.commit([
    alertKeyWrite(joining, session.value, joinedOutcome(sessionId), now, {
      counted: count.counted,
      joined:
        Buffer.byteLength(body) > MAX_BODY_BYTES ? null : { body, chain: chainName, userId, split: false },
    }),
    ...count.writes(isEvent ? 1 : 0),
    ...(isEvent ? [alertEvent(session.value, notice, count, now)] : []),
  ]);
  await failpoint?.(CRASH_POINTS.ingestAfterCommit);
  // Agents see ten related alerts at most: of a storm those are enough whose counts are written.
  if (result.ok && count.isWritten && isInvestigated(alert.status))
    await noteAlert({ ...session.value, alert }, correlation, deps);
  return result.ok;
}

const joinedOutcome = (sessionId: string): FirstOutcome => ({
  outcome: 'attached',
  sessionId,
  report: 'joined',
});

function joinNotice(
  { entry, status, rule }: { entry: Omit<RelatedAlert, 'sessionId'>; status: Alert['status']; rule: string },
  joined: number,
): SessionNotice {
  const content = `Another alert joins this session (rule ${rule} of triage.yaml), ${status}: ${relatedText(entry)}. ${joined} have joined by now.`;
  return { code: 'alert_joined', subject: rule, content };
}
