// Checks what people on call rely on: one problem is one session, every report of it is counted once, and
// what fires is investigated.

import type { AlertReport } from '../../../../shared/alerts/incident.ts';
import { ALERT_EVENTS } from '../../../../shared/alerts/schema/alert.ts';
import type { Incident } from '../../../../shared/alerts/schema/incident.ts';
import { reinvestigationPart } from '../../../../shared/alerts/schema/reinvestigation.ts';
import { readWaitedBudgets } from '../../../../shared/alerts/schema/waitedBudgets.ts';
import { isTerminal } from '../../../../shared/core/schema/common.ts';
import { readPart } from '../../../../shared/core/schema/parts.ts';
import type { Session } from '../../../../shared/core/schema/session.ts';
import { readCounts } from '../../../../shared/kits/views/reports.ts';
import { incidentType, paths, timelineEventType } from '../../../../shared/lists/documents.ts';
import type { Violate } from '../../transitions.ts';
import type { World } from '../../world.ts';
import type { SimulatedReport } from './simulatedIncidents.ts';

/** Who cancels sessions whose alert is resolved. */
const SOURCE = 'the source of the alert';

/** Checks the incidents of a run after its end. */
export async function checkIncidents(
  world: World,
  violate: Violate,
  { reported: reports }: { reported: readonly SimulatedReport[] },
): Promise<void> {
  const { plan, record, reader } = world;
  if (plan.incidents === null) return;
  const incidents = (await reader.list({ collection: 'incidents' }, incidentType)).map(({ value }) => value);
  for (const chain of new Set(reports.map((report) => report.chain))) {
    const own = reports.filter((report) => report.chain === chain);
    const sessionOf = ({ key }: SimulatedReport) => record.alertKeys.get(key ?? '');
    const lost = own.filter((report) => sessionOf(report) === undefined);
    if (lost.length > 0) violate('incidents', `${lost.length} reports of ${chain} belong to no session`);
    if (record.unreadableProblems) continue;
    const ids = [...new Set(own.flatMap((report) => sessionOf(report) ?? []))];
    for (const sessionId of ids) {
      const attached = own.filter((report) => sessionOf(report) === sessionId);
      const counts = (await readCounts(sessionId, reader)).value;
      const timeline = await reader.list({ collection: paths.timeline(sessionId) }, timelineEventType);
      const events = timeline.filter(({ value }) => value.executionId === ALERT_EVENTS);
      for (const kind of ['firing', 'resolved'] as const) {
        const wanted = attached.filter((report) => report.kind === kind).length;
        if (counts?.[kind] !== wanted)
          violate('incidents', `${sessionId} has ${wanted} reports (${kind}), and counts ${counts?.[kind]}`);
      }
      const numbers = events.map(({ value }) => value.sequenceNumber);
      if (counts?.events !== numbers.length || numbers.some((number, index) => number !== index + 1))
        violate('incidents', `${sessionId} counts ${counts?.events} events, and has ${numbers}`);
      const resolved = attached.some(({ kind }) => kind === 'resolved');
      const told = events.some(
        ({ value: { metadata } }) => 'code' in metadata && metadata.code === 'alert_resolved',
      );
      if (resolved && !told) violate('incidents', `${sessionId} was resolved, and nothing says so`);
    }
    for (const report of own) checkCoolDown(report, own, world, violate);
    checkSequence(ids, own, world, violate);
    const incident = incidents.find((one) => one.chain === chain);
    const session = record.sessions.get(incident?.sessionId ?? '');
    if (incident === undefined || session === undefined) {
      violate('incidents', `the session of ${chain} is not known`);
      continue;
    }
    checkLatest(
      incident,
      session,
      own.filter((report) => sessionOf(report) === session.sessionId),
      world,
      violate,
    );
  }
}

/**
 * Checks a report that was taken, if it is the latest one of its problem: what it asks for is done by then.
 * @param messageId of its message.
 */
export async function checkFollowed(
  messageId: string,
  reports: readonly SimulatedReport[],
  { plan, record, reader }: World,
): Promise<void> {
  const report = reports.find((one) => one.messageId === messageId);
  if (report === undefined || plan.incidents === null || record.unreadableProblems) return;
  const incidents = (await reader.list({ collection: 'incidents' }, incidentType)).map(({ value }) => value);
  const incident = incidents.find(({ chain }) => chain === report.chain);
  const session = record.sessions.get(incident?.sessionId ?? '');
  if (incident === undefined || session === undefined) return;
  const { firing, firingAt, resolvedAt } = incident;
  const { status, deferral, conclusion, sessionId } = session;
  const violate = (detail: string) => void record.violations.push(`incidents: ${detail}`);
  if (!firing && report.kind === 'resolved' && report.at === resolvedAt?.getTime()) {
    const runs = status === 'in_progress' && conclusion === null;
    if (runs && firingAt !== null && plan.incidents.onResolved === 'stop')
      violate(`${sessionId} goes on after it was resolved`);
    if (status === 'deferred' && (deferral?.until != null || readWaitedBudgets(session) !== null))
      violate(`${sessionId} is to begin after it was resolved`);
  }
  const isHeld = status === 'deferred' && deferral?.reason === 'resolved';
  if (firing && report.kind === 'firing' && report.at === firingAt?.getTime() && isHeld)
    violate(`${sessionId} is not begun, and its alert fires again`);
}

/** An alert long after a session's end is not left to it, by its source's time. */
function checkCoolDown(
  report: SimulatedReport,
  reports: readonly SimulatedReport[],
  world: World,
  violate: Violate,
) {
  const { plan, record, store } = world;
  const { kind, key = '', publishedAt } = report;
  const session = record.sessions.get(record.alertKeys.get(key) ?? '');
  if (session === undefined || plan.incidents === null || kind === 'resolved') return;
  const { sessionId, endedAt, deferral, cancellation } = session;
  // One that ended later may have begun by it.
  if (endedAt === null || cancellation !== null || deferral !== null) return;
  const takenAt = (one: SimulatedReport): number => {
    const taken = store.documents().find(({ path }) => path === paths.alertKey(one.key ?? ''));
    return ((taken?.data.createdAt as Date | undefined) ?? new Date(0)).getTime();
  };
  const opener = openerOf(sessionId, reports, record);
  const isResolved = reports.some(
    (one) =>
      one.kind === 'resolved' &&
      record.alertKeys.get(one.key ?? '') === sessionId &&
      one.at >= (opener?.at ?? Number.POSITIVE_INFINITY) &&
      takenAt(one) < takenAt(report) - 2 * plan.maxSkewMs,
  );
  const { coolDownMs, reinvestigateAfterMs } = plan.incidents;
  const isShort = isResolved || (isFailed(session) && readPart(reinvestigationPart, session) === undefined);
  const limit = isShort ? coolDownMs : Math.max(coolDownMs, reinvestigateAfterMs);
  const late = publishedAt - endedAt.getTime() - limit;
  if (late > 2 * plan.maxSkewMs)
    violate('incidents', `${sessionId} has a report of ${late} ms after the next one had to be opened`);
}

/** Whether a session ended without an analysis, and no person wanted that. */
const isFailed = ({ status, finalAnalysis }: Session): boolean =>
  isTerminal(status) && status !== 'cancelled' && finalAnalysis === null;

/** The report that opened a session. */
function openerOf(
  sessionId: string,
  reports: readonly SimulatedReport[],
  { commits }: World['record'],
): SimulatedReport | undefined {
  const path = paths.session(sessionId);
  const opening = commits.find(({ writes }) =>
    writes.some((write) => write.op === 'create' && write.path === path),
  );
  const written = new Set(opening?.writes.map((write) => write.path));
  return reports.find(({ key }) => key !== undefined && written.has(paths.alertKey(key)));
}

/** A session is opened when the one before it is over, for as long as the chain says. */
function checkSequence(
  ids: string[],
  reports: readonly SimulatedReport[],
  { plan, record }: World,
  violate: Violate,
): void {
  // In the order of their first commits: their own times come from the clocks of different processes, which
  // may differ by more than lies between two sessions.
  const sessions = [...record.sessions.values()].filter(({ sessionId }) => ids.includes(sessionId));
  for (const [index, session] of sessions.entries()) {
    const before = sessions[index - 1];
    if (session.cancellation?.by === SOURCE && plan.incidents?.onResolved !== 'stop')
      violate('incidents', `${session.sessionId} was stopped, and was to finish`);
    const { deferral, createdAt, sessionId } = session;
    const waited = (deferral?.startedAt?.getTime() ?? Number.POSITIVE_INFINITY) - createdAt.getTime();
    const settleMs = plan.incidents?.settleMs ?? 0;
    if (deferral?.reason === 'settling' && waited < settleMs - 2 * plan.maxSkewMs)
      violate('incidents', `${sessionId} began ${waited} ms after its alert`);
    if (before === undefined || before.cancellation?.by === SOURCE || plan.incidents === null) continue;
    const wasResolved = reports.some(
      ({ kind, key }) => kind === 'resolved' && record.alertKeys.get(key ?? '') === before.sessionId,
    );
    const { coolDownMs, reinvestigateAfterMs } = plan.incidents;
    const isShort = wasResolved || isFailed(before) || !isTerminal(before.status);
    // One that was never started can have been cancelled after the next one was opened.
    const wasDeferred = before.deferral !== null && before.deferral.startedAt === null;
    const over = (wasDeferred ? before.createdAt : (before.endedAt ?? before.createdAt)).getTime();
    const from = over + (isShort ? coolDownMs : Math.max(coolDownMs, reinvestigateAfterMs));
    const isOver = wasDeferred ? readWaitedBudgets(before) === null : isTerminal(before.status);
    const reportedAt = openerOf(sessionId, reports, record)?.publishedAt ?? 0;
    if (!isOver || reportedAt < from - 2 * plan.maxSkewMs)
      violate('incidents', `${sessionId} was opened beside ${before.sessionId}, ${before.status}`);
    const given = readPart(reinvestigationPart, session);
    if (
      given === undefined ? !wasResolved && isTerminal(before.status) : given.sessionId !== before.sessionId
    )
      violate('incidents', `${sessionId} is given ${given?.sessionId}, and follows ${before.sessionId}`);
    if (given !== undefined && given.isAnalysis !== (before.finalAnalysis !== null))
      violate('incidents', `${sessionId} is given ${given.text}, and not the analysis before`);
  }
}

/** What is known of an incident is what was reported last, and its session is as that asks for. */
function checkLatest(
  { firing, stopped }: Incident,
  { sessionId, status, deferral, cancellation }: Session,
  reports: readonly SimulatedReport[],
  { plan }: World,
  violate: Violate,
): void {
  const latest = (kind: AlertReport['kind']) =>
    Math.max(-1, ...reports.filter((report) => report.kind === kind).map(({ at }) => at));
  const fires = latest('firing') > latest('resolved');
  if (firing !== fires) violate('incidents', `${sessionId} counts as ${firing ? 'firing' : 'resolved'}`);
  if (stopped !== (cancellation?.by === SOURCE))
    violate('incidents', `${sessionId} is ${stopped ? '' : 'not '}marked as stopped`);
  if (status === 'deferred' && deferral?.until != null)
    violate('incidents', `${sessionId} still waits for the end of its settle window`);
  if (fires && (status === 'deferred' || stopped))
    violate('incidents', `${sessionId} is ${status} (${deferral?.reason}), and its alert fires`);
  if (stopped && plan.incidents?.onResolved === 'stop' && latest('resolved') < 0)
    violate('incidents', `${sessionId} was stopped, and nobody said that it is resolved`);
}
