// Fallback models: the real Gemini SDK and LangChain's ChatOpenAI with scripted servers.

import { describe, expect, it, onTestFinished } from 'vitest';
import {
  answered,
  event,
  type Reply,
  startOpenAiServer,
  streamed,
} from '../../../shared/llm/langchain/openAiServer.fixture.ts';
import { expectNoGaps, listEventTypes } from '../../support/expectations.ts';
import { IS_FULL } from '../../support/fullTests.ts';
import { type BenchOptions, investigate } from '../../support/harness.ts';

/** In US dollars for a million tokens. */
const price = (input: number) => [{ from: '2026-01-01', input, cached: 0, output: 0 }];
const google = (model: string) => ({
  provider: 'google',
  model,
  includeThoughts: true,
  prices: price(100_000),
});
const FLASH = google('gemini-3.8-flash');
const GPT = { provider: 'openai', model: 'gpt-4o', includeThoughts: true, prices: price(50_000) };

type Script = BenchOptions['script']['conversations'][number];
type Turn = Script['turns'][number];
const echo = (args = {}): Turn => ({ thinking: 'I look.', toolCalls: [{ name: 'fixture.echo', args }] });
const OUT_OF_QUOTA: Turn = { failures: [{ status: 429, quotaId: 'RequestsPerDay' }] };
const DOWN: Turn = { failures: [{ status: 503 }, { status: 503 }, { status: 503 }] };
const REFUSED: Turn = { text: 'No.', finishReason: 'SAFETY' };

/** An OpenAI of these replies, for as long as the test runs. */
async function openAi(replies: Reply[]) {
  const server = await startOpenAiServer(replies);
  onTestFinished(() => server.close());
  return server;
}

/** An investigation by an agent with a tool, in memory. */
function run(
  options: Omit<BenchOptions, 'script'> & { conversations: BenchOptions['script']['conversations'] },
) {
  const { conversations, agent, ...rest } = options;
  return investigate({
    inMemory: true,
    script: { conversations },
    agent: { tools: ['fixture'], model: FLASH, ...agent },
    ...rest,
  });
}

interface Sent {
  contents: { role: string; parts: Record<string, unknown>[] }[];
}
const signaturesIn = (body: unknown) =>
  (body as Sent).contents
    .filter(({ role }) => role === 'model')
    .flatMap(({ parts }) => parts.flatMap(({ thoughtSignature }) => thoughtSignature ?? []));

describe('a model of another provider', () => {
  it.runIf(IS_FULL)(
    'concludes after its last iteration where that called a tool that does not exist',
    async () => {
      const call = {
        index: 0,
        id: 'call_a',
        type: 'function',
        function: { name: 'nosuch', arguments: '{}' },
      };
      const server = await openAi([
        streamed(
          event({ role: 'assistant', content: null }),
          event({ tool_calls: [call] }),
          event({}, 'tool_calls'),
        ),
        answered('Out of memory.'),
      ]);
      const found = await run({
        conversations: [{ turns: [] }],
        openAiUrl: server.baseUrl,
        agent: { model: GPT, limits: { maxIterations: 1 } },
      });
      expect(listEventTypes(found)).toEqual(['llm_tool_call', 'tool_result failed', 'final_analysis']);
      expect(server.asked).toHaveLength(2);
      expect(JSON.stringify(server.asked[1]?.body)).toMatch(/There is no tool .*nosuch.* fixture\.echo/);
      expect(found.session).toMatchObject({ status: 'completed', finalAnalysis: 'Out of memory.' });
    },
  );

  it.runIf(IS_FULL)(
    'continues where the first one ran out of quota, with its calls and results, and without its signatures',
    async () => {
      const call = { index: 0, id: 'call_b', type: 'function' };
      const server = await openAi([
        streamed(
          event({ role: 'assistant', content: null }),
          event({
            tool_calls: [{ ...call, function: { name: 'fixture__echo', arguments: '{"text":"b"}' } }],
          }),
          event({}, 'tool_calls'),
        ),
        answered('Out of memory.'),
      ]);
      const { gemini, ...found } = await run({
        conversations: [{ turns: [echo({ text: 'a' }), OUT_OF_QUOTA] }],
        openAiUrl: server.baseUrl,
        agent: { fallback: [GPT] },
      });

      expect(listEventTypes(found)).toEqual([
        'llm_thinking',
        'llm_tool_call',
        'tool_result',
        'notice',
        'llm_tool_call',
        'tool_result',
        'final_analysis',
      ]);
      const notice = found.timeline.find(({ eventType }) => eventType === 'notice');
      expect(notice).toMatchObject({
        iteration: 2,
        metadata: {
          code: 'model_fallback',
          from: 'google/gemini-3.8-flash',
          subject: 'openai/gpt-4o',
          reason: 'MODEL_QUOTA',
        },
      });
      expect(notice?.content).toMatch(/^google\/gemini-3.8-flash cannot go on \(MODEL_QUOTA\): .*PerDay/);
      expect(found.interactions).toMatchObject([
        { iteration: 1, model: 'gemini-3.8-flash', failure: null },
        { iteration: 2, model: 'gemini-3.8-flash', failure: { code: 'MODEL_QUOTA' }, costUsd: 0 },
        { iteration: 3, model: 'gpt-4o', failure: null },
        { iteration: 4, model: 'gpt-4o', failure: null },
      ]);
      expect(found.session.status).toBe('completed');
      expect(found.execution.modelIndex).toBe(1);
      expectNoGaps(found);

      const [first, second] = server.asked.map(({ body }) => body);
      const [geminiCall] = found.messages.flatMap(({ blocks }) =>
        blocks.flatMap((block) => (block.blockType === 'tool_use' ? [block] : [])),
      );
      expect(geminiCall?.providerData).toContain('thought_signature');
      expect(first?.tools).toMatchObject(
        expect.arrayContaining([expect.objectContaining({ type: 'function' })]),
      );
      expect(first?.messages).toMatchObject([
        { role: 'system' },
        { role: 'user' },
        {
          role: 'assistant',
          tool_calls: [{ function: { name: 'fixture__echo', arguments: '{"text":"a"}' } }],
        },
        { role: 'tool', content: expect.stringContaining('a') },
      ]);
      expect(second?.messages).toMatchObject([
        ...((first?.messages ?? []) as object[]),
        { role: 'assistant', tool_calls: [{ id: 'call_b' }] },
        { role: 'tool', tool_call_id: 'call_b' },
      ]);
      const [signature] = gemini.requests.slice(1).flatMap(({ body }) => signaturesIn(body));
      expect(signature).toEqual(expect.any(String));
      expect(JSON.stringify(server.asked)).not.toContain(signature);
      // The model that failed is not asked again.
      expect(gemini.requests).toHaveLength(2);
    },
  );

  it.runIf(IS_FULL)('can be followed by a Gemini, which takes its calls without any signature', async () => {
    const call = { index: 0, id: 'call_a', type: 'function' };
    const server = await openAi([
      streamed(
        event({ role: 'assistant', content: null }),
        event({ tool_calls: [{ ...call, function: { name: 'fixture__echo', arguments: '{}' } }] }),
        event({}, 'tool_calls'),
      ),
      answered('No.', 'content_filter'),
    ]);
    const found = await run({
      conversations: [{ turns: [echo(), { text: 'Out of memory.' }] }],
      openAiUrl: server.baseUrl,
      agent: { model: GPT, fallback: [FLASH] },
    });
    expect(listEventTypes(found)).toEqual(['llm_tool_call', 'tool_result', 'notice', 'final_analysis']);
    expect(found.interactions.at(-1)).toMatchObject({ attempts: 1, model: FLASH.model });
  });

  it.runIf(IS_FULL)('is paid at its own price', async () => {
    const server = await openAi([
      streamed(event({ role: 'assistant', content: 'Memory.' }, 'stop'), usage(40)),
    ]);
    const { interactions, execution } = await run({
      conversations: [{ turns: [{ ...REFUSED, usage: { prompt: 30, candidates: 0 } }] }],
      openAiUrl: server.baseUrl,
      agent: { fallback: [GPT] },
    });
    expect(interactions.map(({ model, costUsd }) => [model, costUsd])).toEqual([
      ['gemini-3.8-flash', 3],
      ['gpt-4o', 2],
    ]);
    expect(execution.cost).toEqual({ usd: 5, unpricedCalls: 0 });
  });
});

function usage(prompt: number): string {
  const counts = { prompt_tokens: prompt, completion_tokens: 0, total_tokens: prompt };
  return `data: ${JSON.stringify({ id: 'c1', object: 'chat.completion.chunk', model: 'gpt-4o', choices: [], usage: counts })}\n\n`;
}

describe('another Gemini', () => {
  const when = (model: string) => ({ when: { model } });

  it.each([
    ['of the same family is sent the signatures of the first', 'gemini-3.8-pro', [], true],
    ['of another family is sent none of them', 'gemini-3.1-pro', [], false],
    // The answer is rebuilt from its blocks then, which hold their signatures without their model.
    [
      'of another family is sent none, also of an answer with a secret',
      'gemini-3.1-pro',
      ['hunter2hunter2'],
      false,
    ],
  ])('%s', async (_, model, knownSecrets, areSent) => {
    const { gemini, ...found } = await run({
      conversations: [
        {
          ...when('gemini-3.8-flash'),
          turns: [{ ...echo(), thinking: `I look${knownSecrets.map((secret) => ` for ${secret}`)}.` }, DOWN],
        },
        { ...when(model), turns: [echo(), { text: 'Out of memory.' }] },
      ],
      knownSecrets,
      agent: { fallback: [google(model)] },
    });
    expect(found.session).toMatchObject({ status: 'completed', finalAnalysis: 'Out of memory.' });
    expect(found.interactions.map((one) => one.model)).toEqual([FLASH.model, FLASH.model, model]);
    expect(found.interactions.at(-1)).toMatchObject({ attempts: 1, repairedSignatures: false });
    const [signature] = JSON.stringify(found.messages).match(/(?<=signature\W+)[A-Za-z0-9+/=]{40,}/g) ?? [];
    expect(signature).toEqual(expect.any(String));
    const sent = signaturesIn(gemini.requests.at(-1)?.body);
    expect(sent.includes(signature ?? '')).toBe(areSent);
    expectNoGaps(found);
  });
});

describe('signatures of an answer', () => {
  const call = (name: string, args: string) => ({
    role: 'assistant',
    tool_calls: [{ index: 0, id: 'call_b', type: 'function', function: { name, arguments: args } }],
  });

  it.runIf(IS_FULL)(
    'are sent again to its own family after a model of another provider, with its parts as they came',
    async () => {
      const server = await openAi([
        streamed(event(call('fixture__echo', '{"text":"b"}')), event({}, 'tool_calls')),
        answered('No.', 'content_filter'),
      ]);
      const { gemini, ...found } = await run({
        conversations: [
          { when: { model: FLASH.model }, turns: [echo({ text: 'a' }), OUT_OF_QUOTA] },
          { when: { model: 'gemini-3.8-pro' }, turns: [echo(), echo(), { text: 'Out of memory.' }] },
        ],
        openAiUrl: server.baseUrl,
        agent: { fallback: [GPT, google('gemini-3.8-pro')] },
      });
      expect(found.session).toMatchObject({ status: 'completed', finalAnalysis: 'Out of memory.' });
      const stored = JSON.parse(found.messages[2]?.providerParts?.parts ?? '[]') as {
        thoughtSignature?: string;
      }[];
      expect(stored.some(({ thoughtSignature }) => thoughtSignature !== undefined)).toBe(true);
      const last = gemini.requests.at(-1)?.body as Sent;
      expect(last.contents[1]).toEqual({ role: 'model', parts: stored });
      expect(JSON.stringify(server.asked)).not.toContain('thoughtSignature');
      expect(found.interactions.at(-1)).toMatchObject({ attempts: 1, repairedSignatures: false });
    },
  );

  it.each([
    ['arguments', echo({ text: 'hunter2hunter2' })],
    ['thinking', { ...echo({ text: 'a' }), thinking: 'The password is hunter2hunter2.' }],
  ])('are not sent at all when masking changed its %s', async (_, turn) => {
    const { gemini, ...found } = await run({
      conversations: [{ turns: [turn, { text: 'Out of memory.' }] }],
      knownSecrets: ['hunter2hunter2'],
    });
    expect(found.session.status).toBe('completed');
    const given = JSON.stringify(found.messages).match(/(?<=signature\W+)[A-Za-z0-9+/=]{40,}/)?.[0];
    const body = gemini.requests.at(-1)?.body;
    expect(JSON.stringify(body)).not.toContain('hunter2');
    expect(given).toEqual(expect.any(String));
    expect(JSON.stringify(body)).not.toContain(given);
    expect(found.interactions.at(-1)).toMatchObject({ attempts: 1, repairedSignatures: false });
  });
});

describe('a tool call without a usable name', () => {
  const calls = (...names: string[]) =>
    streamed(
      event({
        role: 'assistant',
        tool_calls: names.map((name, index) => ({
          index,
          id: `call_${index}`,
          type: 'function',
          function: { name, arguments: '{"text":"a"}' },
        })),
      }),
      event({}, 'tool_calls'),
    );
  // The first conversation is for no model that is asked.
  const ask = async (replies: Reply[], agent: BenchOptions['agent'] = {}) => {
    const server = await openAi(replies);
    const found = await run({
      conversations: [{ turns: [{ text: 'By Gemini.' }] }],
      openAiUrl: server.baseUrl,
      agent: { model: GPT, ...agent },
    });
    return { ...found, bodies: server.asked.map(({ body }) => JSON.stringify(body)) };
  };

  it.runIf(IS_FULL).each(['', ' ', '\u0000'])(
    '(%j) costs one iteration, and the model gets an error',
    async (name) => {
      const found = await ask([calls(name), answered('Memory.')]);
      expect(listEventTypes(found)).toEqual(['error failed', 'final_analysis']);
      expect(found.timeline[0]).toMatchObject({ metadata: { code: 'MODEL_MALFORMED_CALL' } });
      expect(found.bodies[1]).toContain('Error from previous attempt: The model wrote a tool call without');
      expect(found.session).toMatchObject({ status: 'completed', finalAnalysis: 'Memory.' });
      expectNoGaps(found);
    },
  );

  it.runIf(IS_FULL)('does not keep a good call beside it from running', async () => {
    const found = await ask([calls('', 'fixture__echo'), answered('Memory.')]);
    expect(listEventTypes(found)).toEqual([
      'llm_tool_call',
      'tool_result failed',
      'llm_tool_call',
      'tool_result',
      'final_analysis',
    ]);
    expect(found.bodies[1]).toContain('There is no tool');
    expect(found.session).toMatchObject({ status: 'completed', finalAnalysis: 'Memory.' });
    expectNoGaps(found);
  });
});

describe('a change of models', () => {
  const PRO = google('gemini-3.8-pro');
  /** What the first model answers, and its successor. */
  const answers = (first: Script, second: Script) => [
    { when: { model: FLASH.model }, ...first },
    { when: { model: PRO.model }, ...second },
  ];

  it('uses up no iteration', async () => {
    const { gemini, ...found } = await run({
      conversations: answers({ turns: [REFUSED] }, { turns: [{ text: 'Out of memory.' }] }),
      agent: { fallback: [PRO], limits: { maxIterations: 1 } },
    });
    expect(listEventTypes(found)).toEqual(['notice', 'final_analysis']);
    expect(found.timeline.at(-1)?.metadata).not.toHaveProperty('forcedConclusion');
    expect(gemini.requests.at(-1)?.body).toHaveProperty('tools');
  });

  it('in the forced conclusion leaves the next model to conclude', async () => {
    const { gemini, ...found } = await run({
      conversations: answers(
        { turns: [echo()], conclusion: OUT_OF_QUOTA },
        { turns: [echo()], conclusion: { text: 'Probably memory.' } },
      ),
      agent: { fallback: [PRO], limits: { maxIterations: 1 } },
    });
    expect(found.timeline.at(-1)).toMatchObject({
      content: 'Probably memory.',
      metadata: { forcedConclusion: true, iterationsUsed: 1, maxIterations: 1 },
    });
    expect(found.messages.filter(({ role }) => role === 'user')).toHaveLength(2);
    expect(gemini.requests.at(-1)?.body).not.toHaveProperty('tools');
    expectNoGaps(found);
  });

  it('accepts the answer of a strategy of one call', async () => {
    const found = await run({
      conversations: answers({ turns: [REFUSED] }, { turns: [{ text: 'Disk.' }] }),
      agent: { strategy: 'single-call', tools: [], fallback: [PRO] },
    });
    expect(found.session).toMatchObject({ status: 'completed', finalAnalysis: 'Disk.' });
  });

  it.runIf(IS_FULL)(
    'happens once per model; with the last one the execution ends as it would have with one',
    async () => {
      const server = await openAi([answered('No.', 'content_filter')]);
      const { gemini, ...found } = await run({
        conversations: [
          { when: { model: FLASH.model }, turns: [OUT_OF_QUOTA] },
          { when: { model: 'gemini-3.8-pro' }, turns: [REFUSED] },
        ],
        openAiUrl: server.baseUrl,
        agent: { fallback: [google('gemini-3.8-pro'), GPT] },
      });
      expect(listEventTypes(found)).toEqual(['notice', 'notice', 'error failed']);
      expect(found.session).toMatchObject({ status: 'failed', failure: { code: 'MODEL_BLOCKED' } });
      expect(found.interactions.map(({ model }) => model)).toEqual([FLASH.model, 'gemini-3.8-pro', 'gpt-4o']);
      expect([gemini.requests.length, server.asked.length]).toEqual([2, 1]);
      expectNoGaps(found);
    },
  );
});
