// What a session adds to counts, from documents in memory.

import { expect, it } from 'vitest';
import type { StateDeps } from '../../../shared/core/kernel/deps.ts';
import {
  executionType,
  interactionType,
  sessionType,
  timelineEventType,
} from '../../../shared/core/schema/coreDocuments.ts';
import { countSessions } from '../../../shared/features/counts/countSessions.ts';
import { readSessionCounts } from '../../../shared/features/counts/readSessionCounts.ts';
import type { UsageGrouping } from '../../../shared/kits/counts/count.ts';
import { countAgain } from '../../../shared/kits/counts/count.ts';
import { reportUsage } from '../../../shared/kits/counts/usageReport.ts';
import { sessionScoreType } from '../../../shared/kits/judge/sessionScore.ts';
import { createLogger } from '../../../shared/log.ts';
import { createMemoryStore } from '../../../shared/store/memory/memoryStore.ts';
import { createRawDocumentsInMemory } from '../../support/rawDocumentsInMemory.ts';
import {
  SAMPLE_TIME,
  sampleEvent,
  sampleExecution,
  sampleInteraction,
  sampleSession,
} from '../../support/samples.ts';
import { createTestClock } from '../../support/testClock.ts';

const at = (minutes: number) => new Date(SAMPLE_TIME.getTime() + minutes * 60_000);
const failure = { code: 'MODEL_TIMEOUT', message: 'too slow', retryable: true } as const;
const below = (id: string, collection: string, name: string, data: object, schemaVersion: number) => ({
  path: `sessions/${id}/${collection}/${name}`,
  data: { ...data, schemaVersion },
});

let count = 0;
const tokens = { input: 10, output: 5, thinking: 2, cached: 1, total: 17 };
const twice = { input: 20, output: 10, thinking: 4, cached: 2, total: 34 };
const cost = { usd: 0.25, unpricedCalls: 1 };
const chain = { name: 'deep', stages: [] };
const ended = { tokens, cost, status: 'completed', endedAt: at(2) } as const;
const sessions = [
  sampleSession({ ...ended, sessionId: 'a' }),
  sampleSession({ ...ended, sessionId: 'b', status: 'failed', failure }),
  sampleSession({ ...ended, sessionId: 'c', endedAt: null, chain, createdAt: at(24 * 60) }),
  sampleSession({ ...ended, sessionId: 'd', tenantId: 'acme' }),
];
const execution = (id: string, change: object) =>
  below(id, 'executions', `${++count}`, { ...sampleExecution(), ...change }, executionType.version);
const call = (id: string, change: object) =>
  below(id, 'interactions', `${++count}`, { ...sampleInteraction(), ...change }, interactionType.version);
const event = (id: string, data: object) =>
  below(id, 'timeline', `${++count}`, data, timelineEventType.version);
const result = (metadata: object) => sampleEvent('tool_result', { metadata } as object);
const calledTools = (n: number) =>
  Array.from({ length: n }, (_, tool) => event('d', result({ toolName: `made.up${tool}`, durationMs: 1 })));
const documents = createRawDocumentsInMemory([
  ...sessions.map((one) => ({
    path: `sessions/${one.sessionId}`,
    data: { ...one, schemaVersion: sessionType.version },
  })),
  execution('a', { tokens, cost, status: 'completed', startedAt: at(0), endedAt: at(1) }),
  execution('a', { tokens, cost, status: 'timed_out', endedAt: at(1) }),
  execution('b', { agentName: 'logs', status: 'waiting', startedAt: null }),
  call('a', { tokens, durationMs: 100, costUsd: 0.5, failure: null }),
  call('b', { tokens: null, durationMs: 101, costUsd: null, failure }),
  event('a', result({ toolName: 'kubernetes.get', isError: true, durationMs: 12 })),
  event('a', result({ toolName: 'kubernetes.get', isError: false, durationMs: 400 })),
  event('b', sampleEvent('llm_response')),
  event('b', { ...sampleEvent('llm_response'), eventType: 7 }),
  ...calledTools(60),
]);

async function countAll() {
  const clock = createTestClock();
  clock.advance(at(2 * 24 * 60).getTime() - clock.now().getTime());
  const store = createMemoryStore(clock.now);
  await store.commit(sessions.map((one) => countAgain(one, clock.now())));
  await countSessions(documents).run({
    store,
    clock,
    log: createLogger({ LOG_LEVEL: 'silent' }),
  } as unknown as StateDeps);
  return (by: UsageGrouping, days = 3, tenantId = 'default') =>
    reportUsage({ by, days, now: clock.now() }, tenantId, store);
}

const none = { failed: 0, durationMs: null, durations: [] };

it.each([
  [
    'day',
    [
      {
        ...{ key: '2026-11-05', sessions: 2, count: 2, failed: 1, durationMs: 240_000, tokens: twice },
        ...{ durations: [{ upToMs: 126_218, count: 2 }], cost: { usd: 0.5, unpricedCalls: 2 } },
      },
      { ...none, key: '2026-11-06', sessions: 1, count: 1, tokens, cost },
    ],
  ],
  [
    'chain',
    [
      { ...none, key: 'deep', sessions: 1, count: 1, tokens, cost },
      expect.objectContaining({ key: 'default', sessions: 2, count: 2 }),
    ],
  ],
  [
    'agent',
    [
      {
        ...{ key: 'kubernetes', sessions: 1, count: 2, failed: 1, durationMs: 120_000, tokens: twice },
        ...{ durations: [{ upToMs: 64_623, count: 2 }], cost: { usd: 0.5, unpricedCalls: 2 } },
      },
      {
        ...{ ...none, key: 'logs', sessions: 1, count: 1, cost: { usd: 0, unpricedCalls: 0 } },
        tokens: { input: 0, output: 0, thinking: 0, cached: 0, total: 0 },
      },
    ],
  ],
  [
    'model',
    [
      {
        ...{ key: 'gemini-3.8-flash', sessions: 2, count: 2, failed: 1, durationMs: 201, tokens },
        durations: [
          { upToMs: 100, count: 1 },
          { upToMs: 125, count: 1 },
        ],
        cost: { usd: 0.5, unpricedCalls: 1 },
      },
    ],
  ],
  [
    'tool',
    [
      {
        ...{ key: 'kubernetes.get', sessions: 1, count: 2, failed: 1, durationMs: 412 },
        durations: [
          { upToMs: 100, count: 1 },
          { upToMs: 477, count: 1 },
        ],
        tokens: null,
        cost: null,
      },
    ],
  ],
] as const)('usage by %s is the sum of the readable parts of documents', async (by, usage) => {
  const report = await countAll();
  expect((await report(by)).usage).toEqual(usage);
});

it('a report has the asked days of one tenant, and when its first session was counted', async () => {
  const report = await countAll();
  expect(await report('day', 2)).toMatchObject({
    usage: [{ key: '2026-11-06' }],
    since: new Date('2026-11-06'),
    countedSince: at(2 * 24 * 60),
    unreadable: [],
  });
  expect((await report('day', 1)).countedSince).toBeNull();
  expect((await report('day', 3, 'acme')).usage).toMatchObject([{ key: '2026-11-05', count: 1 }]);
});

it('a session with many tools has 50 of them, and one row for the others', async () => {
  const { usage } = await (await countAll())('tool', 3, 'acme');
  expect(usage).toHaveLength(51);
  expect(usage.find(({ key }) => key === 'others')).toMatchObject({ sessions: 1, count: 10 });
});

it.each([
  ['investigation', 1],
  ['fork', 0],
] as const)('a session of kind %s counts for calibration as often as %i', async (kind, times) => {
  const data = { ...sampleSession({ ...ended, sessionId: 'e', kind }), schemaVersion: sessionType.version };
  const score = { total: 80, rubric: 1, model: 'judge', createdAt: at(3), schemaVersion: 1 };
  const stored = createRawDocumentsInMemory([
    { path: 'sessions/e', data },
    { path: sessionScoreType.paths.score('e'), data: score },
  ]);
  const counted = await readSessionCounts('e', stored);
  expect(counted?.counts.score).toHaveLength(times);
  expect(counted?.counts.chain).toHaveLength(1);
});
