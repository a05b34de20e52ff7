// Random reports, merges, splits, cancellations and ends on the store in memory, beside the model of what the
// rules allow. After each step, stored documents and model are compared.

import fc from 'fast-check';
import { expect } from 'vitest';
import { MAX_RELATED } from '../../../shared/alerts/sharedLabels.ts';
import type { IncidentRules } from '../../../shared/core/schema/agent.ts';
import { cancelSession } from '../../../shared/core/session/cancelSession.ts';
import { mergeSession } from '../../../shared/features/correlation/mergeSession.ts';
import { splitAlert } from '../../../shared/features/correlation/splitAlert.ts';
import { readCounts } from '../../../shared/kits/views/reports.ts';
import { readSessionView } from '../../../shared/kits/views/sessionView.ts';
import { alertKeyType, incidentType, paths } from '../../../shared/lists/documents.ts';
import { type AlertMessage, createIncidentRig } from '../../support/incidentRig.ts';
import {
  createIncidentModel,
  hasStart,
  type ModelReport,
  type ModelSession,
  stateOf,
} from './incidentModel.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** The last two share a label, so that one can join the session of the other. */
const PROBLEMS = ['disk', 'queue', 'shop', 'cart'];
const JOINABLE = 2;
const triage = {
  correlate: [{ labels: ['cluster'], window: '15m' }],
  rules: [{ name: 'storm', labels: { cluster: '*' }, action: 'investigate', join: true }],
};

const session = fc.nat(7);
/** A step of a run; sessions and messages by their number. */
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      act: fc.constant('report'),
      problem: fc.nat(PROBLEMS.length - 1),
      kind: fc.constantFrom('firing', 'firing', 'resolved', 'acknowledged'),
      /** Minutes before now, at the source. */
      ago: fc.nat(6),
    }),
  },
  fc.record({ act: fc.constant('copy'), message: fc.nat(20) }),
  { weight: 2, arbitrary: fc.record({ act: fc.constant('merge'), session, into: session }) },
  {
    weight: 2,
    arbitrary: fc.record({ act: fc.constant('split'), session, of: fc.nat(7), isDelivered: fc.boolean() }),
  },
  fc.record({ act: fc.constant('cancel'), session }),
  fc.record({ act: fc.constant('end'), session, status: fc.constantFrom('completed', 'failed') }),
  fc.record({ act: fc.constant('wait'), minutes: fc.constantFrom(1, 3, 9, 11, 50, 1_500) }),
);

export const INCIDENT_RUNS = fc.record({
  settleMs: fc.constantFrom(0, 2 * MINUTE),
  onResolved: fc.constantFrom('finish', 'stop'),
  steps: fc.array(step, { minLength: 5, maxLength: 30 }),
});

type Run = typeof INCIDENT_RUNS extends fc.Arbitrary<infer R> ? R : never;
type Step = Run['steps'][number];
type Of<A extends Step['act']> = Extract<Step, { act: A }>;

/** An alert that a rule or a merge added to a session. */
interface Added {
  /** The id of its message, or of the merged session. */
  id: string;
  isMerge: boolean;
  /** The session whose list has it; null after a split. */
  listedIn: string | null;
  /** The session that took it. */
  takenBy: string;
  report: ModelReport;
  /** Whether a person took it out again, and whether its message was delivered. */
  isSplit: boolean;
  isDelivered: boolean;
}

/** Runs steps, each checked against the model. */
export async function runIncidents({ steps, ...rules }: Run): Promise<void> {
  const rig = createIncidentRig(rules as Partial<IncidentRules>, {}, triage);
  const chain = { coolDownMs: 10 * MINUTE, reinvestigateAfterMs: 24 * HOUR, ...rules };
  const model = createIncidentModel(chain as IncidentRules);
  const { sessions, problems } = model;
  const messages: { message: AlertMessage; report: ModelReport }[] = [];
  const added: Added[] = [];
  const settles = () => [...sessions.values()].some(({ until }) => until !== null);
  const now = () => rig.clock.now().getTime();
  const ids = () => [...sessions.keys()];
  const pick = <T>(all: readonly T[], index: number): T | undefined => all[index % all.length];

  /** Delivers a message for the first time, and follows it in the model. */
  async function deliver(message: AlertMessage, report: ModelReport): Promise<void> {
    const before = new Set(await keyIds());
    const place = model.place(report);
    const known = problems.get(report.problem);
    await rig.deliver(message);
    messages.push({ message, report });
    const keys = await rig.store.list({ collection: paths.alertKeys }, alertKeyType);
    const created = keys.filter(({ id }) => !before.has(id));
    expect(created).toHaveLength(1);
    const { sessionId = '', joined = null } = created[0]?.value ?? {};
    if (place.kind === 'attach') {
      expect({ sessionId, joined }).toEqual({ sessionId: known?.sessionId, joined: null });
      return model.attach(report, now());
    }
    const joinable = report.problem >= JOINABLE && report.splitOf === undefined && !known?.alone;
    const session = sessions.get(sessionId);
    if (session === undefined) {
      if (joinable && added.length + sessions.size < MAX_RELATED)
        expect([...sessions.values()].filter((one) => isRelated(one, report))).toEqual([]);
      return model.open(sessionId, report, place.isRetry, now());
    }
    expect(joinable && (model.takesAlerts(session) || session.status === 'completed')).toBe(true);
    session.counts.joined++;
    add({ id: message.id, isMerge: false, takenBy: sessionId, report });
  }

  /** Whether an alert has to join a session: it is open, and that of another alert with the same label. */
  function isRelated(session: ModelSession, { problem, publishedAt }: ModelReport): boolean {
    const { alert, createdAt } = session;
    const isNoted = alert.problem >= JOINABLE && session.isNoted;
    return (
      isNoted &&
      alert.problem !== problem &&
      model.takesAlerts(session) &&
      publishedAt - createdAt < 15 * MINUTE
    );
  }

  const add = (one: Pick<Added, 'id' | 'isMerge' | 'takenBy' | 'report'>) =>
    added.push({ ...one, listedIn: one.takenBy, isSplit: false, isDelivered: false });

  const keyIds = async () =>
    (await rig.store.list({ collection: paths.alertKeys }, alertKeyType)).map(({ id }) => id);

  function composeMessage({ problem, kind, ago }: Of<'report'>) {
    const at = kind === 'acknowledged' ? now() : now() - ago * MINUTE;
    const time = new Date(at).toISOString();
    const title = PROBLEMS[problem] ?? '';
    const alert = {
      title,
      fingerprint: title,
      status: kind,
      ...(kind === 'firing' && { startsAt: time }),
      ...(kind === 'resolved' && { endsAt: time }),
      ...(problem >= JOINABLE && { labels: { cluster: 'eu' } }),
    };
    const message = { id: `m${messages.length}`, alert, publishedAt: rig.minute() };
    return { message, report: { problem, kind, at, publishedAt: now() } as ModelReport };
  }

  async function merge(sessionId: string, into: string): Promise<void> {
    const { alert } = sessions.get(sessionId) as ModelSession;
    const outcome = model.merge(sessionId, into, now());
    if (outcome === 'merged') add({ id: sessionId, isMerge: true, takenBy: into, report: alert });
    const merged = await mergeSession({ sessionId, into, by: 'ada' }, rig.deps);
    expect(merged.kind).toBe(outcome);
  }

  async function split(sessionId: string, one: Added, isDelivered: boolean): Promise<void> {
    const isThere = one.isMerge ? model.isMergedInto(one.id, sessionId) : one.takenBy === sessionId;
    const outcome = await splitAlert({ sessionId, messageId: one.id, by: 'ada' }, rig.deps);
    expect(outcome.kind).toBe(isThere ? (one.isSplit ? 'already_split' : 'split') : 'not_joined');
    if (!('data' in outcome)) return;
    const { counts } = sessions.get(sessionId) as ModelSession;
    const others = [...problems.values()].filter(
      (problem) => problem.merged && problem.sessionId === sessionId,
    );
    // It still shows the problems of earlier merges.
    const isLast = counts.joined === 1 && others.length > (one.isMerge ? 1 : 0);
    if (one.listedIn === sessionId && !isLast) counts.joined--;
    Object.assign(one, { isSplit: true, listedIn: null });
    if (!isDelivered) return;
    const { data, attributes } = outcome;
    const id = `m${messages.length}`;
    const message = { id, alert: JSON.parse(data.toString()), publishedAt: rig.minute(), attributes };
    const { problem, kind, at } = one.report;
    const report = {
      problem,
      kind,
      at: kind === 'acknowledged' ? now() : at,
      publishedAt: now(),
      splitOf: sessionId,
    };
    if (one.isDelivered) return rig.deliver(message);
    one.isDelivered = true;
    await deliver(message, report);
  }

  /** Lets time pass; what would reach its deadline ends before. */
  async function wait(minutes: number): Promise<void> {
    if (minutes > 60 && settles()) await wait(3);
    const until = now() + minutes * MINUTE;
    const isDue = ({ startedAt, createdAt }: ModelSession) =>
      Math.min(startedAt + 30 * MINUTE, createdAt + 23 * HOUR) < until;
    for (const [id, one] of sessions) if (isDue(one)) await endAs(id, 'failed');
    rig.clock.advance(minutes * MINUTE);
    await rig.sweep();
    for (const one of sessions.values())
      if (one.until !== null && one.until <= now()) model.start(one, now());
  }

  async function endAs(id: string, status: 'completed' | 'failed'): Promise<void> {
    const session = sessions.get(id);
    if (session?.status !== 'in_progress') return;
    await rig.end(id, status);
    model.end(session, status, now());
  }

  async function cancel(id: string): Promise<void> {
    const session = sessions.get(id) as ModelSession;
    const { kind } = await cancelSession(id, rig.deps, { by: 'ada', reason: null });
    expect(kind).toBe(session.endedAt === null ? 'cancelled' : 'already_ended');
    if (session.endedAt === null) model.end(session, 'cancelled', now());
  }

  async function take(one: Step): Promise<void> {
    if (one.act === 'report') {
      const { message, report } = composeMessage(one);
      return deliver(message, report);
    }
    if (one.act === 'wait') return wait(one.minutes);
    if (one.act === 'copy') {
      const copied = pick(messages, one.message);
      return copied && rig.deliver(copied.message);
    }
    const id = pick(ids(), one.session);
    if (id === undefined) return;
    if (one.act === 'merge') return merge(id, pick(ids(), one.into) as string);
    if (one.act === 'cancel') return cancel(id);
    if (one.act === 'end') return endAs(id, one.status as 'completed');
    const wanted = pick(added, one.of);
    // Mostly where it is.
    if (wanted !== undefined)
      return split(one.session % 4 === 0 ? id : wanted.takenBy, wanted, one.isDelivered);
  }

  async function compare(): Promise<void> {
    const stored = await rig.store.list({ collection: paths.incidents }, incidentType);
    const incidents = stored.map(({ value }) => {
      const { title, sessionId, firing, firingAt, resolvedAt, retries, stopped, merged, alone } = value;
      const problem = problems.get(PROBLEMS.indexOf(title));
      const times = {
        firingAt: firingAt?.getTime() ?? null,
        resolvedAt: resolvedAt?.getTime() ?? null,
        ...(problem && hasStart(problem) && { firesSince: value.firesSince?.getTime() }),
      };
      return { title, sessionId, firing, ...times, retries, stopped, merged, alone };
    });
    const expected = [...problems].map(([index, problem]) => {
      const { sessionId, retries, stopped, merged, alone } = problem;
      const { firesSince, ...state } = stateOf(problem);
      const since = hasStart(problem) && { firesSince };
      return { title: PROBLEMS[index] ?? '', sessionId, ...state, ...since, retries, stopped, merged, alone };
    });
    const byTitle = (a: { title: string }, b: { title: string }) => (a.title < b.title ? -1 : 1);
    expect(incidents.sort(byTitle)).toEqual(expected.sort(byTitle));
    const all = await rig.sessions();
    const shown = await Promise.all(
      all.map(async ({ sessionId, status, deferral, cancellation }) => {
        const { value: counts } = await readCounts(sessionId, rig.store);
        const { firing, resolved, acknowledged, joined } = counts ?? {};
        return [
          sessionId,
          {
            status,
            waitsFor: status === 'deferred' ? deferral?.reason : null,
            mergedInto: cancellation?.mergedInto ?? null,
            counts: { firing, resolved, acknowledged, joined },
          },
        ];
      }),
    );
    const allowed = [...sessions].map(([id, { status, waitsFor, mergedInto, counts }]) => [
      id,
      { status, waitsFor, mergedInto, counts },
    ]);
    expect(Object.fromEntries(shown)).toEqual(Object.fromEntries(allowed));
  }

  /** The badge of each session: of its problem and of those merged into it, one that fires counts first. */
  async function compareBadges(): Promise<void> {
    for (const [id, { alert, counts }] of sessions) {
      const own = [...problems].filter(
        ([index, one]) => index === alert.problem || (one.merged && one.sessionId === id),
      );
      // Its message is published, and not taken yet.
      const isLeaving = added.some(
        (one) => one.isMerge && one.isSplit && !one.isDelivered && one.takenBy === id,
      );
      if (isLeaving) continue;
      const states = own.map(([, one]) => stateOf(one));
      const firing = states.filter((one) => one.firing);
      const isKnown = states.some((one) => !one.firing && one.resolvedAt === null);
      const status = firing.length > 0 ? 'firing' : isKnown ? 'acknowledged' : 'resolved';
      const view = await readSessionView(id, rig.store, rig.clock.now());
      expect(view?.problem).toMatchObject({ status, repeats: Math.max(0, counts.firing - 1) });
    }
  }

  for (const one of steps) {
    await take(one as Step);
    await compare();
  }
  await compareBadges();
}
