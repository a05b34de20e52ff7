import { describe, expect, it } from 'vitest';
import { SAMPLE_TIME, sampleAlertPart, sampleSession } from '../../../test/support/samples.ts';
import { createTestClock } from '../../../test/support/testClock.ts';
import type { Incident } from '../../alerts/schema/incident.ts';
import { createDocument } from '../../core/contract/store.ts';
import type { StateDeps } from '../../core/kernel/deps.ts';
import type { Session } from '../../core/schema/session.ts';
import {
  alertCountsType,
  incidentType,
  paths,
  sessionType,
  timelineEventType,
} from '../../lists/documents.ts';
import { createLogger } from '../../log.ts';
import { createMemoryPublisher } from '../../store/memory/memoryPublisher.ts';
import { createMemoryStore } from '../../store/memory/memoryStore.ts';
import { mergeSession } from './mergeSession.ts';

const DAY = 24 * 3_600_000;
const later = (days: number) => new Date(SAMPLE_TIME.getTime() + days * DAY);

const incident = (title: string, expireAt: Date): Incident => ({
  title,
  source: 'monitoring',
  identity: title,
  chain: null,
  sessionId: 'merged',
  firing: true,
  firingAt: SAMPLE_TIME,
  resolvedAt: null,
  firesSince: SAMPLE_TIME,
  since: SAMPLE_TIME,
  retries: 0,
  stopped: false,
  opening: null,
  merged: false,
  alone: false,
  expireAt,
  createdAt: SAMPLE_TIME,
});

/** Merges a session with `problems` into one that is kept for 30 days. */
async function merge(
  problems: readonly Incident[],
  session: Partial<Session> = {},
  leader: Partial<Session> = {},
  ids: { sessionId?: string; into?: string } = {},
) {
  const clock = createTestClock();
  const store = createMemoryStore(clock.now);
  const open = { status: 'in_progress' as const, endedAt: null, conclusion: null, failure: null };
  const sessions = [
    sampleSession({ ...open, sessionId: 'merged', ...session }),
    sampleSession({ ...open, sessionId: 'leader', expireAt: later(30), ...leader }),
  ];
  await store.commit([
    ...sessions.map((one) => createDocument(paths.session(one.sessionId), sessionType, one)),
    ...problems.map((one, index) => createDocument(paths.incident(`p${index}`), incidentType, one)),
  ]);
  const log = createLogger({ LOG_LEVEL: 'silent' });
  const deps: StateDeps = {
    store,
    clock,
    log,
    publisher: createMemoryPublisher(),
    stageFeatures: [],
    newId: () => 'id',
  } as never;
  const again = () => mergeSession({ sessionId: 'merged', into: 'leader', by: 'ada', ...ids }, deps);
  const outcome = await again();
  const moved = (await store.list({ collection: paths.incidents }, incidentType)).map(({ value }) => value);
  const read = async (id: string) => (await store.get(paths.session(id), sessionType))?.value;
  return { outcome, moved, again, store, read, now: clock.now() };
}

const deferredBy = (reason: string) => ({ reason, startedAt: null, until: null });

const many = (count: number) =>
  Array.from({ length: count }, (_, index) => incident(`Alert ${index}`, later(1)));

describe('a merge', () => {
  it('moves the problems, which are kept as long as the longer of the two would keep them', async () => {
    const { outcome, moved } = await merge([incident('Short', later(1)), incident('Long', later(60))]);
    expect(outcome).toEqual({ kind: 'merged' });
    expect(moved).toMatchObject([
      { sessionId: 'leader', merged: true, expireAt: later(30) },
      { sessionId: 'leader', merged: true, expireAt: later(60) },
    ]);
  });

  it.each([
    [100, 'merged', 'leader'],
    [101, 'too_many', 'merged'],
  ])('of a session with %i problems is %s', async (count, kind, owner) => {
    const { outcome, moved } = await merge(many(count));
    expect(outcome).toEqual({ kind });
    expect(new Set(moved.map(({ sessionId }) => sessionId))).toEqual(new Set([owner]));
  });

  it.each(['cancelling', 'completed', 'failed'] as const)(
    'of a session that is %s is refused',
    async (status) => {
      const { outcome, moved } = await merge(many(1), { status });
      expect(outcome).toEqual({ kind: 'ended', status });
      expect(moved).toMatchObject([{ sessionId: 'merged' }]);
    },
  );

  it('of a session without an alert, or into one, is refused', async () => {
    const { outcome } = await merge([], sampleAlertPart(null));
    expect(outcome).toEqual({ kind: 'no_alert', sessionId: 'merged' });
    const into = await merge([], {}, sampleAlertPart(null));
    expect(into.outcome).toEqual({ kind: 'no_alert', sessionId: 'leader' });
  });

  it.each([
    [{ sessionId: 'missing' }, { kind: 'unknown_session', sessionId: 'missing' }],
    [{ into: 'missing' }, { kind: 'unknown_session', sessionId: 'missing' }],
    [{ into: 'merged' }, { kind: 'same_session' }],
  ])('of %j is refused', async (ids, expected) => {
    const { outcome, read } = await merge(many(1), {}, {}, ids);
    expect(outcome).toEqual(expected);
    expect(await read('merged')).toMatchObject({ status: 'in_progress', cancellation: null });
  });

  it.each([
    ['completed', {}, 'not_open'],
    ['cancelling', {}, 'not_open'],
    ['deferred', { deferral: deferredBy('failed_starts') }, 'not_open'],
    ['deferred', { deferral: null }, 'not_open'],
    ['in_progress', { conclusion: { status: 'completed', failure: null } }, 'not_open'],
    ['deferred', { deferral: deferredBy('settling') }, 'merged'],
    ['deferred', { deferral: deferredBy('daily_tokens') }, 'merged'],
  ] as [Session['status'], Partial<Session>, string][])(
    'into one that is %s, with %j, is %s',
    async (status, more, kind) => {
      const leader = { status, ...more };
      const { outcome, moved } = await merge(many(1), {}, leader);
      expect(outcome).toEqual(kind === 'merged' ? { kind } : { kind, status });
      expect(moved[0]?.sessionId).toBe(kind === 'merged' ? 'leader' : 'merged');
    },
  );

  it('ends the session in the name of its person, and the other takes its alert, once', async () => {
    const { outcome, again, store, read, now } = await merge(many(1));
    expect(outcome).toEqual({ kind: 'merged' });
    expect(await read('merged')).toMatchObject({
      status: expect.stringMatching(/^cancell/),
      cancellation: { by: 'ada', reason: 'merged into session leader', at: now, mergedInto: 'leader' },
    });
    const events = async (id: string) =>
      (await store.list({ collection: paths.timeline(id) }, timelineEventType)).map(({ value }) => value);
    const taken = (await events('leader')).map(({ content, metadata }) => [metadata, content]);
    expect(taken).toEqual([
      [
        { code: 'alert_joined', subject: 'ada' },
        expect.stringMatching(/^ada merges session merged into this one\. Its alert joins, firing: /),
      ],
    ]);
    expect((await events('merged')).map(({ content }) => content).join()).toContain('ada');
    const counts = await store.get(alertCountsType.paths.alertCounts('leader'), alertCountsType);
    expect(counts?.value).toMatchObject({ joined: 1, firing: 0, events: 0 });
    const before = structuredClone(store.documents());
    expect(await again()).toEqual({ kind: 'already_merged' });
    expect(store.documents()).toEqual(before);
  });

  it('of a session that waits ends it at once', async () => {
    const { outcome, read, moved } = await merge(many(1), {
      status: 'deferred',
      deferral: deferredBy('settling'),
    });
    expect(outcome).toEqual({ kind: 'merged' });
    expect(await read('merged')).toMatchObject({
      status: 'cancelled',
      cancellation: { mergedInto: 'leader' },
    });
    expect(moved).toMatchObject([{ sessionId: 'leader', stopped: false, opening: null }]);
  });

  it('leaves the problems of others', async () => {
    const other = { ...incident('Other', later(1)), sessionId: 'other' };
    const { moved } = await merge([other, incident('Own', later(1))]);
    expect(moved).toMatchObject([{ sessionId: 'other', merged: false }, { sessionId: 'leader' }]);
  });
});
