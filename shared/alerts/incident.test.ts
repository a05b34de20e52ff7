import { describe, expect, it } from 'vitest';
import { sampleAlertPart, sampleSession } from '../../test/support/samples.ts';
import { DEFAULT_INCIDENT_RULES } from '../core/schema/agent.ts';
import type { Session } from '../core/schema/session.ts';
import type { DeferralReason } from '../kits/alerts/deferredSession.ts';
import type { OpenedAgain } from './coolDown.ts';
import {
  type AlertReport,
  composeIncidentKey,
  composeProblemKey,
  decideFollowUp,
  decideIncident,
  firstReport,
  type IncidentDecision,
  isWithinTwoSeconds,
  toIncidentReport,
} from './incident.ts';
import { readSessionAlert } from './schema/alert.ts';
import type { Incident } from './schema/incident.ts';

const at = (minutes: number) => new Date(Date.UTC(2026, 10, 22, 9, minutes));
const now = at(30);
const facts = { key: 'own', now };

function incident(overrides: Partial<Incident> = {}): Incident {
  return {
    title: 'Disk full',
    source: 'json',
    identity: 'disk-1',
    chain: null,
    sessionId: 'one',
    firing: true,
    firingAt: at(0),
    resolvedAt: null,
    firesSince: at(0),
    since: at(0),
    retries: 0,
    stopped: false,
    opening: null,
    merged: false,
    alone: false,
    expireAt: at(59),
    createdAt: at(0),
    ...overrides,
  };
}
const flapped = incident({ firingAt: at(15), resolvedAt: at(10) });
const over = incident({ firing: false, resolvedAt: at(10) });

function session(
  overrides: Partial<Session> = {},
  rules: Partial<typeof DEFAULT_INCIDENT_RULES> = {},
): Session {
  const own = sampleSession({ createdAt: at(1), endedAt: null, ...overrides });
  return { ...own, chain: { ...own.chain, incident: { ...DEFAULT_INCIDENT_RULES, ...rules } } };
}
const deferred = (reason: DeferralReason, until: Date | null = null) =>
  session({ status: 'deferred', deferral: { reason, startedAt: null, until } });
const budgets = { sessionsPerHour: [{ chain: null, limit: 1 }], dailyTokens: [] };
const waiting = session({
  status: 'deferred',
  deferral: { reason: 'sessions_per_hour', startedAt: null, until: null },
  parts: { budgets },
});
const ended = (minutes: number, change: Partial<Session> = {}) =>
  session({ status: 'completed', endedAt: at(minutes), finalAnalysis: 'Memory.', ...change });

const firing = (minutes: number): AlertReport => ({ kind: 'firing', at: at(minutes) });
const resolved = (minutes: number): AlertReport => ({ kind: 'resolved', at: at(minutes) });

describe('whether a report opens a session', () => {
  it.each<[string, Incident | undefined, Session | undefined, AlertReport, string]>([
    ['nothing is known', undefined, undefined, firing(1), 'open'],
    ['its session was deleted', incident(), undefined, firing(1), 'open'],
    ['it is resolved, and nothing is known', undefined, undefined, resolved(1), 'open'],
    ['its session runs', incident(), session(), firing(20), 'attach'],
    ['its session waits for a user', incident(), deferred('own_alert'), firing(5), 'attach'],
    ['its session waits for a budget', incident(), waiting, firing(29), 'attach'],
    ['older code left it to users for a budget', incident(), deferred('daily_tokens'), firing(5), 'open'],
    ['it was resolved, and its session ended 10 minutes ago', flapped, ended(20), firing(29), 'open'],
    ['it was resolved, and its session ended just now', flapped, ended(21), firing(29), 'attach'],
    ['its session ended 10 minutes ago', incident(), ended(20), firing(29), 'attach'],
    ['its session ended long ago, and it is resolved', incident(), ended(2), resolved(29), 'attach'],
    ['its session settles', incident(), deferred('settling', at(59)), firing(29), 'attach'],
    ['it fires again after long, and was not investigated', over, deferred('resolved'), firing(29), 'attach'],
    [
      'its session was stopped, and it fires again',
      { ...over, stopped: true },
      ended(29),
      firing(11),
      'open',
    ],
    [
      'its session was stopped, and it fired before',
      { ...over, stopped: true },
      ended(29),
      firing(9),
      'attach',
    ],
    [
      'another delivery opens the session',
      incident({ opening: { key: 'x', until: at(31) } }),
      ended(2),
      firing(1),
      'wait',
    ],
    [
      'another delivery died opening it',
      { ...flapped, opening: { key: 'x', until: at(30) } },
      ended(2),
      firing(1),
      'open',
    ],
    ['a rule recorded it', incident(), deferred('triage'), firing(5), 'open'],
    [
      'it always fires, and a rule is to investigate it now',
      incident(),
      deferred('watchdog'),
      firing(5),
      'open',
    ],
    [
      'a person started its recorded session, which has ended',
      incident(),
      ended(2, { deferral: { reason: 'triage', startedAt: at(2), until: null } }),
      firing(29),
      'attach',
    ],
    ['it was merged into one that ended', incident({ merged: true }), ended(2), firing(29), 'attach'],
    [
      'it was merged into one that was cancelled',
      incident({ merged: true }),
      ended(2, { status: 'cancelled' }),
      firing(29),
      'open',
    ],
    [
      'it was merged into one that waits',
      incident({ merged: true }),
      deferred('own_alert'),
      firing(5),
      'open',
    ],
    [
      'an earlier delivery of it died opening it',
      incident({ opening: { key: 'own', until: at(31) } }),
      undefined,
      firing(1),
      'open',
    ],
  ])('%s', (_, known, opened, report, kind) => {
    expect(decideIncident(known, opened, report, facts).kind).toBe(kind);
  });

  it.each([
    ['a rule recorded it', deferred('triage'), 'attach'],
    ['it was not investigated because it was resolved', deferred('resolved'), 'open'],
  ] as const)('rules do not want it: %s', (_, opened, kind) => {
    const decision = decideIncident(over, opened, firing(29), { ...facts, isWanted: false });
    expect(decision.kind).toBe(kind);
  });

  it.each([
    ['out of its own session', session(), 'one', 'open'],
    ['out of another session, and its own runs', session(), 'two', 'attach'],
    ['out of another session, and its own has ended', ended(2), 'two', 'open'],
  ] as const)('a person takes it %s', (_, opened, splitOf, kind) => {
    const decision = decideIncident(incident(), opened, firing(0), { ...facts, splitOf });
    const attached = { kind, incident: incident({ alone: true }), isNews: true };
    expect(decision).toEqual(kind === 'open' ? { kind } : attached);
  });

  it('one that a person took out of a group stays alone', () => {
    const decision = decideIncident(incident({ alone: true }), session(), firing(20), facts);
    expect(decision).toMatchObject({ incident: { alone: true } });
  });

  const day = 24 * 60;
  const longCoolDown = session(
    { status: 'completed', endedAt: at(2), finalAnalysis: 'Memory.' },
    { coolDownMs: 3_600_000, reinvestigateAfterMs: 60_000 },
  );
  const failed = (change: Partial<Session> = {}) =>
    ended(2, { status: 'failed', finalAnalysis: null, ...change });
  it.each<[string, Incident, Session, number, IncidentDecision['kind'], OpenedAgain?]>([
    ['a day after the end', incident(), ended(2), day + 2, 'open', 'reinvestigate'],
    ['within a day of the end', incident(), ended(2), day + 1, 'attach'],
    ['within a cool-down that is longer', incident(), longCoolDown, 12, 'attach'],
    ['10 minutes after a failure', incident(), failed(), 12, 'open', 'retry'],
    ['10 minutes after the third failure', incident({ retries: 2 }), failed(), 12, 'attach'],
    ['a day after the third failure', incident({ retries: 2 }), failed(), day + 2, 'open', 'reinvestigate'],
    ['10 minutes after a time-out', incident(), failed({ status: 'timed_out' }), 12, 'open', 'retry'],
    ['10 minutes after a failure with an analysis', incident(), failed({ finalAnalysis: 'x' }), 12, 'attach'],
    ['10 minutes after a person cancelled it', incident(), failed({ status: 'cancelled' }), 12, 'attach'],
    [
      'after a resolve that is older than its start',
      incident({ resolvedAt: at(-5) }),
      ended(2),
      12,
      'attach',
    ],
    ['after a resolve since its start', incident({ resolvedAt: at(0) }), ended(2), 12, 'open'],
    ['and older code did not store since when', incident({ since: null }), ended(2), 12, 'attach'],
    ['of a session without an alert', incident(), ended(2, sampleAlertPart(null)), 12, 'attach'],
    ['a day after the last deferral', incident(), deferred('own_alert'), day + 1, 'open'],
  ])('alerts that keep firing: %s', (_, known, opened, minutes, kind, again) => {
    const reportedAt = at(minutes);
    const late = { key: 'own', now: at(10 * day), reportedAt };
    const decision = decideIncident(known, opened, firing(0), late);
    expect([decision.kind, 'again' in decision ? decision.again : undefined]).toEqual([kind, again]);
  });

  it.each([
    ['the same alert', ['Pod cart-7d9f8b5c4-xkqpz crashes'], 'attach'],
    ['another pod of the same workload', ['Pod cart-59d8b7c6f4-mnbvc crashes'], 'attach'],
    ['another workload', ['Pod cart-7d9f8b5c4-xkqpz crashes', 'Pod shop-5d9f8b5c4-8kqpz crashes'], 'open'],
  ])('alerts that join a group that keeps firing: %s', (_, titles, kind) => {
    const member = (title: string) => ({ title, severity: null, identity: title, startedAt: null });
    const members = titles.map((title) => ({ ...member(title), status: 'firing' as const }));
    const alert = readSessionAlert(sampleSession());
    const first = members.slice(0, 1).map((one) => ({ ...one, title: 'Pod cart-7d9f8b5c4-xkqpz crashes' }));
    const opened = ended(2, sampleAlertPart(alert && { ...alert, members: first }));
    expect(decideIncident(incident(), opened, firing(0), { ...facts, members }).kind).toBe(kind);
    const resolved = members.map((one) => ({ ...one, status: 'resolved' as const }));
    expect(decideIncident(incident(), opened, firing(0), { ...facts, members: resolved }).kind).toBe(
      'attach',
    );
  });

  it.each<[AlertReport, Partial<Incident>, boolean]>([
    [firing(20), { firing: true, firingAt: at(20), firesSince: at(20) }, true],
    [firing(5), { firing: false, firingAt: at(5) }, true],
    [firing(10), { firing: true, firingAt: at(10), firesSince: at(10) }, true],
    [resolved(20), { firing: false, resolvedAt: at(20) }, true],
    [resolved(5), {}, false],
    [{ kind: 'acknowledged', at: at(40) }, {}, false],
  ])('and the facts known then, by the times of the source: %j', (report, change, isNews) => {
    expect(decideIncident(over, session(), report, facts)).toEqual({
      kind: 'attach',
      incident: { ...over, ...change },
      isNews,
    });
  });

  it.each<[string, Incident, { firing?: boolean; firingAt?: number; resolvedAt?: number }, boolean]>([
    ['a repeat', incident(), { firingAt: 1_999 }, true],
    ['a repeat two seconds later', incident(), { firingAt: 2_000 }, false],
    ['a resolution', incident(), { firing: false, resolvedAt: 0 }, false],
    ['a first resolution of an earlier start', incident(), { resolvedAt: 0 }, false],
    ['another resolution', over, { resolvedAt: 601_999 }, false],
    ['a repeat right after a resolution', incident({ resolvedAt: at(0) }), { firingAt: 1_999 }, false],
  ])('%s moves times within their two seconds only: %#', (_, before, { firing, ...times }, expected) => {
    const moved = Object.entries(times).map(([name, ms]) => [name, new Date(at(0).getTime() + ms)]);
    const after = { ...before, firing: firing ?? before.firing, ...Object.fromEntries(moved) };
    expect(isWithinTwoSeconds(before, after)).toBe(expected);
  });

  it('a resolution that is older than the start does not end a firing alert', () => {
    expect(decideIncident(incident({ firingAt: at(20) }), session(), resolved(10), facts)).toMatchObject({
      incident: { firing: true, resolvedAt: at(10) },
    });
  });
});

describe('the time since which a problem fires', () => {
  const unheld = session();
  const after = (known: Incident, reports: AlertReport[]) =>
    reports.reduce((state, report) => {
      const decision = decideIncident(state, unheld, report, facts);
      return decision.kind === 'attach' ? decision.incident : state;
    }, known);

  it.each<[string, AlertReport[], number]>([
    ['is that of the first report, however often it is repeated', [firing(5), firing(9)], 0],
    ['is that of an earlier report that comes later', [firing(-2)], -2],
    ['starts again after it was resolved', [resolved(10), firing(15), firing(20)], 15],
    [
      'starts again if the resolution comes after the report that it fires again',
      [firing(15), resolved(10)],
      15,
    ],
    ['is not moved by a report of before the resolution', [resolved(10), firing(15), firing(7)], 15],
    ['stays when it is resolved', [resolved(10)], 0],
  ])('%s', (_, reports, minutes) => {
    expect(after(incident(), reports).firesSince).toEqual(at(minutes));
  });

  it('is that of the first session of a problem that still fires, and of the report for any other', () => {
    expect(firstReport(firing(20), incident()).firesSince).toEqual(at(0));
    expect(firstReport(firing(-5), incident()).firesSince).toEqual(at(-5));
    expect(firstReport(firing(20), over).firesSince).toEqual(at(20));
    expect(firstReport(firing(20), undefined).firesSince).toEqual(at(20));
    expect(firstReport(resolved(20), undefined).firesSince).toBeNull();
  });
});

describe('the fields that the session of an incident needs', () => {
  const stopping = (overrides: Partial<Session> = {}) => session(overrides, { onResolved: 'stop' });
  it.each<[string, Incident, Session, string]>([
    ['it runs and fires', incident(), stopping(), 'none'],
    ['it is resolved, and is to finish', over, session(), 'none'],
    ['it is resolved, and is to stop', over, stopping(), 'stop'],
    [
      'its summary is all that is left',
      over,
      stopping({ conclusion: { status: 'completed', failure: null } }),
      'none',
    ],
    ['it never fired: a person wants it', { ...over, firingAt: null }, stopping(), 'none'],
    ['the session is that of another problem', { ...over, merged: true }, stopping(), 'none'],
    ['it has ended', over, stopping({ status: 'completed', endedAt: at(9) }), 'none'],
    ['who stopped it died', { ...over, stopped: true }, stopping({ status: 'cancelling' }), 'finish_stop'],
    ['a person cancels it', over, stopping({ status: 'cancelling' }), 'none'],
    ['it is resolved while it settles', over, deferred('settling', at(59)), 'hold'],
    ['it fires while it settles', incident(), deferred('settling', at(59)), 'none'],
    ['it fires again', incident(), deferred('resolved'), 'start'],
    ['people knew of it, and it fires', incident(), deferred('acknowledged'), 'start'],
    ['it waits for a user', incident(), deferred('daily_tokens'), 'none'],
    ['it fires while it waits for a budget', incident(), waiting, 'none'],
    ['it is resolved while it waits for a budget', over, waiting, 'hold'],
    ['people know of it, and it runs', incident({ firing: false }), stopping(), 'none'],
  ])('%s', (_, known, opened, what) => {
    expect(decideFollowUp(known, opened)).toBe(what);
  });
});

describe('a report', () => {
  const times = { endedAt: at(8), publishedAt: at(9), now };
  it.each([
    ['firing', at(1), {}, 'firing', at(1)],
    ['unknown', null, {}, 'firing', at(9)],
    ['resolved', at(1), {}, 'resolved', at(8)],
    ['resolved', at(1), { endedAt: null }, 'resolved', at(9)],
    ['resolved', at(12), { endedAt: null }, 'resolved', at(12)],
    ['acknowledged', at(1), {}, 'acknowledged', at(9)],
    // A source whose clock is years ahead would have the last word for years.
    ['firing', new Date('2030-01-01'), {}, 'firing', at(9)],
    ['resolved', at(1), { endedAt: new Date('2030-01-01') }, 'resolved', at(9)],
    ['firing', at(36), {}, 'firing', at(9)],
    ['firing', at(35), {}, 'firing', at(35)],
    ['firing', null, { publishedAt: null }, 'firing', now],
  ] as const)('that it is %s since %s is of this time', (status, startedAt, other, kind, when) => {
    expect(toIncidentReport({ status, startedAt }, { ...times, ...other })).toEqual({ kind, at: when });
  });

  it.each([
    [{}, null, true],
    [{}, 'shop', true],
    [{ identity: null }, null, false],
    [{ status: 'test' as const }, null, false],
    [{ identity: 'a [masked:password#3f2a1c] b' }, null, false],
  ])('has an incident if it can be found again: %j %s', (change, chain, isThere) => {
    const key = composeIncidentKey(
      { source: 'json', identity: 'a', status: 'firing', ...change },
      { tenantId: 'default', chain },
    );
    expect(key !== undefined).toBe(isThere);
  });

  it('is of another incident with another source, identity, chain or tenant', () => {
    const of = (source: string, identity: string, chain: string | null, tenantId = 'default') =>
      composeIncidentKey({ source, identity, status: 'firing' }, { tenantId, chain });
    const keys = [
      of('a', 'b', null),
      of('a', 'b', 'c'),
      of('ab', '', null),
      of('a', 'bc', null),
      of('x', 'b', null),
      of('a', 'b', null, 'acme'),
    ];
    expect(new Set(keys).size).toBe(keys.length);
  });

  it('is a different problem with another source or identity, and none with a secret', () => {
    const of = (source: string, identity: string | null) => composeProblemKey({ source, identity });
    expect(of('a', 'b')).toBe(of('a', 'b'));
    const keys = [of('a', 'b'), of('x', 'b'), of('a', 'bc'), of('ab', '')];
    expect(new Set(keys).size).toBe(keys.length);
    expect([of('a', null), of('a', 'b [masked:password#3f2a1c]')]).toEqual([null, null]);
  });
});
