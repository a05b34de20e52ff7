// Edges of results in the running system: noted once, kept by tenant, drawn, and only proposed.

import { expect, it } from 'vitest';
import type { ToolSource } from '../../../shared/core/contract/tools.ts';
import type { Execution } from '../../../shared/core/schema/execution.ts';
import { readPart } from '../../../shared/core/schema/parts.ts';
import { TOPOLOGY_NOTES } from '../../../shared/features/topology/feature.ts';
import {
  edgesPart,
  forgetAt,
  type Topology,
  topologyId,
  topologyType,
} from '../../../shared/kits/topology/topology.ts';
import { createToolConnector } from '../../../shared/tools/connectTools.ts';
import { startApiBench } from '../../support/apiBench.ts';
import { sampleExecution } from '../../support/samples.ts';

const LOG =
  'started\nerror: dial tcp: lookup ledger: no such host\nerror: connect ECONNREFUSED [x] to tok-3fA9-secret:80';
const CHECKOUT = { title: 'Errors', labels: { namespace: 'shop', deployment: 'checkout' } };

/** An API whose agents read a log twice, side by side. */
async function start() {
  const args = { pod: 'checkout', namespace: 'shop' };
  const api = await startApiBench({
    agent: { tools: ['cluster'] },
    knownSecrets: ['tok-3fa9-secret'],
    script: {
      conversations: [
        {
          turns: [
            { toolCalls: [1, 2].map(() => ({ name: 'cluster.logs', args })) },
            { text: 'The ledger is away.' },
          ],
        },
      ],
    },
  });
  const tool = { name: 'cluster.logs', description: '', inputSchema: { type: 'object' }, readOnly: true };
  const source = {
    name: 'cluster',
    connect: async () => ({
      tools: [tool],
      results: {},
      call: async () => ({ content: LOG, isError: false, timedOut: false }),
      close: async () => {},
    }),
  } as unknown as ToolSource;
  api.deps.connectTools = createToolConnector([source], { warn: () => {} });
  const stored = async () =>
    (await api.deps.store.list({ collection: 'topology' }, topologyType)).map(({ value }) => value);
  return { ...api, stored };
}

it('counts each result once, keeps no secret, and forgets after 30 days', async () => {
  const { investigate, read, stored, ask, deps } = await start();
  const sessionId = await investigate(CHECKOUT);
  const edge = {
    from: 'k8s:-/shop/-/checkout',
    to: 'k8s:-/shop/Service/ledger',
    ...{ how: 'calls', by: 'seen', line: 2, count: 2 },
  };
  const { executions } = await read(sessionId);
  expect(executions.map((one) => readPart(edgesPart, one)?.edges)).toEqual([[expect.objectContaining(edge)]]);
  const [document, ...more] = await stored();
  expect(more).toEqual([]);
  expect(document).toMatchObject({
    tenantId: 'default',
    sessionId,
    names: ['checkout', 'ledger'],
    edges: [edge],
  });
  expect(document?.expireAt).toEqual(forgetAt(document?.at ?? new Date(0)));
  const { body } = await ask('/v1/topology?resource=ledger');
  expect(body.edges).toEqual([
    {
      ...edge,
      line: undefined,
      sessions: 1,
      lastAt: expect.any(String),
      evidence: expect.objectContaining({ sessionId, line: 2 }),
    },
  ]);
  expect((await ask('/v1/topology?resource=led')).body.edges).toEqual([]);
  deps.clock.advance(31 * 24 * 3_600_000);
  expect((await ask('/v1/topology')).body.edges).toEqual([]);
});

it('notes that edges of a result have no room, and that known ones do', () => {
  const note = (known: Execution, from: number) => {
    const names = Array.from({ length: 40 }, (_, index) => `db-${from + index}`);
    const content = names.map((name) => `error: dial tcp: lookup ${name}: no such host`).join('\n');
    const context = {
      agent: { strategy: 'react' },
      masker: { mask: () => ({ count: 0 }) },
      deps: { clock: { now: () => new Date(0) } },
    };
    const call = { name: 'cluster.logs', arguments: '{"pod":"web","namespace":"shop"}' };
    const noted = TOPOLOGY_NOTES.noteResult?.(
      ...([context, { resultEvent: 1 }, call, { content }] as unknown as NoteArguments),
    );
    return noted?.(known as never) as unknown as Execution;
  };
  const first = note(sampleExecution(), 0);
  expect(readPart(edgesPart, first)).not.toHaveProperty('refused');
  const second = note(first, 30);
  expect(readPart(edgesPart, second)).toMatchObject({ edges: { length: 60 }, refused: 10 });
  expect(readPart(edgesPart, note(second, 0))).toMatchObject({ edges: { length: 60 }, refused: 10 });
});

type NoteArguments = Parameters<NonNullable<typeof TOPOLOGY_NOTES.noteResult>>;

it('shows a tenant only its own edges, of equal names', async () => {
  const { publishAlert, drain, ask, stored } = await start();
  for (const tenant of ['acme', 'other']) await publishAlert(CHECKOUT, { tenant });
  await drain();
  expect((await stored()).map(({ tenantId }) => tenantId).sort()).toEqual(['acme', 'other']);
  const counted = await ask('/v1/topology', { headers: { 'x-tenant-id': 'acme' } });
  expect(counted.body.edges).toEqual([expect.objectContaining({ sessions: 1, count: 2 })]);
  expect((await ask('/v1/topology')).body.edges).toEqual([]);
});

it('draws the place with its dependencies, one edge of the file and a loop once, and alerts that fire', async () => {
  const { investigate, ask, deps, config } = await start();
  config.services = {
    checkout: {
      workloads: ['k8s:-/shop/Deployment/checkout'],
      repository: null,
      flags: [],
      dashboards: [],
      dependencies: ['ledger'],
    },
  };
  const now = deps.clock.now();
  const edge = (from: string, to: string, more: Partial<Topology['edges'][number]> = {}) => ({
    ...{ from: `k8s:-/shop/Deployment/${from}`, to: `k8s:-/shop/Service/${to}`, how: 'calls' as const },
    ...{ by: 'seen' as const, line: null, event: 3, at: now, count: 1, executionId: '01-a', ...more },
  });
  const value = {
    ...{ tenantId: 'default', sessionId: 'earlier', names: ['checkout'], at: now, expireAt: forgetAt(now) },
    edges: [
      ...[edge('ledger', 'checkout'), edge('web', 'checkout'), edge('ledger', 'db'), edge('db', 'disk')],
      edge('checkout', 'cart', { by: 'stated', count: 3 }),
    ],
  };
  const path = topologyType.paths.topology(topologyId('default', 'earlier', now));
  await deps.store.commit([{ op: 'put', path, type: topologyType as never, value }]);
  const sessionId = await investigate({ ...CHECKOUT, status: 'firing', fingerprint: 'f1' });
  const { body } = await ask(`/v1/sessions/${sessionId}/topology`);
  const names = Object.fromEntries(
    body.nodes.map((node: { id: string; name: string }) => [node.id, node.name]),
  );
  const lines = body.edges.map(
    ({ from, to, by, count }: { from: string; to: string; by: string; count: number }) =>
      `${by} ${names[from]} ${names[to]} ${count}`,
  );
  expect(lines.sort()).toEqual([
    'file checkout ledger 2',
    'seen ledger checkout 1',
    'seen ledger db 1',
    'seen web checkout 1',
    'stated checkout cart 3',
  ]);
  expect(body.nodes.map(({ name, step }: { name: string; step: number }) => `${name} ${step}`)).toEqual(
    expect.arrayContaining(['web -1', 'checkout 0', 'ledger 1', 'cart 1', 'db 2']),
  );
  const firing = body.nodes.filter((node: { firing: object[] }) => node.firing.length > 0);
  expect(firing).toEqual([
    expect.objectContaining({ name: 'checkout', firing: [{ sessionId, title: 'Errors' }] }),
  ]);
  const nothing = await investigate({ title: 'No place' });
  expect((await ask(`/v1/sessions/${nothing}/topology`)).body).toMatchObject({ resource: null, edges: [] });
  expect((await ask('/v1/sessions/nobody/topology')).status).toBe(404);
});
