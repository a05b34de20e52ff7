// Servers with a scope: calls are limited to the place that the alert's labels name.

import { describe, expect, it, onTestFinished } from 'vitest';
import { expectNoGaps, listToolResults } from '../support/expectations.ts';
import { type BenchOptions, opened } from '../support/harness.ts';
import { startListedServer } from './httpServer.ts';

const text = { type: 'string' as const };
const object = (properties: Record<string, typeof text>) => ({ type: 'object' as const, properties });
const TOOLS = [
  {
    name: 'read_pods',
    description: 'Reads pods.',
    inputSchema: object({ namespace: text, cluster: text, name: text }),
  },
  { name: 'read_nodes', description: 'Reads nodes.', inputSchema: object({ cluster: text }) },
  { name: 'read_all', description: 'Reads everything.', inputSchema: object({ query: text }) },
  { name: 'read_help', description: 'Explains itself.', inputSchema: object({}) },
];

const PLACE = { keys: ['cluster', 'namespace'], unscoped: ['read_help'] };

type Calls = NonNullable<BenchOptions['script']['conversations'][number]['turns'][number]['toolCalls']>;

/** An investigation to its end, of an alert with these labels. */
const investigateWith = (labels: Record<string, string>, ...calls: Calls) =>
  investigate({ labels, scope: PLACE, tools: ['shop'] }, calls);

async function investigate(
  { labels, scope, tools }: { labels: Record<string, string>; scope: object; tools: string[] },
  calls: Calls = [],
) {
  const server = await startListedServer(() => TOOLS);
  onTestFinished(() => server.close());
  const bench = await opened({
    inMemory: true,
    agent: { tools },
    servers: {
      shop: {
        transport: 'http',
        url: server.url,
        access: 'read',
        readOnly: ['read_*'],
        scope: { from: 'labels', ...scope },
      },
    },
    alert: { title: 'PodCrashLooping', labels },
    script: {
      conversations: [{ turns: [...(calls.length > 0 ? [{ toolCalls: calls }] : []), { text: 'Done.' }] }],
    },
  });
  await bench.drain();
  const run = await bench.read(bench.sessionId);
  expectNoGaps(run);
  const requests = bench.gemini.requests.map(({ body }) => JSON.stringify(body));
  const scopes = run.timeline.filter(
    (event) => event.eventType === 'notice' && event.metadata.code === 'tool_scope',
  );
  return { run, requests, scopes, results: listToolResults(run) };
}

it('offers tools without the parameters of the scope, and no tool that cannot be limited', async () => {
  const { requests } = await investigateWith({ cluster: 'eu-1', namespace: 'shop' });
  expect(requests[0]?.match(/shop__\w+(?=","desc)/g)).toEqual([
    'shop__read_help',
    'shop__read_nodes',
    'shop__read_pods',
  ]);
  expect(requests[0]).not.toMatch(/"namespace":\s*\{/);
});

it('is shown once: an event, and a message to the agent', async () => {
  const call = { name: 'shop.read_pods', args: { name: 'web' } };
  const { scopes, requests, run } = await investigateWith({ cluster: 'eu-1', namespace: 'shop' }, call);
  expect(run.session.status).toBe('completed');
  expect(scopes.map(({ content }) => content)).toEqual([
    'Calls of the server "shop" are limited to cluster=eu-1, namespace=shop.',
  ]);
  expect(requests).toHaveLength(2);
  for (const request of requests) expect(request.split('are limited to one place')).toHaveLength(2);
});

it('refuses a call outside of it', async () => {
  const outside = { name: 'shop.read_nodes', args: { namespace: 'bank' } };
  const unlimited = { name: 'shop.read_all', args: { query: 'everything' } };
  const elsewhere = { name: 'shop.read_pods', args: { namespace: 'bank' } };
  const labels = { cluster: 'eu-1', namespace: 'shop' };
  const { results } = await investigateWith(labels, outside, unlimited, elsewhere);
  expect(results.map(({ metadata }) => metadata.isError)).toEqual([true, true, true]);
});

it('withholds tools whose label the alert does not have', async () => {
  const { requests } = await investigateWith({ cluster: 'eu-1' });
  expect(requests[0]?.match(/shop__\w+(?=","desc)/g)).toEqual(['shop__read_help', 'shop__read_nodes']);
});

describe('tools by label', () => {
  const scope = { tools: { read_nodes: { labels: { team: ['infra*'] } } } };
  const offered = (requests: string[]) => requests[0]?.match(/shop__\w+(?=","desc)/g);

  it('are offered to alerts with the labels, and to no others', async () => {
    const all = await investigate({ labels: { team: 'infra-eu' }, scope, tools: ['shop'] });
    const every = ['shop__read_all', 'shop__read_help', 'shop__read_nodes', 'shop__read_pods'];
    expect(offered(all.requests)).toEqual(every);
    // Without a limit of calls there is no event about one.
    expect(all.scopes).toEqual([]);
    for (const labels of [{ team: 'shop' }, { other: 'infra' }, {}]) {
      const { requests } = await investigate({ labels, scope, tools: ['shop'] });
      expect(offered(requests)).toEqual(every.filter((name) => name !== 'shop__read_nodes'));
    }
  });

  it('are no missing tools of an agent that lists them, and their calls are refused', async () => {
    const tools = ['shop.read_nodes', 'shop.read_pods'];
    const calls = [{ name: 'shop.read_nodes', args: { cluster: 'eu-1' } }];
    const { run, results, requests } = await investigate({ labels: { team: 'shop' }, scope, tools }, calls);
    expect(offered(requests)).toEqual(['shop__read_pods']);
    expect(results.map(({ metadata }) => metadata.isError)).toEqual([true]);
    expect(run.session.caveats).not.toContain('TOOL_MISSING');
    expect(run.session.status).toBe('completed');
  });
});
