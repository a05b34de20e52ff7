// What runs now, what waits for the sweep, and which parts are away.

import { describe, expect, it } from 'vitest';
import { createRawDocumentsInMemory } from '../../../../test/support/rawDocumentsInMemory.ts';
import { SAMPLE_TIME, sampleExecution, sampleSession } from '../../../../test/support/samples.ts';
import { createMemoryStore } from '../../../store/memory/memoryStore.ts';
import { ROW_FIELDS, sessionRows } from '../sessionRow.ts';
import { type OpenExecution, readOpenExecutions } from './openExecutions.ts';
import { readOverdue } from './overdueWork.ts';
import { rowActivities } from './rowActivity.ts';
import { isSweepLate, systemHealth } from './systemHealth.ts';

const now = SAMPLE_TIME;
const before = (minutes: number) => new Date(now.getTime() - minutes * 60_000);
/** A store that finds these paths, each kind on a page of its own. */
const found = (paths: readonly string[]) => ({
  async *findByTime({ collectionId, field }: { collectionId: string; field: string }) {
    if (['dueAt', 'due.b0'].includes(field) && (field === 'dueAt') !== (collectionId === 'executions'))
      yield paths.filter((path) => path.split('/').at(-2) === collectionId);
  },
});
const sessions = [
  sampleSession({ sessionId: 'a', status: 'in_progress' }),
  sampleSession({ sessionId: 'b', status: 'completed', finalAnalysis: '## Cause\n\nThe disk is full.' }),
  sampleSession({ sessionId: 'c', status: 'completed', executiveSummary: 'Full.', finalAnalysis: 'Disk.' }),
  sampleSession({
    sessionId: 'd',
    status: 'in_progress',
    steering: { ...sampleSession().steering, paused: { by: 'ada', at: now } },
  }),
];
const outage = { code: 'MODEL_TIMEOUT', since: before(5), pauses: 1, calls: 1, parked: false } as const;
const missingServers = [{ name: 'loki', permanent: false }];
const executions = [
  sampleExecution({ sessionId: 'a', executionId: '01-x', iteration: 3, outage, missingServers }),
  ...Array.from({ length: 10 }, (_, n) =>
    sampleExecution({ sessionId: 'a', executionId: `02-${n}`, status: 'waiting' }),
  ),
  sampleExecution({ sessionId: 'd', executionId: '01-y' }),
];
const paths = executions.map((one) => `sessions/${one.sessionId}/executions/${one.executionId}`);
const documents = createRawDocumentsInMemory([
  ...sessions.map((one) => ({ path: `sessions/${one.sessionId}`, data: one })),
  ...executions.map((one, index) => ({ path: paths[index] ?? '', data: one })),
]);
const deps = { store: found([...paths]) as never, documents };

it('open executions have their state', async () => {
  const open = await readOpenExecutions(deps);
  expect(open).toHaveLength(12);
  expect(open.filter(({ iteration }) => iteration === 3)).toEqual([
    {
      ...{
        sessionId: 'a',
        agentName: 'kubernetes',
        status: 'active',
        iteration: 3,
        outageCode: 'MODEL_TIMEOUT',
      },
      ...{ outageSince: before(5).toISOString(), missingServers: ['loki'] },
    },
  ]);
  expect(open.find(({ sessionId }) => sessionId === 'd')).toMatchObject({
    outageCode: null,
    outageSince: null,
  });
  const bare = createRawDocumentsInMemory([{ path: paths[0] ?? '', data: {} }]);
  expect(await readOpenExecutions({ ...deps, documents: bare })).toEqual([
    {
      ...{ sessionId: '', agentName: '', status: '', iteration: 0, outageCode: null, outageSince: null },
      missingServers: [],
    },
  ]);
});

it('rows have their agents, at most ten, and the start of an analysis without a summary', async () => {
  const read = await documents.getMany(
    sessions.map(({ sessionId }) => `sessions/${sessionId}`),
    ROW_FIELDS,
  );
  const rows = await sessionRows(read, { documents, store: createMemoryStore() }, now);
  const activities = await rowActivities(rows, deps);
  expect(activities.map(({ agents, analysisStart }) => [agents.length, analysisStart])).toEqual([
    ...[
      [10, null],
      [0, 'The disk is full.'],
      [0, null],
      [1, null],
    ],
  ]);
  expect(activities[0]?.agents).toContainEqual({
    ...{ agentName: 'kubernetes', status: 'active', iteration: 3, outageCode: 'MODEL_TIMEOUT' },
  });
});

it('overdue work is counted by kind, without agents of paused sessions', async () => {
  const store = found([
    ...paths,
    'sessions/a',
    'deliveries/x',
    'deliveryGroups/x',
    'deliveryGroups/y',
    'checks/x',
  ]);
  expect(await readOverdue({ store: store as never, documents }, now)).toEqual({
    ...{ agents: 11, sessions: 1, messages: 3, checks: 1 },
  });
  expect(await readOverdue({ store: found([]) as never, documents }, now)).toEqual({
    ...{ agents: 0, sessions: 0, messages: 0, checks: 0 },
  });
});

describe('the health of the system', () => {
  it.each([
    [5, 3, false],
    [5.01, 3, true],
    [5.01, 2, false],
    [undefined, 3, true],
    [undefined, undefined, true],
    [1, undefined, false],
  ])('a sweep of %j minutes ago, %j minutes after a start, is late: %s', (swept, started, isLate) => {
    const time = (minutes: number | undefined) => (minutes === undefined ? undefined : before(minutes));
    expect(isSweepLate(time(swept), time(started), now)).toBe(isLate);
  });

  it('names servers and models that agents miss, each with the first time', () => {
    const agent = (change: Partial<OpenExecution>): OpenExecution => ({
      ...{
        sessionId: 'a',
        agentName: 'x',
        status: 'active',
        iteration: 1,
        outageCode: null,
        outageSince: null,
      },
      ...{ missingServers: [], ...change },
    });
    const all = [
      agent({ missingServers: ['loki', 'k8s'] }),
      agent({ missingServers: ['loki'], outageCode: 'MODEL_TIMEOUT', outageSince: '2026-11-05T10:02' }),
      agent({ outageCode: 'MODEL_TIMEOUT', outageSince: '2026-11-05T10:01' }),
      agent({ outageCode: 'MODEL_BUSY' }),
    ];
    expect(systemHealth(all)).toEqual({
      servers: [
        { name: 'k8s', agents: 1 },
        { name: 'loki', agents: 2 },
      ],
      models: [
        { code: 'MODEL_BUSY', since: null, agents: 1 },
        { code: 'MODEL_TIMEOUT', since: '2026-11-05T10:01', agents: 2 },
      ],
    });
    expect(systemHealth([])).toEqual({ servers: [], models: [] });
  });
});
