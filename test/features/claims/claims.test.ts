// The stage that checks claims, in chains of several agents and stages, and when processes die.

import { describe, expect, it } from 'vitest';
import { KEEPS_LEDGER } from '../../../shared/core/contract/ledgerTool.ts';
import type { ToolSource } from '../../../shared/core/contract/tools.ts';
import type { StagePlan } from '../../../shared/core/schema/agent.ts';
import { readPart } from '../../../shared/core/schema/parts.ts';
import type { Session } from '../../../shared/core/schema/session.ts';
import { cancelSession } from '../../../shared/core/session/cancelSession.ts';
import { type SessionVerdict, verdictPart } from '../../../shared/evidence/schema/verdict.ts';
import { verdictSentence } from '../../../shared/evidence/verdictWords.ts';
import { createToolConnector } from '../../../shared/tools/connectTools.ts';
import { CLAIMS_ROLE } from '../../../shared/wording/claims.ts';
import { expectNoGaps } from '../../support/expectations.ts';
import { agentOf, type Bench, type BenchOptions, startBench } from '../../support/harness.ts';

type Turn = BenchOptions['script']['conversations'][number]['turns'][number];

const SOURCE = {
  name: 'pods',
  connect: async () => ({
    tools: ['status', 'memory'].map((name) => ({
      name: `pods.${name}`,
      description: name,
      inputSchema: { type: 'object' },
      readOnly: true,
    })),
    results: {},
    call: async ({ name }: { name: string }) => ({
      content: name.endsWith('memory') ? ERROR : 'checkout Reason: OOMKilled',
      isError: false,
      timedOut: false,
    }),
    close: async () => {},
  }),
} as unknown as ToolSource;

const call = (name: string, args = {}) => ({ name, args });
const H1 = { id: 'h1', component: 'service:checkout', mechanism: 'memory' };
const quoting = (...quotes: string[]): Turn => {
  const evidence = quotes.map((quote, index) => ({ id: `e${index + 1}`, hypothesis: 'h1', quote }));
  return { toolCalls: [call('ledger', { hypotheses: [H1], evidence })] };
};
const ANALYSIS = { text: 'The checkout service runs out of memory.' };
const TEXT: Turn[] = [{ toolCalls: [call('pods.status')] }, quoting('Reason: OOMKilled'), ANALYSIS];
const ERROR = 'checkout: java.lang.OutOfMemoryError';
const OTHER: Turn[] = [{ toolCalls: [call('pods.memory')] }, quoting(ERROR), ANALYSIS];
const BOTH: Turn[] = [
  { toolCalls: [call('pods.status'), call('pods.memory')] },
  quoting('Reason: OOMKilled', ERROR),
  ANALYSIS,
];
const CHECK = { when: CLAIMS_ROLE, turns: [{ text: '{"conclusion": "cause", "cause": ["h1"]}' }] };
const agent = (name: string) =>
  agentOf({ name, instructions: `You are ${name}.`, tools: ['pods', KEEPS_LEDGER] });
const stage = (name: string, ...agents: string[]): Partial<StagePlan> => ({
  name,
  agents: agents.map(agent),
});

type Options = Omit<BenchOptions, 'script'> & { turns: Record<string, Turn[]> };

async function start({ turns, ...options }: Options) {
  const conversations = Object.entries(turns).map(([name, own]) => ({
    when: `You are ${name}.`,
    turns: own,
  }));
  const bench = await startBench({
    claims: {},
    ...options,
    script: { conversations: [CHECK, ...conversations] },
  });
  bench.deps.connectTools = createToolConnector([SOURCE], { warn: () => {} });
  return bench;
}

async function investigate(options: Options) {
  const bench = await start(options);
  const sessionId = await bench.publishAlert();
  await bench.drain();
  const run = await bench.read(sessionId);
  expectNoGaps(run);
  return { ...run, ids: run.stages.map(({ stageId }) => stageId) };
}

const verdictOf = ({ session }: { session: Session | undefined }) =>
  session && readPart(verdictPart, session);

describe('the verdict of several agents', () => {
  it('counts independent observations of replicas and their synthesis for one merged cause', async () => {
    const both = {
      ...stage('find', 'one', 'two'),
      synthesis: agentOf({ name: 'sum', strategy: 'synthesis', instructions: 'You are sum.' }),
    };
    const different = await investigate({
      stages: [both],
      turns: { one: TEXT, two: OTHER, sum: [ANALYSIS] },
    });
    expect(verdictOf(different)).toMatchObject({ value: 'likely', rule: 'texts', caps: [] });
    expect(different.ids).toEqual(['01-claims-check', '01-find', '01-find-synthesis']);
    // Two agents that read the same thing made one observation, and text at that.
    const same = await investigate({ stages: [both], turns: { one: TEXT, two: TEXT, sum: [ANALYSIS] } });
    expect(verdictOf(same)).toMatchObject({ value: 'inconclusive' });
  });

  it('counts the evidence of a sub-agent, and not its words', async () => {
    const lead = agentOf({
      name: 'lead',
      instructions: 'You are lead.',
      asks: [{ name: 'helper' }],
      tools: ['ask_agent'],
    });
    const helper = agentOf({ name: 'helper', instructions: 'You are helper.', tools: ['pods'] });
    const asks: Turn[] = [
      { toolCalls: [call('ask_agent', { agent_name: 'helper', input_text: 'Look.' })] },
      ANALYSIS,
    ];
    const options = { stages: [{ name: 'find', agents: [lead] }], agents: { helper } };
    const own = await investigate({ ...options, turns: { lead: asks, helper: BOTH } });
    expect(verdictOf(own)).toMatchObject({ value: 'likely', rule: 'texts' });
    const words = await investigate({
      ...options,
      turns: { lead: asks, helper: [{ text: 'checkout memory at 512Mi' }] },
    });
    expect(verdictOf(words)).toMatchObject({ value: 'inconclusive' });
  });
});

describe('a stage that depends on the verdict', () => {
  const deeper = { ...stage('deeper', 'two'), when: ['inconclusive' as const] };

  it('starts with one of its verdicts, and the claims are checked again after it', async () => {
    const { session, ids, timeline } = await investigate({
      stages: [stage('first', 'one'), deeper],
      turns: { one: TEXT, two: OTHER },
    });
    expect(ids).toEqual(['01-claims-check', '01-first', '02-claims-check', '02-deeper']);
    expect(session).toMatchObject({ status: 'completed', parts: { verdict: { value: 'likely' } } });
    const verdicts = timeline.flatMap(({ metadata }) =>
      'subject' in metadata && metadata.code === 'verdict' ? metadata.subject : [],
    );
    expect(verdicts).toEqual(['inconclusive', 'likely']);
  });

  it('does not start with another verdict', async () => {
    const { session, ids } = await investigate({
      stages: [stage('first', 'one'), deeper],
      turns: { one: BOTH, two: TEXT },
    });
    expect(ids).toEqual(['01-claims-check', '01-first']);
    expect(session).toMatchObject({
      status: 'completed',
      parts: { verdict: { value: 'likely' } },
      finalAnalysis: ANALYSIS.text,
    });
  });

  it('does not start after the verdict with which the chain stops', async () => {
    const stages = [stage('first', 'one'), stage('second', 'two')];
    const turns = { one: BOTH, two: TEXT };
    expect((await investigate({ stages, turns, stopWhen: 'likely' })).ids).toEqual([
      '01-claims-check',
      '01-first',
    ]);
    expect((await investigate({ stages, turns, stopWhen: 'confirmed' })).ids).toHaveLength(4);
  });
});

it('a session that a person cancels while its claims are checked ends, with the events in order', async () => {
  const bench = await start({ stages: [stage('first', 'one')], turns: { one: BOTH } });
  const sessionId = await bench.publishAlert();
  do await bench.deliverNext();
  while (!(await bench.read(sessionId)).stages.some(({ kind }) => kind === 'claims'));
  const outcome = await cancelSession(sessionId, bench.deps, { by: 'ada', reason: null });
  expect(outcome).toEqual({ kind: 'cancelled' });
  await bench.drain();
  const run = await bench.read(sessionId);
  expect(run.session).toMatchObject({ status: 'cancelled', finalAnalysis: ANALYSIS.text });
  const codes = run.timeline.flatMap((event) => (event.eventType === 'notice' ? [event.metadata.code] : []));
  expect(codes).toEqual(['cancel_requested', 'verdict', 'partial_result']);
});

/** Delivers messages until one fails, or none is left. @returns the message of the error. */
async function deliverAll(bench: Bench): Promise<string> {
  for (;;) {
    try {
      await bench.deliverNext();
    } catch (error) {
      return (error as Error).message;
    }
  }
}

describe('a process that dies', () => {
  const options = {
    stages: [{ ...stage('first', 'one') }],
    summary: {},
    deadlineMs: 86_400_000,
    turns: { one: BOTH },
  };

  it('at any commit, or a message that comes twice, changes neither verdict nor events', async () => {
    const whole = await investigate(options);
    const shape = ({ session, ids, timeline }: typeof whole) => ({
      verdict: { ...verdictOf({ session }), reason: null },
      sentence: session && verdictSentence(readPart(verdictPart, session) as SessionVerdict),
      status: session?.status,
      summary: session?.executiveSummary,
      ids,
      events: timeline.filter(({ eventType }) => eventType === 'notice').map(({ content }) => content),
    });
    for (let commits = 1; ; commits++) {
      const bench = await start(options);
      const sessionId = await bench.publishAlert();
      bench.dieAfterCommits(commits);
      const death = await deliverAll(bench);
      if (death === 'nothing is left to deliver') {
        expect(commits).toBeGreaterThan(12);
        return;
      }
      bench.revive();
      await bench.drain();
      for (const message of bench.deps.publisher.published.filter(({ topic }) => topic === 'iterations'))
        await bench.deliver(message).catch(() => {});
      for (let minute = 0; minute < 5; minute++) {
        bench.deps.clock.advance(60_000);
        await bench.tick();
        await bench.drain();
      }
      const run = await bench.read(sessionId);
      expectNoGaps(run);
      expect(shape({ ...run, ids: run.stages.map(({ stageId }) => stageId) })).toEqual(shape(whole));
    }
  });
});
