import { describe, expect, it } from 'vitest';
import { SAMPLE_TIME, sampleAlertPart, sampleSession } from '../../../test/support/samples.ts';
import { createTestClock } from '../../../test/support/testClock.ts';
import type { Incident } from '../../alerts/schema/incident.ts';
import { createDocument } from '../../core/contract/store.ts';
import type { StateDeps } from '../../core/kernel/deps.ts';
import type { Session } from '../../core/schema/session.ts';
import { incidentType, paths, sessionType } from '../../lists/documents.ts';
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
async function merge(problems: readonly Incident[], session: Partial<Session> = {}) {
  const clock = createTestClock();
  const store = createMemoryStore(clock.now);
  const open = { status: 'in_progress' as const, endedAt: null, conclusion: null, failure: null };
  const sessions = [
    sampleSession({ ...open, sessionId: 'merged', ...session }),
    sampleSession({ ...open, sessionId: 'leader', expireAt: later(30) }),
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
  const outcome = await mergeSession({ sessionId: 'merged', into: 'leader', by: 'ada' }, deps);
  const moved = (await store.list({ collection: paths.incidents }, incidentType)).map(({ value }) => value);
  return { outcome, moved };
}

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

  it('of a session without an alert is refused', async () => {
    const { outcome } = await merge([], sampleAlertPart(null));
    expect(outcome).toEqual({ kind: 'no_alert', sessionId: 'merged' });
  });
});
