// Intake and iterations without features: the core investigates, and a missing feature has one clear effect.

import { expect, it } from 'vitest';
import type { ToolSource } from '../../shared/contract/tools.ts';
import { createToolConnector } from '../../shared/tools/connectTools.ts';
import { toolResultsOf } from '../support/expectations.ts';
import { startBench } from '../support/harness.ts';
import { runExample } from '../support/runExample.ts';

it('the chain of the demo runs to its analysis', async () => {
  const { session } = await runExample('crashloop', [], []);
  expect(session.status).toBe('completed');
  expect(session).toMatchObject({ runbook: null, seenBefore: [], alsoFiring: [], deferral: null });
  expect(session.finalAnalysis).toContain('raised the quote cache from 20,000 to 500,000 entries');
});

const LOG = Array.from({ length: 1_000 }, (_, index) => `line ${index + 1}`).join('\n');

/** A server with a tool that returns a long log, and one that needs approval. */
const LOGS: ToolSource = {
  name: 'logs',
  connect: async () => ({
    tools: [
      { name: 'logs.get', description: 'Logs.', inputSchema: { type: 'object' }, readOnly: true },
      {
        name: 'logs.drop',
        description: 'Drops logs.',
        inputSchema: { type: 'object' },
        readOnly: false,
        waits: 'person',
      },
    ],
    results: {},
    call: async () => ({ content: LOG, isError: false, timedOut: false }),
    close: async () => {},
  }),
};

it('tools of features are unknown, a large result is only cut, and a call that needs approval fails', async () => {
  const calls = [
    { name: 'logs.get', args: {} },
    { name: 'read_result', args: { id: 'r4', grep: 'line 500' } },
    { name: 'search', args: { query: 'LOOKUP x' } },
    { name: 'logs.drop', args: {} },
  ];
  const bench = await startBench({
    agent: {
      strategy: 'native-thinking',
      tools: ['logs', 'search'],
      collect: [{ tool: 'logs.get', arguments: '{}' }],
      limits: { toolResultBytes: 4_000 },
    },
    script: { conversations: [{ turns: [{ toolCalls: calls }, { text: 'Done.' }] }] },
    inMemory: true,
    features: [],
  });
  bench.deps.connectTools = createToolConnector([LOGS], { warn: () => {} });
  const sessionId = await bench.publishAlert();
  await bench.drain();

  const run = await bench.read(sessionId);
  expect(run.session).toMatchObject({ status: 'completed', finalAnalysis: 'Done.' });
  const results = toolResultsOf(run).map(({ content }) => content);
  expect(results).toHaveLength(4);
  const [log, read, searched, dropped] = results;
  expect(log).toMatch(/^line 1\n/);
  expect(log).not.toContain('read_result');
  expect(read).toContain('read_result');
  expect(searched).toContain('search');
  expect(dropped).toContain('it would have to wait for a person, which is not possible here');
});
