// One entry of servers.yaml for several clusters: tools are offered once, and each call names its cluster.

import { expect, it, onTestFinished } from 'vitest';
import type { McpServerConfig } from '../../shared/contract/mcpServer.ts';
import { decideApproval } from '../../shared/kits/approvals/decideApproval.ts';
import { listApprovals } from '../../shared/kits/views/listApprovals.ts';
import { connectInstances } from '../../shared/tools/mcp/instances.ts';
import type { McpConnection, ToolList } from '../../shared/tools/mcp/mcpConnection.ts';
import { expectNoGaps, listToolResults } from '../support/expectations.ts';
import { type BenchOptions, opened } from '../support/harness.ts';
import { startFlakyServer, startStatelessServer } from './httpServer.ts';

type Turns = BenchOptions['script']['conversations'][number]['turns'];
type Server = NonNullable<BenchOptions['servers']>[string];

/** Two clusters with the same tools; `us-1` can be down. */
async function start(
  turns: Turns,
  { labels = {}, settings = {} }: { labels?: Record<string, string>; settings?: Partial<Server> } = {},
) {
  const eu = await startStatelessServer();
  const us = await startFlakyServer(false);
  onTestFinished(async () => {
    await Promise.all([eu.close(), us.close()]);
  });
  const server = {
    transport: 'http' as const,
    readOnly: ['*'],
    trustHints: false,
    keepConnection: false,
    url: eu.url,
    ...settings,
  };
  const bench = await opened({
    inMemory: true,
    agent: { tools: ['kube.echo'] },
    servers: {
      kube: {
        ...server,
        instances: {
          parameter: 'cluster',
          list: { 'eu-1': { ...server, url: eu.url }, 'us-1': { ...server, url: us.url } },
        },
      } as Server,
    },
    alert: { title: 'PodCrashLooping', labels },
    script: { conversations: [{ turns }] },
  });
  const run = async () => {
    await bench.drain();
    const found = await bench.read(bench.sessionId);
    expectNoGaps(found);
    expect(found.session.status).toBe('completed');
    const requests = bench.gemini.requests.map(({ body }) => JSON.stringify(body));
    return { ...found, requests, results: listToolResults(found) };
  };
  return { ...bench, us, run };
}

const echo = (args: object) => ({ toolCalls: [{ name: 'kube.echo', args: { text: 'hi', ...args } }] });
const DONE = { text: 'Done.' };

it('offers a tool once, with a required parameter that names the cluster; each result names its own', async () => {
  const bench = await start([
    { toolCalls: [...echo({ cluster: 'eu-1' }).toolCalls, ...echo({ cluster: 'us-1' }).toolCalls] },
    DONE,
  ]);
  const { requests, results } = await bench.run();
  expect(requests[0]?.match(/"name":"kube__echo"/g)).toHaveLength(1);
  expect(requests[0]).toContain('"enum":["eu-1","us-1"]');
  expect(requests[0]).toContain('"required":["cluster"');
  expect(results.map(({ content }) => content.split('\n')[0])).toEqual(['[cluster eu-1]', '[cluster us-1]']);
  expect(results.map(({ metadata }) => metadata.isError)).toEqual([false, false]);
});

it('refuses a call of a cluster that is not configured, and one that names none', async () => {
  const bench = await start([echo({ cluster: 'ap-1' }), echo({}), DONE]);
  const { results } = await bench.run();
  expect(results.map(({ metadata }) => metadata.isError)).toEqual([true, true]);
  expect(results[0]?.content).toContain('cluster');
});

it('a cluster that cannot be reached is reported by its name and takes neither the others nor the tool away', async () => {
  const bench = await start([
    echo({ cluster: 'us-1' }),
    echo({ cluster: 'eu-1' }),
    echo({ cluster: 'us-1' }),
    DONE,
  ]);
  bench.us.isDown = true;
  await bench.deliverNext();
  await bench.deliverNext();
  bench.us.isDown = false;
  const { results, requests, timeline } = await bench.run();
  expect(results.map(({ metadata }) => metadata.isError)).toEqual([true, false, false]);
  expect(results[0]?.content).toContain('MCP server "kube/us-1" is unavailable');
  expect(requests[0]).toContain(
    'The tool server \\"kube/us-1\\" cannot be reached: calls for it fail until it is available again.',
  );
  expect(requests[2]).toContain('The tool server \\"kube/us-1\\" can be reached again: calls for it run.');
  expect(
    timeline.filter(({ content }) => content.includes('"kube/us-1" is unavailable')).length,
  ).toBeGreaterThan(0);
  const toolsOf = (request = '') => JSON.stringify(JSON.parse(request).tools);
  expect(toolsOf(requests[0])).toBe(toolsOf(requests[2]));
  expect(
    timeline.some((event) => event.eventType === 'notice' && event.metadata.code === 'tool_changed'),
  ).toBe(false);
});

it('with a scope the label of the alert selects the cluster, and agents cannot', async () => {
  const scope = { from: 'labels' as const, keys: ['cluster'] };
  const bench = await start([echo({}), echo({ cluster: 'eu-1' }), DONE], {
    labels: { cluster: 'us-1' },
    settings: { scope },
  });
  const { requests, results } = await bench.run();
  expect(requests[0]).not.toContain('"enum":["eu-1","us-1"]');
  expect(results[0]?.content).toMatch(/^\[cluster us-1\]/);
  expect(results[1]).toMatchObject({
    content: 'The argument "cluster" is not yours to set. Nothing was executed.',
    metadata: { isError: true },
  });
});

it('an alert of a cluster that is not configured gets no tools of the server', async () => {
  const scope = { from: 'labels' as const, keys: ['cluster'] };
  const bench = await start([DONE], { labels: { cluster: 'ap-1' }, settings: { scope } });
  const { requests } = await bench.run();
  expect(requests[0]).not.toContain('kube__echo');
});

it('an approval shows the cluster, and the call runs there', async () => {
  const settings = {
    access: 'write' as const,
    readOnly: [],
    tools: { echo: { approval: 'required' as const } },
  };
  const bench = await start([echo({ cluster: 'us-1' }), DONE], { settings });
  await bench.deliverNext();
  const [approval] = await listApprovals(bench.deps.store, bench.deps.clock.now());
  expect(JSON.parse(approval?.arguments ?? '{}')).toMatchObject({ cluster: 'us-1' });
  const verdict = { verdict: 'approved' as const, by: 'jane', reason: null };
  await decideApproval(approval?.approvalId ?? '', verdict, bench.deps);
  const { results } = await bench.run();
  expect(results.map(({ content }) => content.split('\n')[0])).toEqual(['[cluster us-1]']);
});

it('a tool that is new at one cluster is offered, and unchanged lists give the same one', async () => {
  const composeList = (...names: string[]): ToolList => ({
    tools: names.map((name) => ({ name, inputSchema: { type: 'object' as const } })),
    refused: [],
  });
  const lists = new Map([
    ['kube/eu-1', composeList('echo')],
    ['kube/us-1', composeList('echo')],
  ]);
  const connect = connectInstances(
    async (name) => ({ listed: lists.get(name), close: async () => {} }) as unknown as McpConnection,
  );
  const config = { instances: { parameter: 'cluster', list: { 'eu-1': {}, 'us-1': {} } } };
  const offered = async () =>
    (await connect('kube', config as unknown as McpServerConfig, new AbortController().signal)).listed;
  const first = await offered();
  expect(await offered()).toBe(first);
  lists.set('kube/us-1', composeList('echo', 'drain'));
  expect((await offered()).tools.map(({ name }) => name)).toEqual(['echo', 'drain']);
});
