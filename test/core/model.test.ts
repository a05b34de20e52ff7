import { describe, expect, it } from 'vitest';
import { expectNoGaps, listErrorCodes, listEventTypes } from '../support/expectations.ts';
import { type BenchOptions, investigate } from '../support/harness.ts';

interface Requests {
  gemini: { requests: { body: unknown }[] };
}
interface SentBody {
  contents: { role: string; parts: Record<string, unknown>[] }[];
}
type Turn = BenchOptions['script']['conversations'][number]['turns'][number];
const turns = (...list: Turn[]) => ({ conversations: [{ turns: list }] });
const echo = { toolCalls: [{ name: 'fixture.echo' }] };

/** Text the model is sent with its nth request, all contents together. */
const sent = (run: Requests, index: number): string => JSON.stringify(run.gemini.requests[index]?.body);

describe('a model that fails', () => {
  it('is asked again three times; then the failure is an event and a message to the model, and the next iteration succeeds', async () => {
    const failures = Array.from({ length: 3 }, () => ({ cut: true as const, afterChunks: 1 }));
    const run = await investigate({ script: turns({ thinking: 'Hm.', text: 'Out of memory.', failures }) });
    expect(listEventTypes(run)).toEqual(['error failed', 'llm_thinking', 'final_analysis']);
    expect(run.timeline[0]?.metadata).toEqual({
      code: 'MODEL_STREAM_CUT',
      retryable: true,
      recoverable: true,
      iteration: 1,
    });
    expect(run.gemini.requests).toHaveLength(4);
    expect(sent(run, 3)).toContain('Error from previous attempt: ');
    expect(sent(run, 3)).toContain('Please try again.');
    expect(run.interactions).toMatchObject([
      { iteration: 1, attempts: 3, failure: { code: 'MODEL_STREAM_CUT' } },
      { iteration: 2, attempts: 1, failure: null },
    ]);
    expect(run.interactions[0]?.attemptErrors).toHaveLength(3);
    expect(run.session).toMatchObject({ status: 'completed', failure: null });
    expectNoGaps(run);
  });

  it.each<[string, BenchOptions['script'], string]>([
    [
      'with 400',
      turns({ failures: [{ status: 400, message: 'Invalid JSON payload.' }] }),
      'MODEL_BAD_REQUEST',
    ],
    ['with a blocked prompt', turns({ failures: [{ blockReason: 'PROHIBITED_CONTENT' }] }), 'MODEL_BLOCKED'],
    ['with a refused answer', turns({ text: 'No.', finishReason: 'SAFETY' }), 'MODEL_BLOCKED'],
    ['because nobody knows it', { ...turns({ text: 'Hi.' }), models: ['gemini-1'] }, 'MODEL_UNKNOWN'],
    [
      'because a daily quota is used up',
      turns({ failures: [{ status: 429, quotaId: 'RequestsPerDay' }] }),
      'MODEL_QUOTA',
    ],
  ])('%s ends the investigation at once', async (_, script, code) => {
    const run = await investigate({ script });
    expect(listEventTypes(run)).toEqual(['error failed']);
    expect(run.timeline[0]?.metadata).toEqual({ code, retryable: false, recoverable: false, iteration: 1 });
    expect(run.gemini.requests).toHaveLength(1);
    expect(run.interactions).toMatchObject([{ failure: { code } }]);
    expect(run.session).toMatchObject({ status: 'failed', failure: { code }, finalAnalysis: null });
    expect(run.stages).toMatchObject([{ status: 'failed' }]);
    expectNoGaps(run);
  });

  it.each([
    ['no credentials are set', {}],
    [
      "Google's own endpoint is named without a key",
      { GOOGLE_GEMINI_BASE_URL: 'https://generativelanguage.googleapis.com' },
    ],
  ])('is not even asked when %s', async (_, geminiEnv) => {
    const run = await investigate({ script: turns({ text: 'Hi.' }), geminiEnv });
    expect(listEventTypes(run)).toEqual(['error failed']);
    expect(run.session.failure).toMatchObject({
      code: 'MODEL_CREDENTIALS',
      message: expect.stringContaining('GEMINI_API_KEY'),
    });
    expect(run.gemini.requests).toEqual([]);
  });

  it('with a wrong key ends the investigation, without the key in any document', async () => {
    const key = 'invalid-secret-key-0123456789';
    const { gemini } = await investigate({ script: turns({ text: 'Hi.' }) });
    const run = await investigate({
      script: turns({ text: 'Hi.' }),
      geminiEnv: { GOOGLE_GEMINI_BASE_URL: gemini.url, GEMINI_API_KEY: key },
    });
    expect(listErrorCodes(run)).toEqual(['MODEL_CREDENTIALS']);
    expect(JSON.stringify([run.session, run.timeline, run.interactions])).not.toContain(key);
  });

  it('by calling a tool that it was not offered runs nothing, and gets a message', async () => {
    const run = await investigate({
      agent: { tools: ['fixture'], limits: { maxIterations: 1, afterFailure: 'conclude' } },
      script: {
        conversations: [
          { turns: [{ ...echo, finishReason: 'UNEXPECTED_TOOL_CALL' }], conclusion: { text: 'I guess.' } },
        ],
      },
    });
    expect(listEventTypes(run)).toEqual(['error failed', 'final_analysis']);
    expect(listErrorCodes(run)).toEqual(['MODEL_MALFORMED_CALL']);
    expect(sent(run, 1)).toContain('Nothing was executed');
    expectNoGaps(run);
  });
});

describe('the last iteration', () => {
  const script = {
    conversations: [
      {
        turns: [echo, echo, echo],
        conclusion: { thinking: 'No more tools.', text: 'Probably memory.' },
      },
    ],
  };

  it('is followed by a conclusion without tools, marked as forced', async () => {
    const run = await investigate({ agent: { tools: ['fixture'], limits: { maxIterations: 2 } }, script });
    expect(listEventTypes(run)).toEqual([
      'llm_tool_call',
      'tool_result',
      'llm_tool_call',
      'tool_result',
      'llm_thinking',
      'final_analysis',
    ]);
    expect(run.timeline.at(-1)).toMatchObject({
      content: 'Probably memory.',
      metadata: { citations: [], forcedConclusion: true, iterationsUsed: 2, maxIterations: 2 },
    });
    expect(run.interactions.map(({ iteration, interactionType }) => [iteration, interactionType])).toEqual([
      [1, 'iteration'],
      [2, 'iteration'],
      [3, 'forced_conclusion'],
    ]);
    const last = run.gemini.requests[2]?.body;
    expect(last).not.toHaveProperty('tools');
    expect(sent(run, 2)).toContain('You have used all 2 iterations');
    // The demand stays in the conversation, before the answer to it.
    expect(run.messages.slice(-2).map(({ role }) => role)).toEqual(['user', 'assistant']);
    expect(run.session.status).toBe('completed');
    expectNoGaps(run);
  });

  const call = (tool: string) => ({ name: `fixture.${tool}` });
  const failing = (...toolCalls: { name: string }[]) => ({
    conversations: [{ turns: [{ toolCalls }], conclusion: { text: 'The disk is full, I think.' } }],
  });
  const limits = { maxIterations: 1 };

  it('is concluded when a tool answered with an error: that is an observation, no failure', async () => {
    const run = await investigate({ agent: { tools: ['fixture'], limits }, script: failing(call('fail')) });
    expect(listEventTypes(run)).toEqual(['llm_tool_call', 'tool_result failed', 'final_analysis']);
    expect(run.session).toMatchObject({ status: 'completed', finalAnalysis: 'The disk is full, I think.' });
  });

  it.each([
    ['its server was lost', 'die', {}, /fixture\.die: The call to server "fixture" failed/],
    [
      'it ran out of time',
      'slow',
      { toolTimeoutMs: 200 },
      /fixture\.slow: The tool did not answer within 200 ms/,
    ],
  ])('fails the investigation when no call could be run: %s', async (_, tool, times, reason) => {
    const run = await investigate({
      agent: { tools: ['fixture'], limits: { ...limits, ...times } },
      script: failing(call(tool)),
    });
    expect(listEventTypes(run).at(-1)).toBe('error failed');
    expect(run.gemini.requests).toHaveLength(1);
    expect(run.execution).toMatchObject({ status: 'failed', iteration: 1, lastInteractionFailed: true });
    expect(run.session.failure).toEqual({
      code: 'MAX_ITERATIONS',
      message: expect.stringMatching(reason),
    });
  });

  it('is concluded when there is no such tool: that is feedback, no failure', async () => {
    const run = await investigate({ agent: { tools: ['fixture'], limits }, script: failing(call('nosuch')) });
    expect(run.session).toMatchObject({ status: 'completed', finalAnalysis: 'The disk is full, I think.' });
  });

  it('is concluded when one call of its answer could be run', async () => {
    const run = await investigate({
      agent: { tools: ['fixture'], limits },
      script: failing(call('nosuch'), call('fail')),
    });
    expect(run.session).toMatchObject({ status: 'completed', failure: null });
  });

  it('is concluded after a failure too when afterFailure asks for it', async () => {
    const run = await investigate({
      agent: { tools: ['fixture'], limits: { ...limits, afterFailure: 'conclude' } },
      script: failing(call('nosuch')),
    });
    expect(listEventTypes(run).at(-1)).toBe('final_analysis');
    expect(run.session).toMatchObject({ status: 'completed', finalAnalysis: 'The disk is full, I think.' });
  });

  it('fails the investigation when the conclusion fails', async () => {
    const run = await investigate({
      agent: { tools: ['fixture'], limits },
      script: {
        conversations: [{ turns: [echo], conclusion: { failures: [{ status: 400 }] } }],
      },
    });
    expect(listEventTypes(run)).toEqual(['llm_tool_call', 'tool_result', 'error failed']);
    expect(run.session.failure?.code).toBe('MODEL_BAD_REQUEST');
    expect(run.interactions.at(-1)).toMatchObject({
      iteration: 2,
      interactionType: 'forced_conclusion',
      failure: { code: 'MODEL_BAD_REQUEST' },
    });
    expectNoGaps(run);
  });

  it('fails the investigation when the model calls tools instead of concluding', async () => {
    const run = await investigate({
      agent: { tools: ['fixture'], limits },
      script: { conversations: [{ turns: [echo], conclusion: echo }] },
    });
    expect(listEventTypes(run)).toEqual(['llm_tool_call', 'tool_result', 'error failed']);
    expect(run.session.failure?.code).toBe('MODEL_EMPTY_ANSWER');
    expectNoGaps(run);
  });
});

describe("the model's own parts", () => {
  /** The parts of the first model content of the nth request. */
  const replayed = (run: Requests, index: number) =>
    (run.gemini.requests[index]?.body as SentBody | undefined)?.contents.find(({ role }) => role === 'model')
      ?.parts;

  it('go back as they came, in place, with their signatures', async () => {
    const run = await investigate({
      agent: { tools: ['fixture'] },
      script: turns(
        {
          thinking: 'Hm.',
          text: 'I look.',
          toolCalls: [{ name: 'fixture.echo' }, { name: 'fixture.echo', args: { n: 2 } }],
        },
        echo,
        { text: 'Done.' },
      ),
    });
    const stored = run.messages.find(({ role }) => role === 'assistant')?.providerParts;
    expect(stored).toMatchObject({ provider: 'google', model: 'gemini-3.8-flash', partDocuments: 0 });
    const parts = JSON.parse(stored?.parts ?? '') as Record<string, unknown>[];
    const signed = parts.filter((part) => typeof part.thoughtSignature === 'string');
    expect(signed).toHaveLength(1);
    for (const request of [1, 2]) expect(replayed(run, request)).toEqual(parts);
    expect(run.gemini.requests.map(({ outcome }) => outcome.kind)).toEqual([
      'answered',
      'answered',
      'answered',
    ]);
  });

  it('are not sent again once their signature was refused, but later ones are', async () => {
    const call = { functionCall: { name: 'fixture__echo', args: {} }, thoughtSignature: 'Zm9yZWlnbg==' };
    const content = { role: 'model', parts: [call] };
    const run = await investigate({
      agent: { tools: ['fixture'] },
      script: turns({ chunks: [{ candidates: [{ content, finishReason: 'STOP', index: 0 }] }] }, echo, echo, {
        text: 'Done.',
      }),
    });
    expect(run.session.status).toBe('completed');
    expect(run.gemini.requests.map(({ outcome }) => outcome.kind)).toEqual([
      'answered',
      'refused',
      'answered',
      'answered',
      'answered',
    ]);
    const repairs = run.interactions.map(({ repairedSignatures, attempts }) => [
      repairedSignatures,
      attempts,
    ]);
    expect(repairs).toEqual([
      [false, 1],
      [true, 2],
      [false, 1],
      [false, 1],
    ]);
    expect(run.execution).toMatchObject({ signaturesRefusedUpTo: 4 });
    const second = JSON.parse(run.messages[4]?.providerParts?.parts ?? '') as unknown[];
    const last = run.gemini.requests.at(-1)?.body as SentBody | undefined;
    expect(last?.contents.map(({ parts }) => parts)).toContainEqual(second);
  });

  it('go back whole when they are too large for their message', async () => {
    const note = 'é'.repeat(300_000);
    const run = await investigate({
      agent: { tools: ['fixture'], limits: { toolResultBytes: 1_000 } },
      script: turns(
        { thinking: note, signatureBytes: 200_000, toolCalls: [{ name: 'fixture.echo', args: { n: 1 } }] },
        { text: 'Done.' },
      ),
    });
    const assistant = run.messages.find(({ role }) => role === 'assistant');
    expect(assistant?.providerParts).toMatchObject({ parts: null, partDocuments: 2 });
    const pieces = run.parts.slice(0, 2).map(({ text }) => text);
    const parts = JSON.parse(pieces.join('')) as Record<string, unknown>[];
    expect(replayed(run, 1)).toEqual(parts);
    const signature = parts.find((part) => 'functionCall' in part)?.thoughtSignature;
    expect(Buffer.from(String(signature), 'base64')).toHaveLength(200_000);
    expect(run.session.status).toBe('completed');
    expect(run.interactions[1]).toMatchObject({ attempts: 1 });
  });
});
