// An incident's tasks are done despite faster writers, and dead deliveries.

import { describe, expect, it } from 'vitest';
import { readSessionAlert } from '../../../shared/alerts/schema/alert.ts';
import { readWaitedBudgets } from '../../../shared/alerts/schema/waitedBudgets.ts';
import { CRASH_POINTS, type CrashPoint } from '../../../shared/core/kernel/crashPoints.ts';
import { handleTick } from '../../../shared/engine/handleTick.ts';
import { paths } from '../../../shared/lists/documents.ts';
import { SWEEP_FEATURES } from '../../../shared/lists/sweepFeatures.ts';
import { contendedStore } from '../../support/contendedStore.ts';
import { dieAt } from '../../support/dieAt.ts';
import { type AlertMessage, createIncidentRig } from '../../support/incidentRig.ts';

type Rig = ReturnType<typeof createIncidentRig>;
const MINUTE = 60_000;
const alert = { title: 'Disk full', fingerprint: 'disk-1' };
const fires = (minute: number): AlertMessage => ({
  id: `fires-${minute}`,
  alert: { ...alert, status: 'firing' },
  publishedAt: minute,
});
const resolves = (minute: number): AlertMessage => ({
  id: `resolves-${minute}`,
  alert: { ...alert, status: 'resolved' },
  publishedAt: minute,
});

async function only(rig: Rig) {
  const sessions = await rig.sessions();
  expect(sessions).toHaveLength(1);
  return rig.read(sessions[0]?.sessionId ?? '');
}

/** Delivers a message in a process that loses its first commits to another writer. */
async function deliverLosing(
  rig: Rig,
  message: AlertMessage,
  what: 'session' | 'incident',
  times: number,
  after = 0,
) {
  const folder = what === 'session' ? `${paths.sessions}/` : 'incidents/';
  const isIt = (path: string) => path.startsWith(folder) && path.split('/').length === 2;
  const path = rig.store.documents().find((document) => isIt(document.path))?.path ?? '';
  await rig.deliver(message, { ...rig.deps, store: contendedStore(rig.store, { path, times, after }) });
}

describe('where another writer is faster each time but the last,', () => {
  it.each([
    ['session', 9, 0],
    // The report itself is the first write of the incident.
    ['incident', 9, 1],
  ] as const)(
    'an alert that is resolved in its settle window is not investigated: %s',
    async (what, times, after) => {
      const rig = createIncidentRig({ settleMs: 30_000 });
      await rig.deliver(fires(0));
      await deliverLosing(rig, resolves(1), what, times, after);
      expect((await only(rig)).session.deferral).toMatchObject({ reason: 'resolved', until: null });
    },
  );

  it('an alert that is resolved while it waits for a budget is not investigated', async () => {
    const rig = createIncidentRig({}, 0);
    await rig.deliver(fires(0));
    await deliverLosing(rig, resolves(1), 'session', 9);
    const { session } = await only(rig);
    expect(session.deferral?.reason).toBe('resolved');
    expect(readWaitedBudgets(session)).toBeNull();
  });

  it('a resolved alert stops', async () => {
    const rig = createIncidentRig({ onResolved: 'stop' });
    await rig.deliver(fires(0));
    await deliverLosing(rig, resolves(1), 'session', 9);
    expect((await only(rig)).session.status).toBe('cancelled');
  });

  it('an alert that was not investigated starts when it fires', async () => {
    const rig = createIncidentRig();
    await rig.deliver(resolves(0));
    await deliverLosing(rig, fires(1), 'session', 9);
    expect((await only(rig)).session.status).toBe('in_progress');
  });

  it('a report is counted, and known', async () => {
    const rig = createIncidentRig({ onResolved: 'stop' });
    await rig.deliver(fires(0));
    await deliverLosing(rig, resolves(1), 'incident', 9);
    const { session, counts } = await only(rig);
    expect([session.status, counts?.resolved]).toEqual(['cancelled', 1]);
  });
});

describe('a redelivery', () => {
  const { ingestBeforeCommit, ingestAfterCommit, afterCancelRequest } = CRASH_POINTS;
  const deliverTwice = async (rig: Rig, message: AlertMessage, point: CrashPoint) => {
    await dieAt(point, rig.deps, (process) => rig.deliver(message, process));
    await rig.deliver(message);
  };

  it.each([ingestBeforeCommit, ingestAfterCommit])(
    'publishes a session whose delivery died: %s',
    async (point) => {
      const rig = createIncidentRig();
      await deliverTwice(rig, fires(0), point);
      expect((await only(rig)).counts?.firing).toBe(1);
      expect(rig.publisher.published).toHaveLength(1);
    },
  );

  it.each([ingestBeforeCommit, ingestAfterCommit, afterCancelRequest])(
    'stops a resolved alert although its delivery died: %s',
    async (point) => {
      const rig = createIncidentRig({ onResolved: 'stop' });
      await rig.deliver(fires(0));
      await deliverTwice(rig, resolves(1), point);
      const { session, counts } = await only(rig);
      expect([session.status, counts?.resolved]).toEqual(['cancelled', 1]);
    },
  );

  it.each([ingestBeforeCommit, ingestAfterCommit])(
    'starts an alert that was not investigated although its delivery died: %s',
    async (point) => {
      const rig = createIncidentRig();
      await rig.deliver(resolves(0));
      await deliverTwice(rig, fires(1), point);
      const { session, counts } = await only(rig);
      expect([session.status, readSessionAlert(session)?.status, counts?.firing]).toEqual([
        'in_progress',
        'firing',
        1,
      ]);
    },
  );
});

describe('a session that started after it was not investigated', () => {
  it('takes reports of its problem for longer than the cool-down', async () => {
    const rig = createIncidentRig();
    await rig.deliver(resolves(0));
    await rig.deliver(fires(1));
    await rig.end((await only(rig)).session.sessionId);
    rig.clock.advance(60 * MINUTE);
    await rig.deliver(fires(60));
    await only(rig);
  });
});

describe('a sweep that dies', () => {
  it.each([
    ['before it takes a ticket', 1, 1],
    ['with a ticket', 2, 2],
  ])('%s leaves the session to the next one that finds a ticket', async (_, visit, hours) => {
    const rig = createIncidentRig({}, 1);
    rig.toNextHour();
    await rig.deliver({ id: 'taken', alert: { ...alert, fingerprint: 'other', status: 'firing' } });
    for (const { sessionId } of await rig.sessions()) await rig.end(sessionId);
    await rig.deliver(fires(0));
    const isStarted = async () => (await rig.sessions()).every(({ status }) => status !== 'deferred');
    rig.toNextHour();
    await dieAt(CRASH_POINTS.duringSweep, rig.deps, (process) => handleTick(process, SWEEP_FEATURES), visit);
    for (let hour = 1; hour <= hours; hour++) {
      expect(await isStarted()).toBe(false);
      if (hour > 1) rig.toNextHour();
      await rig.sweep();
      await rig.sweep();
    }
    expect(await isStarted()).toBe(true);
  });
});
