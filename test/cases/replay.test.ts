import { describe, expect, it } from 'vitest';
import { exampleNames } from '../../local/examples.ts';
import { compareReplay } from '../../shared/cases/compareReplay.ts';
import { readRecordedSession } from '../../shared/cases/recordedSession.ts';
import { copySessionDocuments, readRecording, writeRecording } from '../../shared/cases/recording.ts';
import { groupAnsweredCalls } from '../../shared/cases/replay/recordedCalls.ts';
import { replayStored } from '../../shared/cases/replayStored.ts';
import { KEEPS_LEDGER } from '../../shared/core/contract/ledgerTool.ts';
import type { Store } from '../../shared/core/contract/store.ts';
import type { ToolSource } from '../../shared/core/contract/tools.ts';
import { STRATEGIES } from '../../shared/core/controllers/abilities.ts';
import { readPart } from '../../shared/core/schema/parts.ts';
import { verdictPart } from '../../shared/evidence/schema/verdict.ts';
import { askQuestion } from '../../shared/kits/questions/askQuestion.ts';
import { sessionDocuments } from '../../shared/kits/views/documents/sessionDocuments.ts';
import { createMemoryStore } from '../../shared/store/memory/memoryStore.ts';
import { createToolConnector } from '../../shared/tools/connectTools.ts';
import { CLAIMS_ROLE } from '../../shared/wording/claims.ts';
import { agentOf, type Investigation, startBench } from '../support/harness.ts';
import { runExample } from '../support/runExample.ts';

/** The parts of Inquest that the replayed sessions used. */
const covered = new Set<string>();

function cover({ agents, stages, executions, timeline }: Investigation): void {
  for (const { agent } of agents) {
    covered.add(agent.strategy);
    if (agent.replicaOf !== undefined) covered.add('replicas');
    if (agent.outputSchema !== undefined) covered.add('structured output');
    if (agent.collect.length > 0) covered.add('collected calls');
  }
  for (const { kind } of stages) covered.add(`stage ${kind}`);
  if (executions.some(({ parentExecutionId }) => parentExecutionId !== null)) covered.add('sub-agents');
  if (executions.some(({ modelIndex }) => modelIndex > 0)) covered.add('fallback');
  const isAsked = timeline.some(
    ({ metadata }) => 'code' in metadata && metadata.code === 'approval_requested',
  );
  if (isAsked) covered.add('approvals');
}

/** The first difference between a session and its replay; the parts that cannot be replayed are none. */
async function replay(sessionId: string, store: Store) {
  const copied = await copySessionDocuments(sessionId, sessionDocuments(sessionId, store));
  const recording = await readRecording(copied === undefined ? '' : writeRecording(copied), 'record.json');
  const replayed = await replayStored(recording);
  expect(replayed.leftOut).toEqual([]);
  return compareReplay(sessionId, recording.store, replayed.store);
}

/** The recorded answers that a case of a session has. */
async function answersInCase(sessionId: string, store: Store) {
  const recording = await copySessionDocuments(sessionId, sessionDocuments(sessionId, store));
  if (recording === undefined) throw new Error('no recording');
  return [...groupAnsweredCalls(await readRecordedSession(recording))];
}

describe('a recording without a model', () => {
  it.each(exampleNames())('of the example %s is replayed to the same documents', async (name) => {
    const store = createMemoryStore();
    const run = await runExample(name, undefined, undefined, store);
    expect(await replay(run.session.sessionId, store)).toBeUndefined();
    cover(run);
  });

  it.each(['native-thinking', 'react'])(
    'of replicas with the strategy %s, whose claims are checked, has the same verdict and ledger',
    async (strategy) => {
      const { bench, sessionId } = await checkedReplicas(strategy);
      const run = await bench.read(sessionId);
      expect(readPart(verdictPart, run.session)).toMatchObject({ value: 'inconclusive' });
      expect(await replay(sessionId, bench.deps.store)).toBeUndefined();
      cover(run);
      const answers = await answersInCase(sessionId, bench.deps.store);
      // Calls of questions and of checks after the end are no part of the investigation.
      const question = { text: 'Which pod is it?', by: 'ada' };
      expect(await askQuestion(sessionId, question, bench.deps)).toMatchObject({ kind: 'asked' });
      await bench.drain();
      const asked = await bench.read(sessionId);
      expect(
        asked.timeline.some((one) => one.eventType === 'llm_tool_call' && one.stageId.endsWith('-chat')),
      ).toBe(true);
      bench.deps.clock.advance(31 * 60_000);
      for (let minute = 0; minute < 2; minute++) {
        await bench.tick();
        await bench.drain();
        bench.deps.clock.advance(61_000);
      }
      const later = await bench.read(sessionId);
      expect(later.timeline.some(({ executionId }) => executionId === 'outcome')).toBe(true);
      expect(await answersInCase(sessionId, bench.deps.store)).toEqual(answers);
      expect(await replay(sessionId, bench.deps.store)).toBeUndefined();
    },
  );

  it('covers every strategy, and every kind of stage that a chain can have', () => {
    const kinds = ['investigation', 'synthesis', 'chat', 'exec_summary', 'claims'];
    const parts = ['replicas', 'sub-agents', 'approvals', 'fallback', 'structured output', 'collected calls'];
    const expected = [...STRATEGIES, ...kinds.map((kind) => `stage ${kind}`), ...parts];
    expect(expected.filter((part) => !covered.has(part))).toEqual([]);
  });
});

/** A server with one tool, which answers every call in the same way. */
const podSource = (name: string, content: string) =>
  ({
    name: 'pods',
    connect: async () => ({
      tools: [{ name, description: name, inputSchema: { type: 'object' }, readOnly: true, yields: 'state' }],
      results: {},
      call: async () => ({ content, isError: false, timedOut: false }),
      close: async () => {},
    }),
  }) as unknown as ToolSource;

/** Two replicas with ledgers and probes, a synthesis, the check of claims, contradictions. */
async function checkedReplicas(strategy: string) {
  const probe = { id: 'p1', tool: 'pods.memory', find: 'memory at', is: 'below', value: '400Mi' };
  const stated = {
    hypotheses: [{ id: 'h1', component: 'service:checkout', mechanism: 'memory' }],
    evidence: [{ id: 'e1', hypothesis: 'h1', quote: 'memory at 512Mi' }],
    probes: [probe],
  };
  const analysis = 'The checkout service runs out of memory.';
  const turns =
    strategy === 'react'
      ? [
          { text: 'Thought: look.\nAction: pods.memory\nAction Input: {}' },
          { text: `Ledger: ${JSON.stringify(stated)}\nFinal Answer: ${analysis}` },
        ]
      : [
          { toolCalls: [{ name: 'pods.memory', args: {} }] },
          { toolCalls: [{ name: 'ledger', args: stated }] },
          { text: analysis },
        ];
  const replica = (name: string) =>
    agentOf({ name, replicaOf: 'looker', strategy, tools: ['pods', KEEPS_LEDGER] });
  const synthesis = agentOf({ name: 'sum', strategy: 'synthesis', instructions: 'You are sum.' });
  const bench = await startBench({
    claims: {},
    chat: { tools: ['pods'] },
    retentionMs: 3 * 24 * 3_600_000,
    stages: [{ name: 'find', agents: [replica('looker-1'), replica('looker-2')], synthesis }],
    script: {
      conversations: [
        { when: CLAIMS_ROLE, turns: [{ text: '{"conclusion": "cause", "cause": ["h1"]}' }] },
        { when: 'You are sum.', turns: [{ text: analysis }] },
        {
          when: { question: 'Which pod is it?' },
          turns: [{ toolCalls: [{ name: 'pods.memory', args: {} }] }, { text: 'It is checkout.' }],
        },
        { turns },
      ],
    },
  });
  bench.deps.connectTools = createToolConnector([podSource('pods.memory', 'checkout memory at 512Mi')], {
    warn: () => {},
  });
  const sessionId = await bench.publishAlert();
  await bench.drain();
  return { bench, sessionId };
}

const SECRET = 'zebra-mountain-77-quartz';
const SPACED = [...SECRET].join(' ');
const looksFor = (find: string) => ({ toolCalls: [{ name: 'pods.log', args: { find } }] });
const LINK = `See [it](https://evil.example/${SECRET}).`;

it.each<[string, object[], string[]]>([
  ['a call with a secret', [looksFor(SECRET), { text: 'Done.' }], ['pods.log was not run']],
  ['a call with a hidden secret', [looksFor(SPACED), { text: 'Done.' }], ['pods.log was not run']],
  ['an analysis with a secret', [{ text: `It is ${SECRET}.` }], ['The analysis held secrets']],
  ['a link with a secret', [{ text: LINK }], ['1 links in the answer', 'The analysis held secrets']],
])('%s is refused in the replay of its session as it was', async (_, turns, refusals) => {
  const bench = await startBench({
    agent: { tools: ['pods'] },
    script: { conversations: [{ turns: turns as never }] },
    knownSecrets: [SECRET],
  });
  bench.deps.connectTools = createToolConnector([podSource('pods.log', `login ${SECRET} failed`)], {
    warn: () => {},
  });
  const sessionId = await bench.publishAlert();
  await bench.drain();
  const { timeline } = await bench.read(sessionId);
  const errors = timeline.filter(({ eventType }) => eventType === 'error').map(({ content }) => content);
  expect(errors).toEqual(refusals.map((start) => expect.stringContaining(start)));
  expect(await replay(sessionId, bench.deps.store)).toBeUndefined();
});
