// What the rules allow of problems and their sessions: which session takes a report, and what merges, splits
// and cancellations change. It keeps all reports of a problem, where the product keeps the latest times.

import type { AlertReport } from '../../../shared/alerts/incident.ts';
import type { IncidentRules } from '../../../shared/core/schema/agent.ts';
import type { Session } from '../../../shared/core/schema/session.ts';

/** A report of a message; times in epoch milliseconds. */
export interface ModelReport {
  problem: number;
  kind: AlertReport['kind'];
  /** According to the source. */
  at: number;
  publishedAt: number;
  /** The session out of which a person took the alert. */
  splitOf?: string;
}

export interface ModelSession {
  /** Its alert: the one that opened it, or that fired again and started it. */
  alert: ModelReport;
  /** Whether alerts that share a label of it are added to it. */
  isNoted: boolean;
  status: Session['status'];
  /** Why it waits; null for one that does not. */
  waitsFor: 'settling' | 'resolved' | 'acknowledged' | null;
  /** When it starts by itself; null for one that does not settle. */
  until: number | null;
  createdAt: number;
  startedAt: number;
  endedAt: number | null;
  hasAnalysis: boolean;
  mergedInto: string | null;
  counts: Record<AlertReport['kind'] | 'joined', number>;
}

export interface ModelProblem {
  sessionId: string;
  /** Since the session was opened, in the order of their delivery. */
  reports: Pick<ModelReport, 'kind' | 'at'>[];
  /** Since when it fired at its session's opening; null if it did not. */
  firedSince: number | null;
  /** Whether a resolution came late, after a report that it fires again: the first of these is not known. */
  isVague: boolean;
  /** When it last fired as its session was opened or started; null if it did not. */
  since: number | null;
  retries: number;
  stopped: boolean;
  merged: boolean;
  alone: boolean;
}

/** Where a report has to go. */
type Place = { kind: 'attach' } | { kind: 'open'; isRetry: boolean };

const OPEN: Place = { kind: 'open', isRetry: false };
const MAX_RETRIES = 2;

export function createIncidentModel({
  settleMs,
  onResolved,
  coolDownMs,
  reinvestigateAfterMs,
}: IncidentRules) {
  const sessions = new Map<string, ModelSession>();
  const problems = new Map<number, ModelProblem>();
  const getSession = (id: string): ModelSession => sessions.get(id) as ModelSession;
  const isWaiting = ({ status }: ModelSession) => status === 'deferred';
  const isRunning = ({ status }: ModelSession) => status === 'in_progress';
  const takesAlerts = (one: ModelSession) =>
    isRunning(one) || (isWaiting(one) && one.waitsFor === 'settling');

  const end = (session: ModelSession, status: Session['status'], now: number): void => {
    const hasAnalysis = status === 'completed';
    Object.assign(session, { status, waitsFor: null, until: null, endedAt: now, hasAnalysis });
  };
  const start = (session: ModelSession, now: number): void => {
    Object.assign(session, { status: 'in_progress', waitsFor: null, until: null, startedAt: now });
  };

  /** The place of a report, before it is counted. */
  function place({ problem, kind, at, publishedAt, splitOf }: ModelReport): Place {
    const known = problems.get(problem);
    if (known === undefined) return OPEN;
    const session = getSession(known.sessionId);
    if (splitOf !== undefined)
      return known.sessionId === splitOf || !takesAlerts(session) ? OPEN : { kind: 'attach' };
    if (kind !== 'firing') return { kind: 'attach' };
    const { firing, resolvedAt } = stateOf({ ...known, reports: [...known.reports, { kind, at }] });
    if (known.stopped) return resolvedAt === null || at >= resolvedAt ? OPEN : { kind: 'attach' };
    if (takesAlerts(session)) return { kind: 'attach' };
    if (known.merged && (isWaiting(session) || session.status === 'cancelled')) return OPEN;
    if (isWaiting(session) && firing) return { kind: 'attach' };
    const wasResolved = resolvedAt !== null && (known.since === null || resolvedAt >= known.since);
    const isTriedAgain =
      !session.hasAnalysis && session.status !== 'cancelled' && known.retries < MAX_RETRIES;
    const waitsShort = wasResolved || isWaiting(session) || isTriedAgain;
    const waitMs = waitsShort ? coolDownMs : Math.max(coolDownMs, reinvestigateAfterMs);
    if (publishedAt < (session.endedAt ?? session.createdAt) + waitMs) return { kind: 'attach' };
    return { kind: 'open', isRetry: !wasResolved && !isWaiting(session) && isTriedAgain };
  }

  /** Counts a report in the session of its problem, and applies what it means for that session. */
  function attach(report: ModelReport, now: number): void {
    const { problem, kind, at, splitOf } = report;
    const known = problems.get(problem) as ModelProblem;
    const session = getSession(known.sessionId);
    known.reports.push({ kind, at });
    known.isVague = stateOf(known).firing && (known.isVague || kind === 'resolved');
    session.counts[kind]++;
    if (splitOf !== undefined) known.alone = true;
    if (known.merged) return;
    const { firing, firingAt, resolvedAt } = stateOf(known);
    if (isWaiting(session) && session.waitsFor !== 'settling') {
      if (kind !== 'firing' || !firing) return;
      known.since = firingAt;
      if (session.alert.kind !== 'firing') session.alert = report;
      if (settleMs > 0) Object.assign(session, { waitsFor: 'settling', until: now + settleMs });
      else start(session, now);
    } else if (!firing && resolvedAt !== null) {
      if (isWaiting(session)) Object.assign(session, { waitsFor: 'resolved', until: null });
      // A person took it out of a group although it did not fire.
      if (firingAt === null || !isRunning(session) || onResolved !== 'stop') return;
      end(session, 'cancelled', now);
      known.stopped = true;
    }
  }

  /** Makes a new session that of the problem of a report. */
  function open(sessionId: string, report: ModelReport, isRetry: boolean, now: number): void {
    const { problem, kind, at, splitOf } = report;
    const known = problems.get(problem);
    const before = known && stateOf(known);
    const starts = kind === 'firing' || splitOf !== undefined;
    const settles = kind === 'firing' && settleMs > 0;
    const waitsFor = settles ? 'settling' : starts ? null : kind;
    problems.set(problem, {
      sessionId,
      reports: [{ kind, at }],
      firedSince: kind === 'firing' && before !== undefined ? before.firesSince : null,
      isVague: false,
      since: kind === 'firing' ? at : null,
      retries: isRetry ? (known?.retries ?? 0) + 1 : 0,
      stopped: false,
      merged: false,
      alone: (known?.alone ?? false) || splitOf !== undefined,
    });
    sessions.set(sessionId, {
      alert: report,
      isNoted: kind === 'firing' && splitOf === undefined && !known?.alone,
      status: waitsFor === null ? 'in_progress' : 'deferred',
      waitsFor: waitsFor as ModelSession['waitsFor'],
      until: settles ? now + settleMs : null,
      createdAt: now,
      startedAt: now,
      endedAt: null,
      hasAnalysis: false,
      mergedInto: null,
      counts: { firing: 0, resolved: 0, acknowledged: 0, joined: 0, [kind]: 1 },
    });
  }

  /** @returns the outcome of a merge. */
  function merge(sessionId: string, into: string, now: number): string {
    const [merged, leader] = [getSession(sessionId), getSession(into)];
    if (sessionId === into) return 'same_session';
    if (merged.mergedInto === into) return 'already_merged';
    if (merged.endedAt !== null) return 'ended';
    if (!takesAlerts(leader)) return 'not_open';
    end(merged, 'cancelled', now);
    merged.mergedInto = into;
    leader.counts.joined++;
    for (const problem of problems.values())
      if (problem.sessionId === sessionId)
        Object.assign(problem, { sessionId: into, merged: true, stopped: false });
    return 'merged';
  }

  /** Whether the alert of a merged session is part of another. */
  function isMergedInto(sessionId: string, into: string): boolean {
    const next = getSession(sessionId).mergedInto;
    return next !== null && (next === into || isMergedInto(next, into));
  }

  return { sessions, problems, takesAlerts, place, attach, open, merge, isMergedInto, start, end };
}

/** The state of a problem: the last report in the order of its source counts. */
export function stateOf({ reports, firedSince }: Pick<ModelProblem, 'reports' | 'firedSince'>) {
  const latest = (wanted: AlertReport['kind']) =>
    reports.reduce<number | null>(
      (at, one) => (one.kind === wanted ? Math.max(at ?? one.at, one.at) : at),
      null,
    );
  const before = firedSince === null ? [] : [{ kind: 'firing', at: firedSince }];
  const sorted = [...before, ...reports]
    .filter(({ kind }) => kind !== 'acknowledged')
    .toSorted((a, b) => a.at - b.at);
  const firing = sorted.slice(sorted.findLastIndex(({ kind }) => kind === 'resolved') + 1);
  return {
    firing: firing.length > 0,
    firingAt: latest('firing'),
    resolvedAt: latest('resolved'),
    /** Since when it fires, if it does. */
    firesSince: firing[0]?.at ?? null,
  };
}

/** Whether the time since when it fires is known exactly. */
export const hasStart = (problem: ModelProblem): boolean => stateOf(problem).firing && !problem.isVague;
