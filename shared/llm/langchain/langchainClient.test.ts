import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { freezeDeep } from '../../../test/support/frozen.ts';
import type {
  CallReport,
  ConversationMessage,
  GenerateOptions,
  LlmRequest,
  Progress,
} from '../../core/contract/llm.ts';
import { RetryableError, TerminalError } from '../../core/errors.ts';
import type { ModelSettings } from '../../core/schema/agent.ts';
import { endlessAnswer, IN_FLIGHT_BYTES } from '../endlessAnswer.fixture.ts';
import { exportConversation } from '../interchange/exportConversation.ts';
import { createLangchainClient, type LangchainClientOptions } from './langchainClient.ts';
import {
  answered,
  event,
  type OpenAiServer,
  type Reply,
  refused,
  startOpenAiServer,
  streamed,
  usageEvent,
} from './openAiServer.fixture.ts';
import { LANGCHAIN_MODULE, type LangChain, type LoadModule } from './packages.ts';

const KEY = 'sk-test-0123456789';

function said(role: ConversationMessage['role'], textContent: string): ConversationMessage {
  return { role, blocks: [{ blockType: 'text', textContent }] };
}

type OpenSettings = Omit<ModelSettings, 'provider'> & { provider: string };

function request(
  messages: ConversationMessage[] = [said('user', 'Why?')],
  settings: Partial<OpenSettings> = {},
): LlmRequest {
  const model: OpenSettings = { provider: 'openai', model: 'gpt-4o', includeThoughts: true, ...settings };
  return { model: model as ModelSettings, messages: freezeDeep(messages), tools: [] };
}

function call(options: Partial<GenerateOptions> = {}): GenerateOptions & { report: CallReport } {
  const report = { requestBytes: 0, responseBytes: 0, attempts: 0, attemptErrors: [] };
  return { signal: new AbortController().signal, report, ...options };
}

/** What a rejected promise was rejected with. */
async function failure(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => expect.unreachable('should have failed'),
    (error: unknown) => error,
  );
}

// LangChain's packages read the process's own variables too.
beforeEach(() => {
  for (const name of ['OPENAI_API_KEY', 'OPENAI_BASE_URL', 'OPENAI_API_BASE', 'LANGSMITH_TRACING']) {
    vi.stubEnv(name, undefined);
  }
});

const servers: OpenAiServer[] = [];
afterEach(() => {
  vi.unstubAllEnvs();
  for (const server of servers.splice(0)) server.close();
});

/** A server of the given replies, and a client of it. Waits are noted, not slept. */
async function openAi(replies: Reply[], options: Partial<LangchainClientOptions> = {}) {
  const server = await startOpenAiServer(replies);
  servers.push(server);
  const waits: number[] = [];
  const sleep = async (ms: number) => {
    waits.push(ms);
  };
  const env = { OPENAI_BASE_URL: server.baseUrl, OPENAI_API_KEY: KEY };
  const client = createLangchainClient({ env, sleep, random: () => 0.5, ...options });
  return { client, asked: server.asked, baseUrl: server.baseUrl, waits };
}

/** LangChain as it is, but `begun` is told when the first chunk of an answer is there. */
function whenBegun(begun: () => void): LoadModule {
  return async (specifier) => {
    if (specifier !== LANGCHAIN_MODULE) return import(specifier);
    const langchain = (await import(specifier)) as LangChain;
    const initChatModel: LangChain['initChatModel'] = async (...settings) => {
      const model = await langchain.initChatModel(...settings);
      return {
        bindTools: (tools) => model.bindTools(tools),
        stream: (...asked) => model.stream(...asked).finally(begun),
      };
    };
    return { ...langchain, initChatModel };
  };
}

describe('an answer of Anthropic with a search of its own', () => {
  const search = { type: 'server_tool_use', id: 'srv1', name: 'web_search', input: { query: 'x' } };
  const found = {
    type: 'web_search_tool_result',
    tool_use_id: 'srv1',
    content: [{ type: 'web_search_result', title: 'A', url: 'https://a.example', encrypted_content: 'E' }],
  };
  const citation = {
    type: 'web_search_result_location',
    url: 'https://a.example',
    title: 'A',
    cited_text: 'x is',
    encrypted_index: 'I',
  };
  const chunks = [
    { content: [{ ...search, input: '', index: 0 }], tool_call_chunks: [] },
    {
      content: [{ index: 0, type: 'input_json_delta', input: '{"query":"x"}' }],
      tool_call_chunks: [{ index: 0, args: '{"query":"x"}' }],
    },
    { content: [{ ...found, index: 1, input: undefined }], tool_call_chunks: [] },
    { content: [{ index: 2, type: 'text', text: 'x ' }] },
    { content: [{ index: 2, type: 'text', citations: [citation] }] },
    { content: [{ index: 2, type: 'text', text: 'is.' }] },
    {
      content: '',
      response_metadata: { model_provider: 'anthropic' },
      additional_kwargs: { stop_reason: 'end_turn' },
    },
  ];
  const load: LoadModule = async () => ({
    MODEL_PROVIDER_CONFIG: { anthropic: { package: '@langchain/anthropic' } },
    initChatModel: async () => ({
      bindTools: () => expect.unreachable(),
      stream: async () => chunks.values(),
    }),
  });

  it('has the call, the result and the text with its citations, as they came', async () => {
    const client = createLangchainClient({ env: {}, load });
    const answer = await client.generate(
      request(undefined, { provider: 'anthropic', model: 'claude-opus-5-5' }),
      call(),
    );
    expect([answer.text, answer.toolCalls]).toEqual(['x is.', []]);
    const { encrypted_index: _, ...shown } = citation;
    expect(answer.citations).toEqual([
      { type: 'web_search_result', url: shown.url, title: shown.title, citedText: shown.cited_text },
    ]);
    const messages = [said('user', 'Why?'), { role: 'assistant' as const, blocks: answer.blocks }];
    expect(exportConversation(messages, 'anthropic').messages).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'Why?' }] },
      { role: 'assistant', content: [search, found, { type: 'text', text: 'x is.', citations: [citation] }] },
    ]);
    expect(JSON.stringify(exportConversation(messages, 'gemini'))).not.toContain('encrypted');
  });
});

describe('a request', () => {
  it('logs once the parts of the conversation that it cannot carry', async () => {
    const logged: unknown[] = [];
    const { client } = await openAi([answered('Because.')], { log: (...entry) => logged.push(entry) });
    const image = { blockType: 'image', mimeType: 'image/png' } as const;
    await client.generate(request([{ role: 'user', blocks: [image] }]), call());
    const notes = ['A block of type image (image/png) has neither data nor address.'];
    expect(logged).toEqual([['LangChain could not be sent all of the conversation', { notes }]]);
  });

  it('carries the conversation in its roles, with tool results as text', async () => {
    const { client, asked } = await openAi([answered('Because.')]);
    const result = { blockType: 'tool_result', toolUseId: 'c1', toolName: 'k8s.logs' } as const;
    await client.generate(
      request([
        said('system', 'Be brief.'),
        said('user', 'Why?'),
        said('assistant', 'Let me look.'),
        { role: 'tool', blocks: [{ ...result, isError: false, textContent: 'OOMKilled' }] },
      ]),
      call(),
    );
    expect(asked[0]?.url).toBe('/v1/chat/completions');
    expect(asked[0]?.body.messages).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Why?' },
      { role: 'assistant', content: 'Let me look.' },
      { role: 'user', content: 'Result of k8s.logs:\nOOMKilled' },
    ]);
  });

  it('asks for a stream with usage, and sets no sampling and no tools', async () => {
    const { client, asked } = await openAi([answered('Because.')]);
    await client.generate(request(), call());
    expect(asked[0]?.body).toEqual({
      model: 'gpt-4o',
      stream: true,
      stream_options: { include_usage: true },
      messages: [{ role: 'user', content: 'Why?' }],
    });
  });

  it('carries output limit and thinking level', async () => {
    const { client, asked } = await openAi([answered('Because.')]);
    const settings = { model: 'gpt-5', maxOutputTokens: 900, thinkingLevel: 'low' } as const;
    await client.generate(request(undefined, settings), call());
    expect(asked[0]?.body).toMatchObject({ max_completion_tokens: 900, reasoning_effort: 'low' });
  });

  it('is sent with the key of the environment', async () => {
    const { client, asked } = await openAi([answered('Because.')]);
    await client.generate(request(), call());
    expect(asked[0]?.headers.authorization).toBe(`Bearer ${KEY}`);
  });

  it('needs no key for a server of its own', async () => {
    const { baseUrl, asked } = await openAi([answered('Because.')]);
    const client = createLangchainClient({ env: { OPENAI_BASE_URL: baseUrl } });
    await client.generate(request(), call());
    expect(asked[0]?.headers.authorization).toBe('Bearer no-key');
  });

  it('of nothing fails before any network', async () => {
    const { client, asked } = await openAi([answered('Because.')]);
    const thrown = await failure(client.generate(request([said('system', 'Be brief.')]), call()));
    expect(thrown).toMatchObject({ code: 'MODEL_BAD_REQUEST' });
    expect(asked).toEqual([]);
  });
});

describe('an answer', () => {
  it('is collected from its pieces, with finish reason, version and tokens', async () => {
    const { client } = await openAi([
      streamed(
        event({ role: 'assistant', content: '' }),
        event({ content: 'Because of ' }),
        event({ content: 'memory — 記憶.' }),
        event({}, 'stop'),
        usageEvent({
          prompt_tokens: 20,
          completion_tokens: 9,
          total_tokens: 29,
          prompt_tokens_details: { cached_tokens: 8 },
          completion_tokens_details: { reasoning_tokens: 4 },
        }),
      ),
    ]);
    const { report, ...options } = call();
    const response = await client.generate(request(), { report, ...options });
    expect(response).toEqual({
      text: 'Because of memory — 記憶.',
      thinking: '',
      toolCalls: [],
      blocks: [{ blockType: 'text', textContent: 'Because of memory — 記憶.' }],
      groundings: [],
      citations: [],
      codeExecutions: [],
      searchEntryPoint: null,
      usage: { input: 20, output: 5, thinking: 4, cached: 8, total: 29 },
      finishReason: 'stop',
      modelVersion: 'gpt-4o-2026',
      finishMessage: null,
      truncated: false,
    });
    expect(report).toEqual({
      requestBytes: Buffer.byteLength('[{"role":"user","content":"Why?"}]'),
      responseBytes: Buffer.byteLength('Because of memory — 記憶.'),
      attempts: 1,
      attemptErrors: [],
      attemptTimes: [expect.any(Object)],
      usage: response.usage,
      finishReason: 'stop',
      answerStarted: true,
    });
  });

  it('keeps reasoning apart from the text', async () => {
    const { client } = await openAi([
      streamed(
        event({ role: 'assistant', reasoning_content: 'Exit code 137 ' }),
        event({ reasoning_content: 'means memory.' }),
        event({ content: 'Memory.' }, 'stop'),
      ),
    ]);
    const { text, thinking } = await client.generate(request(), call());
    expect({ text, thinking }).toEqual({ text: 'Memory.', thinking: 'Exit code 137 means memory.' });
  });

  it('of the Responses API, which some models need, is read alike', async () => {
    const response = { id: 'r1', object: 'response', model: 'gpt-codex', output: [], created_at: 1 };
    const events = [
      { type: 'response.created', response: { ...response, status: 'in_progress' } },
      { type: 'response.reasoning_summary_text.delta', item_id: 'i0', summary_index: 0, delta: 'Hm.' },
      {
        type: 'response.output_text.delta',
        item_id: 'i1',
        content_index: 0,
        output_index: 1,
        delta: 'Memory.',
      },
      {
        type: 'response.completed',
        response: {
          ...response,
          status: 'completed',
          usage: { input_tokens: 5, output_tokens: 2, total_tokens: 7 },
        },
      },
    ];
    const text = events.map((data) => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`);
    const { client, asked } = await openAi([streamed(...text)]);
    const settings = { model: 'gpt-codex' };
    await expect(client.generate(request(undefined, settings), call())).resolves.toMatchObject({
      text: 'Memory.',
      thinking: 'Hm.',
      blocks: [{ blockType: 'text', textContent: 'Memory.' }],
      finishReason: 'completed',
      usage: { input: 5, output: 2, total: 7 },
      truncated: false,
    });
    expect(asked[0]?.url).toBe('/v1/responses');
  });

  it('can come from a server that names no role', async () => {
    const { client } = await openAi([
      streamed(event({ content: 'Mem' }), event({ content: 'ory.' }, 'stop')),
    ]);
    await expect(client.generate(request(), call())).resolves.toMatchObject({ text: 'Memory.' });
  });

  it('that the output limit cut is used and marked', async () => {
    const { client } = await openAi([answered('Because of', 'length')]);
    const response = await client.generate(request(), call());
    expect(response).toMatchObject({ text: 'Because of', truncated: true, finishReason: 'length' });
  });

  it('that never started before the output limit fails at once', async () => {
    const { client, asked } = await openAi([answered('', 'length')]);
    expect(await failure(client.generate(request(), call()))).toMatchObject({ code: 'MODEL_TRUNCATED' });
    expect(asked).toHaveLength(1);
  });

  it('that a filter stopped is terminal, partial text or not', async () => {
    const { client } = await openAi([answered('Half of', 'content_filter')]);
    const thrown = await failure(client.generate(request(), call()));
    expect(thrown).toBeInstanceOf(TerminalError);
    expect(thrown).toMatchObject({ code: 'MODEL_BLOCKED' });
  });

  it.each([
    [
      'in pieces',
      [
        event({ role: 'assistant', content: '', refusal: null }),
        event({ refusal: 'I can’t ' }),
        event({ refusal: 'help.' }),
        event({}, 'stop'),
      ],
    ],
    [
      'behind half an answer',
      [
        event({ role: 'assistant', content: 'The cause is ' }),
        event({ refusal: 'I can’t help.' }),
        event({}, 'stop'),
      ],
    ],
  ])('that the model refuses is terminal, and no analysis: %s', async (_, events) => {
    const { client } = await openAi([streamed(...events)]);
    const thrown = await failure(client.generate(request(), call()));
    expect(thrown).toMatchObject({
      code: 'MODEL_BLOCKED',
      message: expect.stringContaining('I can’t help.'),
    });
  });

  it('that is empty is asked for again with a changed request', async () => {
    const { client, asked } = await openAi([answered(''), answered('Because.')]);
    const { report, ...options } = call();
    await expect(client.generate(request(), { report, ...options })).resolves.toMatchObject({
      text: 'Because.',
    });
    const contents = asked.map(({ body }) => JSON.stringify(body.messages));
    expect(contents[1]).not.toBe(contents[0]);
    expect(report).toMatchObject({
      attempts: 2,
      attemptErrors: [expect.stringContaining('MODEL_EMPTY_ANSWER')],
    });
  });

  it('that stays empty fails after three attempts', async () => {
    const { client, asked } = await openAi([streamed()]);
    const thrown = await failure(client.generate(request(), call()));
    expect(thrown).toBeInstanceOf(RetryableError);
    expect(thrown).toMatchObject({ code: 'MODEL_EMPTY_ANSWER' });
    expect(asked).toHaveLength(3);
  });
});

describe('a cut stream', () => {
  const half = event({ role: 'assistant', content: 'Becau' });

  it.each<[string, Reply]>([
    ['by the connection', (response) => response.writeHead(200).write(half, () => response.destroy())],
    ['without a finish reason', (response) => response.writeHead(200).end(half)],
    [
      'by an error in it',
      (response) => response.writeHead(200).end(`${half}data: {"error":{"message":"oops"}}\n\n`),
    ],
  ])('%s is asked for again', async (_, cut) => {
    const { client } = await openAi([cut, answered('Because.')]);
    const { report, ...options } = call();
    await expect(client.generate(request(), { report, ...options })).resolves.toMatchObject({
      text: 'Because.',
    });
    expect(report.attemptErrors).toEqual([expect.stringContaining('MODEL_STREAM_CUT')]);
  });

  it('is reported without the finish reason of an attempt before it', async () => {
    const { client } = await openAi([answered(''), (response) => response.writeHead(200).end(half)]);
    const { report, ...options } = call();
    await failure(client.generate(request(), { report, ...options }));
    expect(report).toMatchObject({ attempts: 3 });
    expect(report).not.toHaveProperty('finishReason');
  });
});

describe('a refused request', () => {
  it.each([
    [400, 'MODEL_BAD_REQUEST'],
    [401, 'MODEL_CREDENTIALS'],
    [403, 'MODEL_CREDENTIALS'],
    [404, 'MODEL_UNKNOWN'],
    [422, 'MODEL_BAD_REQUEST'],
  ])('with status %i is terminal: %s', async (status, code) => {
    const { client, asked } = await openAi([refused(status, 'no such thing')]);
    const thrown = await failure(client.generate(request(), call()));
    expect(thrown).toBeInstanceOf(TerminalError);
    expect(thrown).toMatchObject({ code, message: expect.stringContaining('no such thing') });
    expect(asked).toHaveLength(1);
  });

  it('for too long a prompt is terminal', async () => {
    const { client } = await openAi([refused(400, 'too long', { code: 'context_length_exceeded' })]);
    expect(await failure(client.generate(request(), call()))).toMatchObject({ code: 'MODEL_BAD_REQUEST' });
  });

  it('with status 429 is sent again after the time in Retry-After', async () => {
    const { client, waits } = await openAi([
      refused(429, 'slow down', { headers: { 'retry-after': '7' } }),
      answered('Because.'),
    ]);
    await expect(client.generate(request(), call())).resolves.toMatchObject({ text: 'Because.' });
    expect(waits).toEqual([7_500]);
  });

  it('with status 429 is left to the caller when the wait would pass the deadline', async () => {
    const { client, asked, waits } = await openAi(
      [refused(429, 'slow down', { headers: { 'retry-after': '7' } })],
      { now: () => 1_000 },
    );
    const thrown = await failure(client.generate(request(), call({ deadline: 5_000 })));
    expect(thrown).toMatchObject({ code: 'MODEL_QUOTA', retryAfterMs: 7_000 });
    expect({ asked: asked.length, waits }).toEqual({ asked: 1, waits: [] });
  });

  it('for a quota that is used up is terminal', async () => {
    const { client } = await openAi([refused(429, 'pay first', { code: 'insufficient_quota' })]);
    const thrown = await failure(client.generate(request(), call()));
    expect(thrown).toBeInstanceOf(TerminalError);
    expect(thrown).toMatchObject({ code: 'MODEL_QUOTA' });
  });

  it('with status 500 is sent three times, each counted, with growing waits', async () => {
    const { client, asked, waits } = await openAi([refused(500, 'oops')]);
    const { report, ...options } = call();
    const thrown = await failure(client.generate(request(), { report, ...options }));
    expect(thrown).toBeInstanceOf(RetryableError);
    expect(thrown).toMatchObject({ code: 'MODEL_UNAVAILABLE' });
    expect({ asked: asked.length, waits, attempts: report.attempts }).toEqual({
      asked: 3,
      waits: [500, 1_000],
      attempts: 3,
    });
    expect(report.attemptErrors).toHaveLength(3);
  });

  it('that echoes the key does not carry it on', async () => {
    const notes: unknown[] = [];
    const { client } = await openAi([refused(401, `Incorrect API key provided: ${KEY}.`)], {
      log: (...note) => notes.push(note),
    });
    const { report, ...options } = call();
    const thrown = await failure(client.generate(request(), { report, ...options }));
    expect(thrown).toHaveProperty('message', expect.stringContaining('[masked:'));
    expect(thrown).not.toHaveProperty('cause');
    expect(JSON.stringify([(thrown as Error).message, notes, report])).not.toContain(KEY);
  });
});

describe('a server that cannot be reached', () => {
  it('is tried three times', async () => {
    const server = await startOpenAiServer([]);
    server.close();
    const env = { OPENAI_BASE_URL: server.baseUrl };
    const client = createLangchainClient({ env, sleep: async () => {} });
    const { report, ...options } = call();
    const thrown = await failure(client.generate(request(), { report, ...options }));
    expect(thrown).toBeInstanceOf(RetryableError);
    expect(thrown).toMatchObject({
      code: 'MODEL_UNAVAILABLE',
      message: expect.stringContaining('ECONNREFUSED'),
    });
    expect(report.attempts).toBe(3);
  });
});

describe('an abort', () => {
  const reason = new Error('cancelled by hand');

  it('before the answer starts throws its reason and hangs up', async () => {
    const controller = new AbortController();
    const { client, asked } = await openAi([() => controller.abort(reason)]);
    expect(await failure(client.generate(request(), call({ signal: controller.signal })))).toBe(reason);
    await asked[0]?.closed;
  });

  it('within the answer throws its reason and hangs up', async () => {
    const controller = new AbortController();
    const hang: Reply = (response) => response.writeHead(200).write(event({ content: 'Becau' }));
    const { client, asked } = await openAi([hang], { load: whenBegun(() => controller.abort(reason)) });
    const { report, ...options } = call({ signal: controller.signal });
    expect(await failure(client.generate(request(), { report, ...options }))).toBe(reason);
    expect(report.attempts).toBe(1);
    await asked[0]?.closed;
  });

  it('between two attempts throws its reason', async () => {
    const controller = new AbortController();
    const { client, asked } = await openAi([refused(500, 'oops')], {
      sleep: async (_, signal) => {
        controller.abort(reason);
        signal.throwIfAborted();
      },
    });
    expect(await failure(client.generate(request(), call({ signal: controller.signal })))).toBe(reason);
    expect(asked).toHaveLength(1);
  });

  it('beforehand sends no request', async () => {
    const { client, asked } = await openAi([answered('Because.')]);
    const thrown = await failure(client.generate(request(), call({ signal: AbortSignal.abort(reason) })));
    expect(thrown).toBe(reason);
    expect(asked).toEqual([]);
  });
});

describe('an answer that never ends', () => {
  const limited = (settings: Partial<OpenSettings>) => request(undefined, settings);

  it.each([
    ['of many events', event({ content: 'Step'.repeat(20_000) })],
    ['of one event', 'data: '.padEnd(100_000, 'x')],
  ])('%s is read up to the limit, fails, and is asked for once', async (_, piece) => {
    const { reply, sent } = endlessAnswer(piece);
    const { client, asked } = await openAi([reply]);
    const thrown = await failure(client.generate(limited({ answerBytes: 2_000_000 }), call()));
    expect(thrown).toBeInstanceOf(RetryableError);
    expect(thrown).toMatchObject({
      code: 'MODEL_ANSWER_TOO_LARGE',
      message: expect.stringContaining('2000000 bytes'),
    });
    expect(asked).toHaveLength(1);
    expect(await sent).toBeLessThan(2_000_000 + IN_FLIGHT_BYTES);
  });

  it('of a provider whose package does its own requests is limited by the kept part', async () => {
    let chunks = 0;
    async function* stream() {
      for (; chunks < 1_000; chunks++) yield { content: 'ü'.repeat(500) };
    }
    const load: LoadModule = async () => ({
      MODEL_PROVIDER_CONFIG: { mistralai: { package: '@langchain/mistralai' } },
      initChatModel: async () => ({ stream: async () => stream() }),
    });
    const client = createLangchainClient({ env: {}, load });
    const asked = limited({ answerBytes: 10_000, provider: 'mistralai' });
    const thrown = await failure(client.generate(asked, call()));
    expect(thrown).toMatchObject({ code: 'MODEL_ANSWER_TOO_LARGE' });
    expect(chunks).toBe(10);
  });
});

describe('a configuration that cannot work', () => {
  it('without a key for OpenAI itself fails as credentials', async () => {
    const client = createLangchainClient({ env: {} });
    const thrown = await failure(client.generate(request(), call()));
    expect(thrown).toMatchObject({
      code: 'MODEL_CREDENTIALS',
      message: expect.stringContaining('OPENAI_API_KEY'),
    });
  });

  it('with a provider whose package is not installed names the package', async () => {
    const client = createLangchainClient({ env: {} });
    const thrown = await failure(client.generate(request(undefined, { provider: 'mistralai' }), call()));
    expect(thrown).toBeInstanceOf(TerminalError);
    expect(thrown).toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining('npm install @langchain/mistralai'),
    });
  });
});

it('the text of the model is streamed as it comes, and changes nothing of the answer', async () => {
  const pieces = [event({ role: 'assistant', content: 'The disk ' }), event({ content: 'is full.' })];
  const { client } = await openAi([streamed(...pieces, event({}, 'stop'))]);
  const said: Progress[] = [];
  const told = await client.generate(request(), call({ onProgress: (progress) => said.push(progress) }));
  expect(told).toEqual(await client.generate(request(), call()));
  expect(said).toEqual([
    { kind: 'attempt' },
    { kind: 'text', delta: 'The disk ' },
    { kind: 'text', delta: 'is full.' },
  ]);
});
