// Calls of a chain before its agents: with alert labels, as the first iteration's pending calls.

import { describe, expect, it } from 'vitest';
import type { ToolSource } from '../../../shared/core/contract/tools.ts';
import { CRASH_POINTS } from '../../../shared/core/kernel/crashPoints.ts';
import type { CollectCall } from '../../../shared/core/schema/agent.ts';
import { createToolConnector } from '../../../shared/tools/connectTools.ts';
import { dieAt } from '../../support/dieAt.ts';
import { expectNoGaps, listEventTypes, listToolResults } from '../../support/expectations.ts';
import { type BenchOptions, startBench } from '../../support/harness.ts';

const SECRET = 'zebra mountain 77 quartz';
const ALERT = {
  version: '4',
  status: 'firing',
  alerts: [
    {
      status: 'firing',
      labels: { alertname: 'PodCrashLooping', namespace: 'shop', pod: 'checkout-1', odd: 'a"} or {b="' },
      annotations: {},
      startsAt: '2026-01-01T00:00:00Z',
    },
  ],
};
const DONE = { text: 'Final Answer: Out of memory.' };
const call = (tool: string, args: object = {}): CollectCall => ({ tool, arguments: JSON.stringify(args) });
const PODS = call('cluster.pods', { namespace: `\${labels.namespace}`, all: true });
const UP = call('cluster.query', { query: `up{namespace="\${labels.namespace}"}` });

interface Options {
  strategy?: string;
  maxIterations?: number;
  conversations?: BenchOptions['script']['conversations'];
}

/** A system whose agent has a cluster: what its tools were called with, in order. */
async function benchOf(collect: CollectCall[], { strategy, maxIterations, conversations }: Options = {}) {
  const called: string[] = [];
  const object = { type: 'object', properties: { namespace: { type: 'string' } } };
  const tools = [
    { name: 'cluster.pods', description: 'Pods.', inputSchema: object, readOnly: true },
    { name: 'cluster.query', description: 'Asks.', inputSchema: { type: 'object' }, readOnly: true },
    { name: 'cluster.restart', description: 'Restarts.', inputSchema: object, readOnly: false },
    { name: 'cluster.hang', description: 'Hangs.', inputSchema: object, readOnly: true },
  ];
  const source: ToolSource = {
    name: 'cluster',
    connect: async () => ({
      tools,
      results: {},
      call: async ({ name, arguments: args }) => {
        called.push(`${name} ${args}`);
        if (name === 'cluster.hang') return { content: 'no answer', isError: true, timedOut: true };
        return { content: `result of ${name}: checkout-1 ${SECRET}`, isError: false, timedOut: false };
      },
      close: async () => {},
    }),
  };
  const bench = await startBench({
    agent: {
      tools: ['cluster'],
      collect,
      ...(strategy && { strategy }),
      limits: { maxIterations: maxIterations ?? 5 },
    },
    script: { conversations: conversations ?? [{ turns: [DONE] }] },
    knownSecrets: [SECRET],
    inMemory: true,
  });
  bench.deps.connectTools = createToolConnector([source], { warn: () => {} });
  const sessionId = await bench.publishAlert(ALERT);
  const finish = async () => {
    await bench.drain();
    const run = await bench.read(sessionId);
    expect(bench.deadLetters).toEqual([]);
    expectNoGaps(run);
    return { ...bench, ...run, called };
  };
  return { ...bench, sessionId, called, finish };
}

const collect = async (calls: CollectCall[], options?: Options) => (await benchOf(calls, options)).finish();

/** What the model read as its user before it answered for the first time. */
function firstWords({ gemini }: { gemini: { requests: { body: unknown }[] } }): string {
  const { contents } = (gemini.requests[0]?.body ?? {}) as {
    contents: { role: string; parts: { text?: string }[] }[];
  };
  expect(contents.map(({ role }) => role)).toEqual(['user']);
  return contents.flatMap(({ parts }) => parts.map(({ text }) => text)).join('\n');
}

describe('the result that a chain collects', () => {
  it.each(['native-thinking', 'react'])(
    'is known to an agent (%s) from its first request on',
    async (strategy) => {
      const run = await collect([PODS, UP], { strategy });
      expect(run.session.status).toBe('completed');
      expect(run.called).toEqual([
        'cluster.pods {"namespace":"shop","all":true}',
        'cluster.query {"query":"up{namespace=\\"shop\\"}"}',
      ]);
      const words = firstWords(run);
      expect(words).toMatch(
        /These calls were made for you[\s\S]*<data-\w{12} source="collected calls">\n1\. cluster\.pods \{"namespace":"shop","all":true\}\n2\. cluster\.query [\s\S]*Result of call 1, cluster\.pods:\n\n<data-\w{12} source="tool cluster\.pods">\nresult of cluster\.pods: checkout-1 \[masked:known#\w+\]\n<\/data-\w{12}>[\s\S]*Result of call 2, cluster\.query:/,
      );
      expect(JSON.stringify([run.timeline, run.messages, run.gemini.requests])).not.toContain(SECRET);
      expect(listEventTypes(run).slice(0, 4)).toEqual([
        'mcp_tool_call',
        'tool_result',
        'mcp_tool_call',
        'tool_result',
      ]);
      expect(run.timeline[0]).toMatchObject({
        content: 'cluster.pods(namespace: "shop", all: true)',
        metadata: { server: 'cluster', callId: 'collect_1' },
      });
    },
  );

  it('does not count as an iteration', async () => {
    const look = { toolCalls: [{ name: 'cluster.pods', args: {} }] };
    const run = await collect([PODS], { maxIterations: 1, conversations: [{ turns: [look, DONE] }] });
    const [analysis] = run.timeline.filter((event) => event.eventType === 'final_analysis');
    expect(analysis?.metadata).toMatchObject({ forcedConclusion: true, iterationsUsed: 1, maxIterations: 1 });
    expect(run.interactions.map(({ iteration }) => iteration)).toEqual([2, 3]);
  });

  it('stays in front of the conversation, byte for byte', async () => {
    const look = { toolCalls: [{ name: 'cluster.query', args: { query: 'up' } }] };
    const { gemini } = await collect([PODS], { conversations: [{ turns: [look, DONE] }] });
    const [first, second] = gemini.requests.map(({ body }) => body as { contents: unknown[] });
    expect(second?.contents[0]).toEqual(first?.contents[0]);
    expect(second?.contents).toHaveLength(3);
  });

  it('does not end the session when it fails: the agent gets the error and continues', async () => {
    const run = await collect([
      call('cluster.hang'),
      call('cluster.gone', { namespace: 'shop' }),
      call('cluster.restart', { namespace: 'shop' }),
      call('cluster.pods', { namespace: 7 }),
    ]);
    expect(run.session.status).toBe('completed');
    expect(run.called).toEqual(['cluster.hang {}']);
    const results = listToolResults(run).map(({ status, content }) => `${status}: ${content}`);
    expect(results).toEqual([
      expect.stringMatching(/^timed_out: /),
      'failed: Not run: cluster.gone is not among the tools that can be used here.',
      'failed: Not run: cluster.restart can change something, and only read-only tools are called before an agent starts.',
      expect.stringMatching(/^failed: Not run: .*namespace/),
    ]);
    expect(firstWords(run)).toContain('Result of call 2, cluster.gone, which failed:');
    expect(run.executions[0]).toMatchObject({ consecutiveTimeouts: 0, lastInteractionFailed: false });
  });

  it('leaves out calls without their label, and notes it', async () => {
    const run = await collect([
      call('cluster.pods', { namespace: `\${labels.team}` }),
      call('cluster.query', { query: `up{a="\${labels.odd}"}` }),
      PODS,
    ]);
    expect(run.called).toEqual(['cluster.pods {"namespace":"shop","all":true}']);
    const notices = run.timeline.filter((event) => event.eventType === 'notice');
    expect(notices.map(({ content, metadata }) => [metadata.code, content])).toEqual([
      [
        'collect_skipped',
        'cluster.pods was not called before the agent started: the alert has no label team.',
      ],
      [
        'collect_skipped',
        'cluster.query was not called before the agent started: the label odd holds characters that may not stand inside a longer text.',
      ],
    ]);
  });

  it('can be empty: then the model is asked immediately', async () => {
    const run = await collect([call('cluster.pods', { namespace: `\${labels.team}` })]);
    expect(run.session.status).toBe('completed');
    expect(run.called).toEqual([]);
    expect(firstWords(run)).not.toContain('These calls were made for you');
  });

  it('sends no secret to a tool', async () => {
    const run = await collect([call('cluster.pods', { namespace: SECRET }), PODS]);
    expect(run.called).toEqual(['cluster.pods {"namespace":"shop","all":true}']);
    const [error] = run.timeline.filter((event) => event.eventType === 'error');
    expect(error?.metadata).toMatchObject({ code: 'TAINT_BLOCKED', recoverable: true });
    expect(JSON.stringify([run.timeline, run.messages, run.session])).not.toContain(SECRET);
  });
});

describe('a process that dies while it collects', () => {
  const points = [
    'beforeCommitA',
    'afterCommitA',
    'beforeTool',
    'afterTool',
    'beforeCommitB',
    'afterCommitB',
  ] as const;

  it.each(points)('leaves its results to the process that takes over (%s)', async (name) => {
    const { finish, deps, deliverNext, revive } = await benchOf([PODS, UP]);
    await deliverNext();
    await dieAt(CRASH_POINTS[name], deps, (process) => deliverNext(process));
    revive();
    const run = await finish();
    expect(run.session.status).toBe('completed');
    expect(listEventTypes(run).filter((type) => type === 'mcp_tool_call')).toHaveLength(2);
    expect(listToolResults(run).map(({ metadata }) => metadata.callId)).toEqual(['collect_1', 'collect_2']);
    expect(run.gemini.requests).toHaveLength(1);
  });
});
