import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mcpServerConfigSchema } from '../../shared/config/serverConfig.ts';
import type { ToolExecutor } from '../../shared/core/contract/tools.ts';
import { createToolConnector } from '../../shared/tools/connectTools.ts';
import { mcpSources } from '../../shared/tools/mcp/mcpSource.ts';

const SERVER = fileURLToPath(new URL('clusterServer.ts', import.meta.url));
const CLUSTER = fileURLToPath(new URL('../../examples/crashloop/cluster', import.meta.url));
const POD = 'checkout-7d9c6bf8d4-x2kqp';
const signal = new AbortController().signal;

const connect = (config: object): Promise<ToolExecutor> =>
  createToolConnector(
    mcpSources({
      cluster: mcpServerConfigSchema.parse({ trustHints: true, connectTimeoutMs: 110_000, ...config }),
    }),
    {
      warn: () => {},
    },
  )(['cluster'], { signal });

const ask = (executor: ToolExecutor, tool: string, args: object) =>
  executor.execute(
    { callId: '1', name: `cluster.${tool}`, arguments: JSON.stringify(args) },
    {
      signal,
      timeoutMs: 600_000,
      maxResultBytes: 100_000,
      mask: (text: string) => ({ text, count: 0 }),
      idempotencyKey: 'k',
      traceparent: null,
    },
  );

let executor: ToolExecutor;
beforeAll(async () => {
  executor = await connect({ transport: 'stdio', command: process.execPath, args: [SERVER, CLUSTER] });
});
afterAll(() => executor.close());

describe('the example cluster', () => {
  it('offers read-only tools whose arguments are described', () => {
    const tools = executor.list();
    expect(tools.map((tool) => tool.name)).toEqual([
      'cluster.describe_pod',
      'cluster.get_deployment',
      'cluster.get_events',
      'cluster.get_logs',
      'cluster.list_pods',
      'cluster.pods_get',
      'cluster.query_metrics',
      'cluster.rollout_history',
    ]);
    for (const tool of tools) {
      expect(tool.readOnly).toBe(true);
      const properties: Record<string, { description?: string }> = Object(tool.inputSchema.properties);
      for (const property of Object.values(properties)) expect(property.description).toBeTruthy();
    }
  });

  it.each<[string, object, RegExp]>([
    ['list_pods', { namespace: 'shop' }, /^NAME .*checkout-7d9c6bf8d4-x2kqp +0\/1 +CrashLoopBackOff/s],
    [
      'describe_pod',
      { namespace: 'shop', pod: POD },
      /Reason: +OOMKilled\n +Exit Code: +137.*memory: +256Mi/s,
    ],
    [
      'get_events',
      { namespace: 'shop', object: `pod/${POD}` },
      /BackOff .*Back-off restarting failed container/,
    ],
    ['pods_get', { namespace: 'shop', name: POD }, /lastState:\n.*reason: OOMKilled/s],
    ['get_events', { namespace: 'default' }, /OOMKilling .*Memory cgroup out of memory/],
    [
      'get_logs',
      { namespace: 'shop', pod: POD, previous: true, tail: 5 },
      /entries=100452 max=500000 evicted=0/,
    ],
    ['get_deployment', { namespace: 'shop', name: 'checkout' }, /readyReplicas: 1/],
    [
      'rollout_history',
      { namespace: 'shop', name: 'checkout' },
      /8 +checkout 1\.42\.0: fewer calls to pricing$/,
    ],
    [
      'rollout_history',
      { namespace: 'shop', name: 'checkout', revision: 7 },
      /QUOTE_CACHE_MAX_ENTRIES: +20000\n/,
    ],
    [
      'query_metrics',
      { query: `container_memory_working_set_bytes{pod="${POD}"}`, minutes: 5 },
      /^container_memory_working_set_bytes\{.*\}\n( {2}2026-11-17T09:3\d:00Z {2}\d+ {2}\(\d+\.\d MiB\)\n?)+$/,
    ],
  ])('answers %s %j', async (tool, args, expected) => {
    const result = await ask(executor, tool, args);
    expect(result.isError).toBe(false);
    expect(result.content).toMatch(expected);
  });

  it('gives only the events of the object asked for', async () => {
    const { content } = await ask(executor, 'get_events', { namespace: 'shop', object: POD });
    const rows = content.split('\n').slice(1);
    expect(rows.length).toBeGreaterThan(3);
    expect(rows.filter((row) => !row.includes(`pod/${POD}`))).toEqual([]);
  });

  it.each<[string, object, string]>([
    ['list_pods', { namespace: 'nope' }, 'Error from server (NotFound): namespaces "nope" not found'],
    [
      'describe_pod',
      { namespace: 'shop', pod: 'web-1' },
      'Error from server (NotFound): pods "web-1" not found',
    ],
    [
      'get_deployment',
      { namespace: 'shop', name: 'web' },
      'Error from server (NotFound): deployments.apps "web" not found',
    ],
    [
      'get_logs',
      { namespace: 'shop', pod: POD, container: 'sidecar' },
      `error: container sidecar is not valid for pod ${POD}`,
    ],
    [
      'get_logs',
      { namespace: 'shop', pod: 'cart-84c9d5b6f8-9lq2d', previous: true },
      'Error from server (BadRequest): previous terminated container "cart" in pod "cart-84c9d5b6f8-9lq2d" not found',
    ],
    [
      'rollout_history',
      { namespace: 'shop', name: 'checkout', revision: 99 },
      'error: unable to find the specified revision 99',
    ],
  ])('prints the same as kubectl: %s %j', async (tool, args, expected) => {
    expect(await ask(executor, tool, args)).toMatchObject({ content: expected, isError: true });
  });

  it.each(['../default', '..', 'shop/pods', '/etc', 'shop\0', ''])(
    'takes no path for a name: %j',
    async (name) => {
      const result = await ask(executor, 'list_pods', { namespace: name });
      expect(result.isError).toBe(true);
      expect(result.content).toMatch(/must be a Kubernetes name/);
    },
  );
});

describe('metric queries', () => {
  it.each<[string, number]>([
    ['quote_cache_entries', 3],
    ['quote_cache_entries{pod=~"checkout-7d9c6bf8d4-.*", namespace="shop"}', 3],
    ['quote_cache_entries{pod=~".*x2kqp|.*m8trl"}', 2],
    ['quote_cache_entries{pod!~".*x2kqp"}', 2],
    ['quote_cache_entries{namespace!="shop"}', 0],
  ])('%s names %i series', async (query, count) => {
    const { content, isError } = await ask(executor, 'query_metrics', { query, minutes: 10 });
    expect(isError).toBe(false);
    expect(content.match(/^quote_cache_entries\{/gm) ?? []).toHaveLength(count);
  });

  it.each<[string, RegExp]>([
    ['rate(quote_cache_entries[5m])', /parse error: only plain selectors/],
    ['quote_cache_entries{pod=x}', /parse error: cannot read the label matchers at "pod=x"/],
    ['node_load1', /no metric "node_load1" was recorded; there are: container_memory/],
    ['../../secrets', /parse error/],
  ])('%s is refused with a list of valid requests', async (query, expected) => {
    const result = await ask(executor, 'query_metrics', { query });
    expect(result.isError).toBe(true);
    expect(result.content).toMatch(expected);
  });
});

describe('the story in the files', () => {
  it('has steady memory before the release and a limit reached after it', async () => {
    const query = 'container_memory_working_set_bytes{container="checkout"}';
    const { content } = await ask(executor, 'query_metrics', { query, minutes: 180 });
    const highest = (pods: RegExp): number =>
      Math.max(
        ...content
          .split('\n\n')
          .filter((block) => pods.test(block))
          .flatMap((block) => [...block.matchAll(/\(([\d.]+) MiB\)/g)].map((match) => Number(match[1]))),
      );
    expect(highest(/checkout-6f5b8d7c9c/)).toBeLessThan(120);
    expect(highest(/checkout-7d9c6bf8d4/)).toBeGreaterThan(230);
  });
});

describe('over HTTP', () => {
  it('serves on a port of 127.0.0.1, refuses other hosts, and ends on a signal', async () => {
    const child = spawn(process.execPath, [SERVER, CLUSTER, '--http', '0'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      const [line] = await once(child.stdout.setEncoding('utf8'), 'data');
      const url = /http:\/\/127\.0\.0\.1:\d+\/mcp/.exec(line)?.[0] ?? '';
      const remote = await connect({ transport: 'http', url });
      expect((await ask(remote, 'list_pods', { namespace: 'shop' })).content).toContain(POD);
      await remote.close();
      const evil = await fetch(url, {
        method: 'POST',
        headers: { origin: 'https://evil.example' },
        body: '{}',
      });
      expect(evil.status).toBe(403);
    } finally {
      child.kill('SIGTERM');
    }
    expect((await once(child, 'exit'))[0]).toBe(0);
  });

  it.each([
    [[], 'exactly one folder is needed'],
    [['no-such-folder'], '"no-such-folder" is not a folder'],
    [[CLUSTER, '--http', 'x'], '--http takes a port number'],
  ])('refuses %j', async (args, expected) => {
    const child = spawn(process.execPath, [SERVER, ...args], { stdio: ['ignore', 'ignore', 'pipe'] });
    const chunks: string[] = await child.stderr.setEncoding('utf8').toArray();
    expect(chunks.join('')).toMatch(new RegExp(`^${expected}\nusage: `));
  });
});
