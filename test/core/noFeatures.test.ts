// Intake and iterations without features: the core investigates, and a missing feature has one clear effect.

import { expect, it } from 'vitest';
import { replaceDocument } from '../../shared/core/contract/store.ts';
import type { ToolSource } from '../../shared/core/contract/tools.ts';
import { paths, sessionType } from '../../shared/lists/documents.ts';
import { createToolConnector } from '../../shared/tools/connectTools.ts';
import { listToolResults } from '../support/expectations.ts';
import { startBench } from '../support/harness.ts';
import { runExample } from '../support/runExample.ts';

it('the chain of the demo runs to its analysis', async () => {
  const { session } = await runExample('crashloop', [], []);
  expect(session.status).toBe('completed');
  expect(session.deferral).toBeNull();
  for (const name of ['runbook', 'knowledge', 'correlation']) expect(session.parts).not.toHaveProperty(name);
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
  const results = listToolResults(run).map(({ content }) => content);
  expect(results).toHaveLength(4);
  const [log, read, searched, dropped] = results;
  expect(log).toMatch(/^line 1\n/);
  expect(log).not.toContain('read_result');
  expect(read).toContain('read_result');
  expect(searched).toContain('search');
  expect(dropped).toContain('it would have to wait for a person, which is not possible here');
});

it('the part of a feature that is gone survives a whole investigation', async () => {
  const bench = await startBench({
    script: { conversations: [{ turns: [{ text: 'Done.' }] }] },
    inMemory: true,
  });
  const sessionId = await bench.publishAlert();
  await bench.deliverNext();
  const path = paths.session(sessionId);
  const opened = await bench.deps.store.get(path, sessionType);
  if (opened === undefined) throw new Error('the session is missing');
  const gone = { since: new Date(0), lists: [{ of: [1, null] }] };
  const value = { ...opened.value, parts: { ...opened.value.parts, gone } };
  await bench.deps.store.commit([replaceDocument(path, sessionType, value, opened.version)]);
  await bench.drain();
  const { session } = await bench.read(sessionId);
  expect(session).toMatchObject({ status: 'completed', parts: { gone } });
});
