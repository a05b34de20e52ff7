// What rules of triage.yaml do with alerts before anything is spent on them.

import { describe, expect, it } from 'vitest';
import { triageFileSchema } from '../../../shared/config/triageFile.ts';
import { startDeferred } from '../../../shared/core/session/startDeferred.ts';
import { countDropped } from '../../../shared/kits/views/alerts/countDropped.ts';
import {
  allowanceType,
  droppedAlertsType,
  paths,
  sessionType,
  timelineEventType,
} from '../../../shared/lists/documents.ts';
import { type Bench, startBench } from '../../support/harness.ts';
import { createIncidentRig } from '../../support/incidentRig.ts';

const script = { conversations: [{ turns: [{ text: 'Done.' }] }] };
const budgets = { sessionsPerHour: [{ chain: null, limit: 5 }] };
const triage = {
  timezone: 'UTC',
  rules: [
    { name: 'dev', text: 'in dev', action: 'drop', reason: 'People look at dev by day' },
    { name: 'quiet', text: 'reboot', action: 'record' },
    {
      name: 'anyway',
      text: 'broken test',
      state: ['resolved', 'test', 'acknowledged'],
      action: 'investigate',
    },
  ],
};
const bench = (more: object = {}) => startBench({ script, budgets, triage, inMemory: true, ...more });

const sessionsOf = async ({ deps }: Bench) =>
  (await deps.store.list({ collection: paths.sessions }, sessionType)).map(({ value }) => value);
async function droppedIn({ store }: Pick<Bench['deps'], 'store'>) {
  const found = await store.list({ collection: paths.droppedAlerts }, droppedAlertsType);
  return Promise.all(found.map(({ value }) => countDropped(value, store)));
}
const timelineOf = async ({ deps }: Bench, sessionId: string) =>
  (await deps.store.list({ collection: paths.timeline(sessionId) }, timelineEventType)).map(
    ({ value }) => value,
  );
const watchdog = {
  version: '4',
  status: 'firing',
  groupKey: '{}:{alertname="Watchdog"}',
  commonLabels: { alertname: 'Watchdog', severity: 'none' },
  alerts: [{ status: 'firing', labels: { alertname: 'Watchdog', severity: 'none' }, fingerprint: 'w' }],
};

/** One alert, delivered: its session and timeline. */
async function taken(alert: unknown, attributes: Record<string, string> = {}, more: object = {}) {
  const one = await bench(more);
  const sessionId = await one.publishAlert(alert, attributes);
  await one.deliverNext();
  const [session] = await sessionsOf(one);
  return { ...one, sessionId, session, timeline: await timelineOf(one, sessionId) };
}

describe('an alert that a rule drops', () => {
  it('is counted once with its latest titles, by day and rule, and nothing else is stored', async () => {
    const one = await bench();
    const secret = `ghp_${'a1B2'.repeat(9)}`;
    const since = one.deps.clock.now().getTime();
    for (let n = 1; n <= 7; n++) {
      const at = new Date(since + n).toISOString();
      await one.publishAlert({ title: `Pod ${n} in dev`, token: secret }, {}, at);
    }
    await one.deliver(await one.deliverNext());
    await one.drain();
    expect(one.deadLetters).toEqual([]);
    expect(await sessionsOf(one)).toEqual([]);
    expect(await one.deps.store.list({ collection: 'allowances' }, allowanceType)).toEqual([]);
    const [dropped, ...others] = await droppedIn(one.deps);
    expect(others).toEqual([]);
    expect(dropped).toMatchObject({
      rule: 'dev',
      count: 7,
      text: 'People look at dev by day: text has "in dev"',
    });
    expect(dropped?.examples.map(({ title }) => title)).toEqual(
      [3, 4, 5, 6, 7].map((n) => `Pod ${n} in dev`),
    );
    expect(dropped?.last.title).toBe('Pod 7 in dev');
    const [kept] = await one.deps.store.list({ collection: paths.droppedAlerts }, droppedAlertsType);
    expect(kept?.value.expireAt.getTime()).toBeGreaterThan(since + 24 * 3_600_000);
  });

  it('but has a session from before the rule, continues there', async () => {
    const one = await bench({ triage: undefined });
    await one.publishAlert({ title: 'Pod in dev' });
    const message = await one.deliverNext();
    one.config.triage = triageFileSchema(triage).parse(triage);
    await one.deliver(message);
    expect(await sessionsOf(one)).toHaveLength(1);
    expect(await droppedIn(one.deps)).toEqual([]);
  });
});

describe('an alert that a rule records', () => {
  it('is a deferred session without a ticket, whose timeline names the rule, and can be started', async () => {
    const { session, timeline, sessionId, deps, ...one } = await taken({ title: 'A reboot is near' });
    expect(session).toMatchObject({ status: 'deferred', deferral: { reason: 'triage', startedAt: null } });
    expect(timeline).toMatchObject([
      {
        eventType: 'notice',
        metadata: { code: 'triaged', subject: 'quiet' },
        content: `Deferred: Rule quiet of triage.yaml records it and has nothing investigated: text has "reboot". Nothing runs until someone starts it: inquest start-deferred ${sessionId}`,
      },
    ]);
    expect(await deps.store.list({ collection: 'allowances' }, allowanceType)).toEqual([]);
    expect(await startDeferred(sessionId, deps)).toMatchObject({ kind: 'started' });
    await one.drain();
    expect((await one.read(sessionId)).session.status).toBe('completed');
  });

  it('is investigated when a user requests it again', async () => {
    const { session } = await taken({ title: 'A reboot is near' }, { rerunOf: 'earlier-1' });
    expect(session).toMatchObject({ status: 'in_progress', parts: { rerun: { of: 'earlier-1' } } });
  });
});

describe('a message that only proves the way', () => {
  const way =
    /The way from Alertmanager to Inquest works: received 20\d\d-.* UTC, published 20.* UTC, read by the adapter alertmanager\./;
  it('is answered with its proof: a watchdog', async () => {
    const { session, timeline } = await taken(watchdog, {}, { triage: undefined });
    expect(session).toMatchObject({ status: 'deferred', deferral: { reason: 'watchdog' } });
    expect(timeline).toMatchObject([
      { metadata: { code: 'way_checked' }, content: expect.stringMatching(way) },
    ]);
  });

  it('is answered with its proof: a test', async () => {
    const { session, timeline } = await taken({ title: 'Send a test', status: 'test' });
    expect(session).toMatchObject({ status: 'deferred', deferral: { reason: 'test' } });
    expect(timeline[0]?.content).toMatch(
      /^Deferred: The alert is a test of its source\. The way from its source to Inquest works: /,
    );
  });
});

describe('a rule that has alerts investigated', () => {
  it('takes those in a state that it names', async () => {
    expect((await taken({ title: 'The broken test', status: 'resolved' })).session?.status).toBe(
      'in_progress',
    );
  });

  it('leaves large alerts to budgets', async () => {
    const none = { sessionsPerHour: [{ chain: null, limit: 0 }] };
    const { session } = await taken({ title: 'Disk full' }, {}, { budgets: none });
    expect(session?.deferral?.reason).toBe('sessions_per_hour');
  });

  it('does not take one that is over, where it names no state', async () => {
    const rules = { rules: [{ name: 'all', text: 'disk', action: 'investigate' }] };
    const { session } = await taken({ title: 'Disk full', status: 'resolved' }, {}, { triage: rules });
    expect(session?.deferral?.reason).toBe('resolved');
  });
});

describe('reports of one problem', () => {
  const firing = { title: 'Disk full', status: 'firing', fingerprint: 'disk-1' };
  /** Minutes until the window is closed. */
  const CLOSED = 24 * 60;
  /** The first hours are a window, in which alerts are recorded or dropped. */
  function rigWith(action: string, rules: Parameters<typeof createIncidentRig>[0] = {}) {
    const { at } = createIncidentRig();
    const [from, to] = [at(0), at(CLOSED - 60)].map((time) => `${time.slice(0, 16)}Z`);
    const windows = { first: { from, to } };
    return createIncidentRig(rules, undefined, {
      windows,
      rules: [{ name: 'work', window: 'first', action }],
    });
  }
  const statusesOf = async (rig: ReturnType<typeof rigWith>) =>
    (await rig.sessions()).map(({ status, deferral }) => [status, deferral?.reason]);

  it('have one recorded session in a window, and are investigated when they fire behind it', async () => {
    const rig = rigWith('record', { coolDownMs: 7 * 24 * 3_600_000 });
    for (const minute of [1, 2, 3])
      await rig.deliver({ id: `m${minute}`, alert: firing, publishedAt: minute });
    expect(await statusesOf(rig)).toEqual([['deferred', 'triage']]);
    const [recorded] = await rig.sessions();
    expect((await rig.read(recorded?.sessionId ?? '')).counts?.firing).toBe(3);
    const late = { id: 'late', alert: firing, publishedAt: CLOSED };
    await rig.deliver(late);
    await rig.deliver(late);
    expect((await statusesOf(rig)).map(([status]) => status).sort()).toEqual(['deferred', 'in_progress']);
  });

  it('that ended and fire again in a window are not started by it', async () => {
    const rig = rigWith('record');
    await rig.deliver({ id: 'over', alert: { ...firing, status: 'resolved' }, publishedAt: -5 });
    await rig.deliver({ id: 'again', alert: firing, publishedAt: 5 });
    expect((await statusesOf(rig)).map(([status]) => status)).toEqual(['deferred', 'deferred']);
    expect(rig.publisher.published).toEqual([]);
  });

  it('belong to the running session, also where a rule drops new alerts', async () => {
    const rig = rigWith('drop');
    await rig.deliver({ id: 'before', alert: firing, publishedAt: -5 });
    await rig.deliver({ id: 'within', alert: firing, publishedAt: 5 });
    await rig.deliver({ id: 'other', alert: { ...firing, fingerprint: 'disk-2' }, publishedAt: 5 });
    const [session, ...more] = await rig.sessions();
    expect(more).toEqual([]);
    expect((await rig.read(session?.sessionId ?? '')).counts?.firing).toBe(2);
    const dropped = await droppedIn(rig);
    expect(dropped.map(({ rule, count }) => [rule, count])).toEqual([['work', 1]]);
  });
});
