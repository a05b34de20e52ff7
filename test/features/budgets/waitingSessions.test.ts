// Deferred sessions start when a budget has room: once, the most severe first, then oldest.

import { describe, expect, it } from 'vitest';
import { readSessionAlert } from '../../../shared/alerts/schema/alert.ts';
import { readWaitedBudgets } from '../../../shared/alerts/schema/waitedBudgets.ts';
import { putDocument } from '../../../shared/core/contract/store.ts';
import { rawDocumentType } from '../../../shared/core/schema/documentType.ts';
import { startDeferred } from '../../../shared/core/session/startDeferred.ts';
import { deferralNotice } from '../../../shared/kits/alerts/deferredSession.ts';
import { sessionAllowance } from '../../../shared/kits/budgets/usageLimits.ts';
import { allowanceType, paths, stageType, waitingSessionType } from '../../../shared/lists/documents.ts';
import { useTokens, useUnits } from '../../support/allowances.ts';
import { createIncidentRig } from '../../support/incidentRig.ts';

type Rig = ReturnType<typeof createIncidentRig>;
const MINUTE = 60_000;

const problem = (name: string, severity?: string) => ({
  title: name,
  fingerprint: name,
  status: 'firing',
  severity,
});

/** The titles of the sessions that were started, in the order in which they were. */
async function started(rig: Rig): Promise<(string | undefined)[]> {
  const sessions = (await rig.sessions()).filter(({ status }) => status !== 'deferred');
  const startOf = ({ deferral, createdAt }: (typeof sessions)[number]) => deferral?.startedAt ?? createdAt;
  return sessions
    .toSorted((a, b) => startOf(a).getTime() - startOf(b).getTime())
    .map((own) => readSessionAlert(own)?.title);
}
async function waiting(rig: Rig): Promise<string[]> {
  const found = await rig.store.list({ collection: paths.waitingSessions }, waitingSessionType);
  return found.map(({ value }) => value.sessionId);
}
const published = (rig: Rig, sessionId: string) =>
  rig.publisher.published.filter(({ attributes }) => attributes.sessionId === sessionId).length;
async function tickets(rig: Rig): Promise<number[]> {
  const found = await rig.store.list({ collection: paths.allowances }, allowanceType);
  return found.map(({ value }) => value.used);
}
/** Opens a session for each alert. Only the first has a ticket, in a rig with one an hour. */
async function openAll(rig: Rig, ...alerts: object[]): Promise<void> {
  rig.toNextHour();
  for (const [index, alert] of alerts.entries()) {
    rig.clock.advance(1);
    await rig.deliver({ id: `m${index}`, alert });
  }
}

describe('a storm', () => {
  it('has one session for each problem, and all of them start, as many an hour as its budget allows', async () => {
    const rig = createIncidentRig({}, 10);
    rig.toNextHour();
    for (let minute = 0; minute < 60; minute += 11) {
      for (let index = 0; index < 25; index++)
        await rig.deliver({
          id: `${minute}-${index}`,
          alert: problem(`p${index}`),
          publishedAt: rig.minute(),
        });
      await rig.sweep();
      const open = (await rig.sessions()).filter(({ status }) => status === 'in_progress');
      for (const { sessionId } of open) await rig.end(sessionId);
      rig.clock.advance(11 * MINUTE);
    }
    expect(await rig.sessions()).toHaveLength(25);
    for (const count of [20, 25, 25]) {
      for (let tick = 0; tick < 3; tick++) await rig.sweep();
      expect(await started(rig)).toHaveLength(count);
      rig.toNextHour();
    }
    expect(await waiting(rig)).toEqual([]);
    const stages = await Promise.all(
      (await rig.sessions()).map(({ sessionId }) =>
        rig.store.list({ collection: `${paths.session(sessionId)}/stages` }, stageType),
      ),
    );
    expect(stages.map(({ length }) => length)).toEqual(Array.from({ length: 25 }, () => 1));
  });
});

describe('when the budget of an hour has room again', () => {
  it('the most severe alert starts first, then the oldest, and only as many as there is room for', async () => {
    const rig = createIncidentRig({}, 1);
    const alerts = [problem('taken'), problem('low', 'info'), problem('old', 'p2'), problem('new', 'error')];
    await openAll(
      rig,
      ...alerts,
      problem('worst', 'critical'),
      problem('unknown'),
      problem('warned', 'warning'),
    );
    await rig.sweep();
    expect(await started(rig)).toEqual(['taken']);
    for (let hour = 0; hour < 7; hour++) {
      rig.toNextHour();
      await Promise.all([rig.sweep(), rig.sweep()]);
      await rig.sweep();
    }
    expect(await started(rig)).toEqual(['taken', 'worst', 'old', 'new', 'unknown', 'warned', 'low']);
    expect((await tickets(rig)).filter((count) => count > 7)).toEqual([]);
  });

  it('one run starts twenty sessions at most', async () => {
    const rig = createIncidentRig({}, 30);
    await openAll(rig, ...Array.from({ length: 60 }, (_, index) => problem(`p${index}`)));
    rig.toNextHour();
    expect(await rig.sweep()).toMatchObject({ advanced: 20, failed: 0 });
    expect(await rig.sweep()).toMatchObject({ advanced: 10, failed: 0 });
    expect(await rig.sweep()).toMatchObject({ advanced: 0, failed: 0 });
  });

  it('a chain without room neither keeps other chains waiting nor uses up their tickets', async () => {
    const limits = [
      { chain: null, limit: 4 },
      { chain: 'other', limit: 1 },
    ];
    const rig = createIncidentRig({}, { sessionsPerHour: limits });
    rig.toNextHour();
    const hourBefore = rig.clock.now();
    for (const chain of [null, 'other']) await useUnits(rig, sessionAllowance({ chain }), 9, hourBefore);
    for (const name of ['a', 'b', 'c'])
      await rig.deliver({ id: name, alert: problem(name, 'critical'), chain: 'other' });
    for (const name of ['x', 'y', 'z']) await rig.deliver({ id: name, alert: problem(name) });
    rig.toNextHour();
    // The rig gives each chain both limits, so that the one of the chain `other` holds for all.
    for (let tick = 0; tick < 10; tick++) await rig.sweep();
    expect(await started(rig)).toEqual(['a']);
    expect((await tickets(rig)).toSorted((a, b) => a - b).slice(0, 2)).toEqual([1, 1]);
  });

  it('tokens of the day are waited for as well', async () => {
    const rig = createIncidentRig({}, { dailyTokens: [{ chain: null, limit: 1_000_000 }] });
    rig.clock.advance(24 * 60 * MINUTE - (rig.clock.now().getTime() % (24 * 60 * MINUTE)));
    await useTokens(rig, 1_000_000);
    rig.clock.advance(12 * 60 * MINUTE);
    await rig.deliver({ id: '1', alert: problem('a') });
    rig.clock.advance(11 * 60 * MINUTE);
    await rig.deliver({ id: '2', alert: problem('a'), publishedAt: rig.minute() });
    await rig.sweep();
    expect(await started(rig)).toEqual([]);
    rig.clock.advance(60 * MINUTE);
    await rig.sweep();
    expect(await started(rig)).toEqual(['a']);
  });
});

describe('a session that waits for a budget', () => {
  it('is marked as deferred, takes repeats however late, and is started by a user once', async () => {
    const rig = createIncidentRig({}, 1);
    await openAll(rig, problem('taken'), problem('a'));
    const [sessionId = ''] = await waiting(rig);
    const { session } = await rig.read(sessionId);
    expect(
      deferralNotice(sessionId, {
        reason: 'daily_tokens',
        subject: '',
        text: '',
        budgets: { sessionsPerHour: [], dailyTokens: [] },
      }).content,
    ).toContain('It starts when the budget has room');
    expect(readWaitedBudgets(session)?.sessionsPerHour).toEqual([{ chain: null, limit: 1 }]);
    rig.clock.advance(5 * 24 * 60 * MINUTE);
    await rig.deliver({ id: 'r', alert: problem('a'), publishedAt: 5 * 24 * 60 });
    expect((await rig.read(sessionId)).counts?.firing).toBe(2);
    expect(await startDeferred(sessionId, rig.deps)).toMatchObject({ kind: 'started' });
    expect(await rig.sweep()).toMatchObject({ advanced: 0, failed: 0 });
    expect(await waiting(rig)).toEqual([]);
    expect(published(rig, sessionId)).toBe(1);
  });

  it('is started by one of a user and two sweeps at the same time', async () => {
    for (let tries = 0; tries < 5; tries++) {
      const rig = createIncidentRig({}, 1);
      await openAll(rig, problem('taken'), problem('a'));
      const [sessionId = ''] = await waiting(rig);
      rig.toNextHour();
      await Promise.all([rig.sweep(), startDeferred(sessionId, rig.deps), rig.sweep()]);
      expect(await started(rig)).toEqual(['taken', 'a']);
      expect(published(rig, sessionId)).toBe(1);
    }
  });

  it('does not start once its alert is resolved, and waits again when that fires again', async () => {
    const rig = createIncidentRig({}, 1);
    await openAll(rig, problem('taken'), problem('a'));
    const [sessionId = ''] = await waiting(rig);
    await rig.deliver({ id: 'over', alert: { ...problem('a'), status: 'resolved' }, publishedAt: 1 });
    const { session } = await rig.read(sessionId);
    expect(session.deferral).toMatchObject({ reason: 'resolved' });
    expect(readWaitedBudgets(session)).toBeNull();
    await rig.sweep();
    expect(await waiting(rig)).toEqual([]);
    await rig.deliver({ id: 'again', alert: problem('a'), publishedAt: 2 });
    expect(await waiting(rig)).toEqual([sessionId]);
    expect((await rig.read(sessionId)).session.deferral?.reason).toBe('sessions_per_hour');
    await rig.deliver({ id: 'over2', alert: { ...problem('a'), status: 'resolved' }, publishedAt: 3 });
    rig.toNextHour();
    expect(await rig.sweep()).toMatchObject({ advanced: 0 });
    expect(await waiting(rig)).toEqual([]);
    await rig.deliver({ id: 'third', alert: problem('a'), publishedAt: 4 });
    expect((await rig.read(sessionId)).session.status).toBe('in_progress');
    expect(await rig.sessions()).toHaveLength(2);
  });

  it('that is recorded, a test or resolved for another reason is left to users', async () => {
    const rules = [{ name: 'dev', text: 'dev', action: 'record' }];
    const rig = createIncidentRig({}, 1, { rules });
    await openAll(
      rig,
      problem('taken'),
      problem('dev'),
      { ...problem('b'), status: 'resolved' },
      problem('own'),
    );
    await rig.deliver({ id: 'test', alert: { ...problem('t'), status: 'test' } });
    rig.toNextHour();
    await rig.sweep();
    expect(await started(rig)).toEqual(['taken', 'own']);
  });

  it('and cannot be read is reported once and does not keep the others waiting', async () => {
    const rig = createIncidentRig({}, 1);
    await openAll(rig, problem('taken'), problem('broken', 'critical'), problem('a'));
    const [sessionId = ''] = await waiting(rig);
    const path = paths.session(sessionId);
    const { value = {} } = (await rig.store.get(path, rawDocumentType)) ?? {};
    await rig.store.commit([putDocument(path, rawDocumentType, { ...value, chain: 7 })]);
    rig.toNextHour();
    expect(await rig.sweep()).toMatchObject({ advanced: 1, failed: 1, failures: [{ sessionId }] });
    rig.toNextHour();
    expect(await rig.sweep()).toMatchObject({ advanced: 0, failed: 0 });
  });
});
