import { describe, expect, it } from 'vitest';
import { expectNoGaps, listErrorCodes, listEventTypes } from '../support/expectations.ts';
import { agentOf, type BenchOptions, investigate, startBench } from '../support/harness.ts';

type Turn = BenchOptions['script']['conversations'][number]['turns'][number];
const turns = (...list: Turn[]) => ({ conversations: [{ turns: list }] });
const sent = (run: { gemini: { requests: { body: unknown }[] } }, index: number): string =>
  JSON.stringify(run.gemini.requests[index]?.body);
const DONE = { text: 'Out of memory.' };

describe('an answer that is no answer costs one iteration, and the model gets an error:', () => {
  it.each<[string, Turn, string, string]>([
    [
      'a malformed call',
      {
        finishReason: 'MALFORMED_FUNCTION_CALL',
        finishMessage: 'Malformed function call: print(fixture.echo(',
      },
      'MODEL_MALFORMED_CALL',
      'print(fixture.echo(',
    ],
    [
      'a call of a tool it was not offered',
      { toolCalls: [{ name: 'fixture.echo' }], finishReason: 'UNEXPECTED_TOOL_CALL' },
      'MODEL_MALFORMED_CALL',
      'Nothing was executed',
    ],
  ])('%s', async (_, turn, code, told) => {
    // The conclusion answers because the script calls a tool somewhere.
    const later = { toolCalls: [{ name: 'fixture.echo' }] };
    const run = await investigate({
      agent: { tools: ['fixture'], limits: { maxIterations: 1, afterFailure: 'conclude' } },
      script: { conversations: [{ turns: [turn, later], conclusion: DONE }] },
    });
    expect(listEventTypes(run)).toEqual(['error failed', 'final_analysis']);
    expect(listErrorCodes(run)).toEqual([code]);
    expect(run.interactions[0]).toMatchObject({
      attempts: 1,
      failure: { code },
      finishReason: turn.finishReason,
    });
    expect(sent(run, 1)).toContain('Error from previous attempt: ');
    expect(sent(run, 1)).toContain(told);
    expectNoGaps(run);
  });
});

describe('a forced conclusion', () => {
  it('that calls a tool all the same is asked again, for text', async () => {
    const echo = { toolCalls: [{ name: 'fixture.echo' }] };
    const run = await investigate({
      agent: { tools: ['fixture'], limits: { maxIterations: 1 } },
      script: {
        conversations: [{ turns: [echo], conclusion: { ...echo, finishReason: 'UNEXPECTED_TOOL_CALL' } }],
      },
    });
    expect(run.session).toMatchObject({ status: 'failed', failure: { code: 'MODEL_MALFORMED_CALL' } });
    expect(run.interactions.at(-1)).toMatchObject({ interactionType: 'forced_conclusion', attempts: 3 });
    expect(sent(run, 2)).toContain('No tools can be called any more. Please give your answer as text.');
  });

  it.each(['STOP', 'UNEXPECTED_TOOL_CALL', 'MALFORMED_FUNCTION_CALL'])(
    'keeps its text when calls come with it (%s)',
    async (finishReason) => {
      const echo = { toolCalls: [{ name: 'fixture.echo' }] };
      const run = await investigate({
        agent: { tools: ['fixture'], limits: { maxIterations: 1 } },
        script: {
          conversations: [{ turns: [echo], conclusion: { ...echo, text: 'Memory.', finishReason } }],
        },
      });
      expect(listEventTypes(run)).toEqual(['llm_tool_call', 'tool_result', 'final_analysis']);
      expect(run.session).toMatchObject({ status: 'completed', finalAnalysis: 'Memory.' });
      expect(run.interactions.at(-1)).toMatchObject({ attempts: 1, failure: null });
      expectNoGaps(run);
    },
  );
});

describe('two empty answers in a row', () => {
  /** Nothing at all in so many iterations, three attempts each. */
  const silent = (iterations: number) => ({
    failures: Array.from({ length: 3 * iterations }, () => ({ empty: true as const })),
  });
  const echo = { toolCalls: [{ name: 'fixture.echo' }] };
  const agent = (strategy: string) => ({ strategy, tools: ['fixture.echo'] });

  it.each([
    ['native-thinking', [{ ...echo, ...silent(2) }]],
    ['react', [{ text: 'Final Answer: Probably memory.', ...silent(2) }]],
  ])('lead to the forced conclusion, not to a failure: %s', async (strategy, turns) => {
    const run = await investigate({
      agent: agent(strategy),
      script: { conversations: [{ turns, conclusion: { text: 'Probably memory.' } }] },
    });
    expect(listEventTypes(run)).toEqual(['error failed', 'error failed', 'final_analysis']);
    expect(listErrorCodes(run)).toEqual(['MODEL_EMPTY_ANSWER', 'MODEL_EMPTY_ANSWER']);
    expect(run.timeline.at(-1)).toMatchObject({
      content: 'Probably memory.',
      metadata: { forcedConclusion: true, iterationsUsed: 2, maxIterations: 5 },
    });
    expect(run.interactions.map(({ interactionType }) => interactionType)).toEqual([
      'iteration',
      'iteration',
      'forced_conclusion',
    ]);
    const last = run.gemini.requests.at(-1)?.body;
    expect(last).not.toHaveProperty('tools');
    expect(JSON.stringify(last)).toContain('Your last two answers were empty');
    expect(run.session.status).toBe('completed');
    expect(run.execution.caveats).toEqual(['MODEL_EMPTY_ANSWER']);
    expectNoGaps(run);
  });

  it('conclude also in the last two iterations, whatever the setting afterFailure', async () => {
    const run = await investigate({
      agent: { ...agent('native-thinking'), limits: { maxIterations: 2, afterFailure: 'fail' } },
      script: {
        conversations: [{ turns: [{ ...echo, ...silent(2) }], conclusion: { text: 'Memory.' } }],
      },
    });
    expect(run.session).toMatchObject({ status: 'completed', finalAnalysis: 'Memory.' });
  });

  it('are not two when an iteration with an answer stands between them', async () => {
    const run = await investigate({
      agent: agent('native-thinking'),
      script: {
        conversations: [
          {
            turns: [
              { ...echo, ...silent(1) },
              { ...DONE, ...silent(1) },
            ],
            conclusion: { text: 'unused' },
          },
        ],
      },
    });
    expect(listEventTypes(run)).toEqual([
      'error failed',
      'llm_tool_call',
      'tool_result',
      'error failed',
      'final_analysis',
    ]);
    expect(run.session.finalAnalysis).toBe(DONE.text);
  });
});

describe('a service that is down', () => {
  it('is waited for: the same iteration starts again after a pause', async () => {
    const down = { failures: [{ status: 503 }, { status: 503 }, { status: 503 }], ...DONE };
    const bench = await startBench({ script: turns(down) });
    const sessionId = await bench.publishAlert();
    await bench.deliverNext();
    await expect(bench.deliverNext()).rejects.toMatchObject({ code: 'EXECUTION_WAITING' });
    const { execution } = await bench.read(sessionId);
    expect(execution).toMatchObject({ iteration: 1, notBefore: expect.any(Date) });
    const requests = bench.gemini.requests.length;
    const next = bench.deps.publisher.published.at(-1);
    if (next === undefined) throw new Error('nothing was published');
    await expect(bench.deliver(next)).rejects.toMatchObject({ code: 'EXECUTION_WAITING' });
    expect(bench.gemini.requests).toHaveLength(requests);
    bench.deps.clock.advance(10_000);
    await bench.deliver(next);
    expect((await bench.read(sessionId)).session.status).toBe('completed');
  });
});

describe('the output limit', () => {
  it('that cut a text leaves it usable, and marked', async () => {
    const run = await investigate({ script: turns({ text: 'Out of mem', finishReason: 'MAX_TOKENS' }) });
    expect(run.timeline).toMatchObject([{ content: 'Out of mem', metadata: { truncated: true } }]);
    expect(run.interactions).toMatchObject([{ finishReason: 'MAX_TOKENS', failure: null }]);
    expect(run.session.status).toBe('completed');
  });

  it('spent on thinking is asked again with less of it, then a failure of the iteration', async () => {
    const run = await investigate({
      agent: { limits: { maxIterations: 1 } },
      script: turns({ thinking: 'Hm.', finishReason: 'MAX_TOKENS' }),
    });
    expect(listErrorCodes(run)).toEqual(['MODEL_TRUNCATED', 'MAX_ITERATIONS']);
    expect(run.interactions).toMatchObject([{ attempts: 2, failure: { code: 'MODEL_TRUNCATED' } }]);
    expect([0, 1].map((index) => /"thinkingLevel":"(\w+)"/.exec(sent(run, index))?.[1])).toEqual([
      undefined,
      'MINIMAL',
    ]);
  });
});

describe('an answer that a policy stopped', () => {
  it.each(['SAFETY', 'RECITATION', 'PROHIBITED_CONTENT', 'SPII', 'MODEL_ARMOR'])(
    '(%s) ends the execution, with the reason in the event and none of its text',
    async (finishReason) => {
      const run = await investigate({ script: turns({ text: 'Once upon a time', finishReason }) });
      expect(listEventTypes(run)).toEqual(['error failed']);
      expect(run.timeline[0]?.content).toContain(finishReason);
      expect(JSON.stringify([run.timeline, run.messages])).not.toContain('Once upon');
      expect(run.session.failure?.code).toBe('MODEL_BLOCKED');
    },
  );

  it('for an unknown reason is used, and marked', async () => {
    const run = await investigate({ script: turns({ ...DONE, finishReason: 'NEVER_SEEN' }) });
    expect(run.timeline).toMatchObject([{ content: DONE.text, metadata: { truncated: true } }]);
  });
});

describe('within one iteration', () => {
  it.each<[string, NonNullable<Turn['failures']>[number], string]>([
    ['no byte at all', { empty: true }, 'MODEL_EMPTY_ANSWER'],
    ['a cut connection', { cut: true, afterChunks: 1 }, 'MODEL_STREAM_CUT'],
    [
      'a bare error in the stream',
      {
        midStreamError: {
          code: 499,
          status: 'CANCELLED',
          message: 'The operation was cancelled.',
          bare: true,
        },
        afterChunks: 1,
      },
      'MODEL_STREAM_CUT',
    ],
    ['500', { status: 500 }, 'MODEL_UNAVAILABLE'],
    ['429 with a wait there is time for', { status: 429, retryDelay: '0.3s' }, 'MODEL_QUOTA'],
  ])('%s is asked again', async (_, failure, code) => {
    const run = await investigate({ script: turns({ text: 'Out of memory, again.', failures: [failure] }) });
    expect(listEventTypes(run)).toEqual(['final_analysis']);
    expect(run.interactions).toMatchObject([
      { iteration: 1, attempts: 2, attemptErrors: [expect.stringContaining(code)], failure: null },
    ]);
    expect(run.session.finalAnalysis).toBe('Out of memory, again.');
  });

  it('an empty answer is asked again with a changed request', async () => {
    const run = await investigate({ script: turns({ ...DONE, failures: [{ empty: true }] }) });
    expect(sent(run, 0)).not.toContain('Your last answer was empty');
    expect(sent(run, 1)).toContain('Your last answer was empty');
    expect(JSON.stringify(run.messages)).not.toContain('Your last answer was empty');
  });

  it('a wait that would pass its time limit is not started', async () => {
    const run = await investigate({
      agent: { limits: { maxIterations: 1, iterationTimeoutMs: 5_000 } },
      script: turns({ ...DONE, failures: [{ status: 429, retryDelay: '60s' }] }),
    });
    expect(run.interactions).toMatchObject([{ attempts: 1, failure: { code: 'MODEL_QUOTA' } }]);
  });
});

describe('a signature the model refuses', () => {
  it('is replaced once, in the same iteration, and the investigation continues', async () => {
    const call = {
      functionCall: { name: 'fixture__echo', args: {} },
      thoughtSignature: Buffer.alloc(64, 7).toString('base64'),
    };
    const candidates = [{ content: { role: 'model', parts: [call] }, finishReason: 'STOP', index: 0 }];
    const run = await investigate({
      agent: { tools: ['fixture'] },
      script: turns({ chunks: [{ candidates }] }, DONE),
    });
    expect(listEventTypes(run)).toEqual(['llm_tool_call', 'tool_result', 'final_analysis']);
    expect(run.interactions[1]).toMatchObject({
      attempts: 2,
      attemptErrors: [expect.stringContaining('thought signature')],
      failure: null,
    });
    expect(sent(run, 2)).toContain(Buffer.from('skip_thought_signature_validator').toString('base64'));
  });
});

describe('a single call', () => {
  const agents = (overrides = {}) => [
    { name: 'triage', agents: [agentOf({ name: 'triage', strategy: 'single-call', ...overrides })] },
  ];

  it('is one answer without tools, recorded as such', async () => {
    const run = await investigate({ stages: agents(), script: turns({ thinking: 'Hm.', ...DONE }) });
    expect(listEventTypes(run)).toEqual(['llm_thinking', 'final_analysis']);
    expect(run.gemini.requests[0]?.body).not.toHaveProperty('tools');
    expect(run.interactions).toMatchObject([{ interactionType: 'single_call', toolCallCount: 0 }]);
    expect(run.session).toMatchObject({ status: 'completed', finalAnalysis: DONE.text });
  });

  it('that fails ends the execution', async () => {
    const failures = Array.from({ length: 3 }, () => ({ cut: true as const, afterChunks: 1 }));
    const run = await investigate({
      stages: agents(),
      script: turns({ thinking: 'Hm.', text: 'No.', failures }),
    });
    expect(listEventTypes(run)).toEqual(['error failed']);
    expect(run.interactions).toMatchObject([{ interactionType: 'single_call', attempts: 3 }]);
    expect(run.session.status).toBe('failed');
  });
});
