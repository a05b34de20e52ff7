// Agents that ask others: what the asked one is told, what the asking one gets, and the limits.

import { expect, it } from 'vitest';
import { CRASH_POINTS } from '../../../shared/core/kernel/crashPoints.ts';
import { cancelSession } from '../../../shared/core/session/cancelSession.ts';
import { dieAt } from '../../support/dieAt.ts';
import { expectNoGaps } from '../../support/expectations.ts';
import { EXECUTION, type Investigation, investigate, opened } from '../../support/harness.ts';
import { sampleAgent } from '../../support/samples.ts';

const CHILD = `${EXECUTION}~1`;
const ask = (agent_name: string, more: object = {}) => ({
  name: 'ask_agent',
  args: { agent_name, input_text: 'What do the logs say?', ...more },
});
const helper = (name: string, overrides = {}) =>
  sampleAgent({ name, instructions: `You are the helper ${name}.`, tools: [], ...overrides });
const asks = ['logs', 'metrics'].map((name) => ({ name }));
const investigator = { tools: ['ask_agent'], asks, instructions: 'You lead.' };
const answers = (name: string, text: string) => ({
  name,
  when: `You are the helper ${name}.`,
  turns: [{ text }],
});
const leads = (calls: ReturnType<typeof ask>[]) => ({
  name: 'lead',
  when: 'You lead.',
  turns: [{ toolCalls: calls }, { text: 'It was the disk.' }],
});
const options = (calls: ReturnType<typeof ask>[], more: object = {}) => ({
  inMemory: true,
  deadlineMs: 40 * 60_000,
  agent: investigator,
  agents: { logs: helper('logs'), metrics: helper('metrics') },
  script: {
    conversations: [leads(calls), answers('logs', 'The disk is full.'), answers('metrics', '99 %.')],
  },
  ...more,
});

/** The results of an execution's calls, as its model gets them. */
function resultsOf(messages: Investigation['messages'], executionId: string) {
  return messages
    .filter((message) => message.executionId === executionId)
    .flatMap(({ blocks }) => blocks.flatMap((block) => (block.blockType === 'tool_result' ? [block] : [])));
}

it('two agents that are asked at the same time answer, and their answers are the results of the calls', async () => {
  const { executions, timeline, session } = await investigate(options([ask('logs'), ask('metrics')]));
  expect(session).toMatchObject({ status: 'completed', finalAnalysis: 'It was the disk.' });
  expect(
    executions.map(({ executionId, parentExecutionId, depth, ancestors }) => [
      executionId,
      parentExecutionId,
      depth,
      ancestors,
    ]),
  ).toEqual([
    [EXECUTION, null, 0, []],
    [CHILD, EXECUTION, 1, ['investigator']],
    [`${EXECUTION}~2`, EXECUTION, 1, ['investigator']],
  ]);
  const calls = timeline.filter(({ eventType }) => eventType === 'llm_tool_call');
  expect(calls.map(({ metadata }) => metadata)).toMatchObject([
    { childExecutionId: CHILD },
    { childExecutionId: `${EXECUTION}~2` },
  ]);
  const results = timeline.filter(({ eventType }) => eventType === 'tool_result');
  expect(results.map(({ content, status }) => [content, status])).toEqual([
    ['The disk is full.', 'completed'],
    ['99 %.', 'completed'],
  ]);
  const own = timeline.filter(({ executionId }) => executionId === CHILD);
  expect(own.map(({ eventType, parentExecutionId }) => [eventType, parentExecutionId])).toEqual([
    ['task_assigned', EXECUTION],
    ['final_analysis', EXECUTION],
  ]);
  expect(session.tokens.total).toBe(executions.reduce((sum, { tokens }) => sum + tokens.total, 0));
});

it('the model gets the answer as data, with the promise of the tool; the asked agent sees alert, question and data', async () => {
  const { messages, gemini } = await investigate(
    options([ask('logs', { input_data: { pod: 'web-1' }, user_id: 'root' })]),
  );
  const [result] = resultsOf(messages, EXECUTION);
  expect(JSON.parse(result?.textContent ?? '')).toEqual({
    status: 'success',
    agent_schema: 'logs',
    output: 'The disk is full.',
    is_structured_output: false,
  });
  const requests = gemini.requests.map((request) => JSON.stringify(request));
  const asked = requests.find((text) => text.includes('You are the helper logs.')) ?? '';
  expect(asked).toContain('source=\\"agent investigator\\"');
  expect(asked).toContain('What do the logs say?');
  expect(asked).toContain('web-1');
  expect(asked).not.toContain('root');
  expect(requests.at(-1)).toContain('source=\\"tool ask_agent\\"');
});

it.each([
  [
    'an agent that there is not',
    ask('nobody'),
    'You cannot ask an agent "nobody"',
    'Agents that you can ask: logs, metrics.',
  ],
  [
    'one that is configured no more',
    ask('gone'),
    'You cannot ask an agent "gone"',
    'Agents that you can ask: logs, metrics.',
  ],
  ['no question', ask('logs', { input_text: ' ' }), '"input_text" must be', ''],
  ['a long question', ask('logs', { input_text: 'x'.repeat(32_001) }), '32000 at most', ''],
  ['a short time', ask('logs', { timeout: 5 }), 'from 30 to 3600', ''],
])('a call that asks %s gets an error as its result, and no agent is asked', async (_, call, error, hint) => {
  const agent = {
    ...investigator,
    asks: [...asks, { name: 'gone' }].slice(0, call.args.agent_name === 'gone' ? 3 : 2),
  };
  const { executions, messages, session } = await investigate(options([call], { agent }));
  expect(executions).toHaveLength(1);
  const [result] = resultsOf(messages, EXECUTION);
  expect(result).toMatchObject({ isError: true });
  const said = JSON.parse(result?.textContent ?? '{}');
  expect(said).toMatchObject({ status: 'error', error: expect.stringContaining(error) });
  expect(said.hint ?? '').toContain(hint);
  expect(session.status).toBe('completed');
});

it('one answer has eight agents at work at most, and no agent is asked below itself', async () => {
  const nine = Array.from({ length: 9 }, () => ask('logs'));
  const agents = {
    logs: helper('logs', { tools: ['ask_agent'], asks: [{ name: 'logs' }, { name: 'investigator' }] }),
  };
  const script = {
    conversations: [
      leads(nine),
      {
        name: 'logs',
        when: 'You are the helper logs.',
        turns: [{ toolCalls: [ask('logs'), ask('investigator')] }, { text: 'The disk is full.' }],
      },
    ],
  };
  const all = { ...agents, investigator: helper('investigator') };
  const { executions, messages } = await investigate(options(nine, { agents: all, script }));
  expect(executions).toHaveLength(9);
  expect(resultsOf(messages, EXECUTION).at(-1)?.textContent).toContain('8 agents work for you already');
  for (const { textContent } of resultsOf(messages, CHILD))
    expect(textContent).toContain('asking it would never end');
});

it('the agents of a chain of questions are three below the first at most', async () => {
  const names = ['one', 'two', 'three', 'four'];
  const asksNext = (index: number) => ask(names[index] ?? '');
  const agents = Object.fromEntries(
    names.map((name, index) => {
      const next = names[index + 1];
      return [
        name,
        next === undefined ? helper(name) : helper(name, { tools: ['ask_agent'], asks: [{ name: next }] }),
      ];
    }),
  );
  const conversations = [
    leads([asksNext(0)]),
    ...names.map((name, index) => ({
      name,
      when: `You are the helper ${name}.`,
      turns: [...(index < 3 ? [{ toolCalls: [asksNext(index + 1)] }] : []), { text: `${name} has looked.` }],
    })),
  ];
  const agent = { ...investigator, asks: [{ name: 'one' }] };
  const { executions, messages, session } = await investigate(
    options([], { agent, agents, script: { conversations } }),
  );
  expect(executions.map(({ depth }) => depth)).toEqual([0, 1, 2, 3]);
  const [refused] = resultsOf(messages, `${CHILD}~1~1`);
  expect(refused?.textContent).toContain('you were asked yourself through 3 agents');
  expect(session.status).toBe('completed');
});

it('an investigation asks 32 agents at most', async () => {
  const eight = Array.from({ length: 8 }, () => ask('logs'));
  const lead = {
    ...leads([]),
    turns: [...Array.from({ length: 5 }, () => ({ toolCalls: eight })), { text: 'It was the disk.' }],
  };
  const agent = { ...investigator, limits: { ...sampleAgent().limits, maxIterations: 8 } };
  const script = { conversations: [lead, answers('logs', 'The disk is full.')] };
  const { executions, messages } = await investigate(options([], { agent, script }));
  expect(executions).toHaveLength(33);
  const refused = resultsOf(messages, EXECUTION).slice(32);
  expect(refused).toHaveLength(8);
  for (const { textContent } of refused) expect(textContent).toContain('and 32 are allowed');
});

it('with too little time left no agent is asked', async () => {
  const { executions, messages } = await investigate(options([ask('logs')], { deadlineMs: 80_000 }));
  expect(executions).toHaveLength(1);
  expect(resultsOf(messages, EXECUTION)[0]?.textContent).toContain('too little time is left');
});

it('an agent that was asked and fails is an answer, and the one that asked continues', async () => {
  const { session, executions, messages } = await investigate(
    options([ask('logs')], {
      script: {
        conversations: [
          leads([ask('logs')]),
          {
            name: 'logs',
            when: 'You are the helper logs.',
            turns: [{ failures: [{ blockReason: 'SAFETY' }] }],
          },
        ],
      },
    }),
  );
  expect(executions.map(({ status }) => status)).toEqual(['completed', 'failed']);
  expect(resultsOf(messages, EXECUTION)[0]?.textContent).toContain('MODEL_BLOCKED');
  expect(session.status).toBe('completed');
});

it('an agent that does not answer in time is an answer, and the one that asked continues', async () => {
  const bench = await opened(options([ask('logs')]));
  await bench.deliverNext();
  bench.deps.clock.advance(301_000);
  await bench.tick();
  await bench.drain();
  const { session, executions, messages } = await bench.read(bench.sessionId);
  expect(executions.map(({ status }) => status)).toEqual(['completed', 'timed_out']);
  expect(resultsOf(messages, EXECUTION)[0]?.textContent).toContain('logs did not answer in time');
  expect(session).toMatchObject({ status: 'completed', finalAnalysis: 'It was the disk.' });
});

it('an agent whose first message was never published is asked when the message of the one that asked comes again', async () => {
  const bench = await opened(options([ask('logs')]));
  const message = bench.deps.publisher.published.at(-1);
  if (message === undefined) throw new Error('nothing was published');
  await dieAt(CRASH_POINTS.afterParking, bench.deps, (process) => bench.deliver(message, process));
  await bench.drain();
  const run = await bench.read(bench.sessionId);
  expect(run.session.status).toBe('completed');
  expectNoGaps(run);
});

it('a cancellation ends the agent that asked and the one that was asked', async () => {
  const bench = await opened(options([ask('logs')]));
  await bench.deliverNext();
  expect(await cancelSession(bench.sessionId, bench.deps)).toEqual({ kind: 'cancelled' });
  const { session, executions, timeline } = await bench.read(bench.sessionId);
  expect([session.status, ...executions.map(({ status }) => status)]).toEqual([
    'cancelled',
    'cancelled',
    'cancelled',
  ]);
  await bench.drain();
  expect((await bench.read(bench.sessionId)).timeline).toEqual(timeline);
});
