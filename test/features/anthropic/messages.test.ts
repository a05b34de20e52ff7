// Questions in Anthropic's wire form, over a socket.

import { expect, it } from 'vitest';
import { answerAsAnthropic, anthropicChunks } from '../../support/anthropicModel.ts';
import { startChatApi } from '../../support/chatApi.ts';

const asked = (content: unknown, role = 'user') => [{ role, content }];
const question = { model: 'inquest', max_tokens: 100, messages: asked('What is it?') };
const HEADERS = { 'content-type': 'application/json', 'anthropic-version': '2023-06-01' };

type Headers = Record<string, string>;

async function startWire(conversations?: object[]) {
  const api = await startChatApi(conversations);
  const post = (body: unknown, headers: Headers = {}, path = '/messages') =>
    fetch(`${api.url}${path}`, {
      method: 'POST',
      headers: { ...HEADERS, ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  const ask = async (change: object = {}, headers?: Headers) =>
    (await post({ ...question, ...change }, headers)).json();
  return { ...api, post, ask };
}

/** The events of a stream: names, and the data of each. */
async function readStream(response: Response): Promise<{ type: string; [field: string]: unknown }[]> {
  const blocks = (await response.text()).split('\n\n').filter((block) => block !== '');
  return blocks.map((block) => {
    const data = JSON.parse(/^data: (.*)$/m.exec(block)?.[1] ?? '');
    expect(data.type).toBe(/^event: (.*)$/m.exec(block)?.[1]);
    return data;
  });
}

it('a stream has numbered blocks of text, and ends with its reason and its usage', async () => {
  const { post } = await startWire();
  const events = await readStream(await post({ ...question, stream: true }));
  const text = (index: number, words: string) => [
    { type: 'content_block_start', index, content_block: { type: 'text', text: '', citations: null } },
    { type: 'content_block_delta', index, delta: { type: 'text_delta', text: words } },
    { type: 'content_block_stop', index },
  ];
  expect(events).toEqual([
    {
      type: 'message_start',
      message: expect.objectContaining({
        id: expect.stringMatching(/^msg_/),
        role: 'assistant',
        model: 'inquest',
        content: [],
        stop_reason: null,
      }),
    },
    { type: 'ping' },
    ...text(0, 'I look.'),
    ...text(1, 'It is the disk.'),
    {
      type: 'message_delta',
      delta: { container: null, stop_details: null, stop_reason: 'end_turn', stop_sequence: null },
      usage: expect.objectContaining({ input_tokens: expect.any(Number), output_tokens: expect.any(Number) }),
    },
    { type: 'message_stop' },
  ]);
});

it('thoughts are blocks of their own, with a signature that means nothing when it comes back', async () => {
  const { post, ask } = await startWire([
    { turns: [{ thinking: 'A disk, then.', text: 'It is the disk.' }, { text: 'Disk 3.' }] },
  ]);
  const response = await post({ ...question, stream: true });
  const events = await readStream(response);
  const deltas = events.flatMap(({ type, delta }) => (type === 'content_block_delta' ? [delta] : []));
  const signature = expect.stringMatching(/^[\w-]{8,}$/);
  expect(deltas).toEqual([
    { type: 'thinking_delta', thinking: 'A disk, then.' },
    { type: 'signature_delta', signature },
    { type: 'text_delta', text: 'It is the disk.' },
  ]);
  const content = [
    { type: 'thinking', thinking: 'A disk, then.', signature: 'forged' },
    { type: 'text', text: 'It is the disk.' },
  ];
  const messages = [...question.messages, ...asked(content, 'assistant'), ...asked('Which one?')];
  const inSession = { 'X-Session-Id': response.headers.get('x-session-id') ?? '' };
  expect(await ask({ messages }, inSession)).toMatchObject({ content: [{ text: 'Disk 3.' }] });
});

it.each<[object, string, object]>([
  [{ max_tokens: 2 }, 'It is th', { stop_reason: 'max_tokens', stop_sequence: null }],
  [{ stop_sequences: [' the'] }, 'It is', { stop_reason: 'stop_sequence', stop_sequence: ' the' }],
])('an answer is cut at %o, whole and streamed', async (limits, text, reason) => {
  const { ask, post } = await startWire([
    { turns: [{ text: 'It is the disk.' }, { text: 'It is the disk.' }] },
  ]);
  expect(await ask(limits)).toMatchObject({ content: [{ type: 'text', text }], ...reason });
  const events = await readStream(
    await post({ ...question, ...limits, messages: asked('Again?'), stream: true }),
  );
  const pieces = events.map(({ delta }) => (delta as { text?: string } | undefined)?.text ?? '');
  expect(pieces.join('')).toBe(text);
  expect(events.at(-2)).toMatchObject({ type: 'message_delta', delta: reason });
});

it('a repeated request joins the question, and an equal one after its answer asks again', async () => {
  const { post, gemini } = await startWire([{ turns: [{ text: 'One.' }, { text: 'Two.' }] }]);
  const copies = await Promise.all([post(question), post(question)]);
  for (const copy of copies) {
    // A copy that arrives while the first is being stored is told to come again, which clients do.
    const known = copy.status === 409 ? { type: 'error' } : { content: [{ text: 'One.' }] };
    expect(await copy.json()).toMatchObject(known);
  }
  const retried = await post(question, { 'X-Stainless-Retry-Count': '1' });
  expect(await retried.json()).toMatchObject({ content: [{ text: 'One.' }] });
  expect(gemini.requests).toHaveLength(1);
  const again = await post(question);
  expect(await again.json()).toMatchObject({ content: [{ text: 'One.' }] });
  expect(gemini.requests).toHaveLength(2);
  expect(again.headers.get('x-session-id')).not.toBe(retried.headers.get('x-session-id'));
});

it('a refusal of the provider is an answer, and any other failure an error, whole and streamed', async () => {
  const blocked = await startWire([{ turns: [{ text: 'No.', finishReason: 'SAFETY' }] }]);
  const refusal = { stop_reason: 'refusal', stop_sequence: null };
  expect(await blocked.ask()).toMatchObject({ type: 'message', content: [], ...refusal });
  const refused = await readStream(await blocked.post({ ...question, max_tokens: 99, stream: true }));
  expect(refused.slice(-2)).toMatchObject([
    { type: 'message_delta', delta: refusal },
    { type: 'message_stop' },
  ]);

  const failures = Array(80).fill({ status: 400 });
  const { ask, post } = await startWire([{ turns: [{ failures, text: 'x' }] }]);
  expect(await ask()).toEqual({
    type: 'error',
    error: { type: 'api_error', message: expect.stringMatching(/./), code: 'ANSWER_FAILED' },
    request_id: null,
  });
  const events = await readStream(await post({ ...question, messages: asked('Again?'), stream: true }));
  expect(events.at(-1)).toMatchObject({ type: 'error', error: { type: 'api_error' } });
});

/** Chunks of an answer of Anthropic that searched by itself, as LangChain has them. */
const search = { type: 'server_tool_use', id: 'srv1', name: 'web_search', input: { query: 'x' } };
const found = {
  type: 'web_search_tool_result',
  tool_use_id: 'srv1',
  content: [{ type: 'web_search_result', title: 'A', url: 'https://a.example', encrypted_content: 'E' }],
};
const servedChunks = (stop_reason: string) =>
  anthropicChunks(
    stop_reason,
    { ...search, input: '', index: 0 },
    { index: 0, type: 'input_json_delta', input: '{"query":"x"}' },
    { ...found, index: 1 },
    { index: 2, type: 'text', text: 'x is.' },
  );

it.each([
  ['end_turn', 'end_turn'],
  ['pause_turn', 'pause_turn'],
  ['max_tokens', 'max_tokens'],
])('searches of Anthropic are in an answer as it sent them, and %s ends it', async (given, reason) => {
  const api = await startWire();
  api.deps.llm = answerAsAnthropic(servedChunks(given));
  const content = [search, found, { type: 'text', text: 'x is.', citations: null }];
  expect(await api.ask()).toMatchObject({ content, stop_reason: reason });
  const events = await readStream(await api.post({ ...question, messages: asked('Now?'), stream: true }));
  const started = events.flatMap(({ content_block, index }) =>
    content_block ? [[index, content_block]] : [],
  );
  expect(started).toEqual([
    [0, { type: 'text', text: '', citations: null }],
    [1, { ...search, input: {} }],
    [2, found],
  ]);
  expect(events.flatMap(({ index, delta }) => (index === 1 && delta ? [delta] : []))).toEqual([
    { type: 'input_json_delta', partial_json: '{"query":"x"}' },
  ]);
  expect(events.at(-2)).toMatchObject({ delta: { stop_reason: reason } });
});

/** Bodies without an answer, each with its fault and the fix. */
const REFUSED: [body: unknown, status: number, fix: string][] = [
  ['{', 400, 'JSON'],
  [[], 400, 'body: must be a mapping, not a list'],
  [{ ...question, model: 5 }, 400, 'body.model: must be text, not a number'],
  [
    { ...question, model: 'nosuch' },
    404,
    'model: there is no agent and no chain of this name; use one of inquest',
  ],
  [{ ...question, max_tokens: undefined }, 400, 'body.max_tokens: is missing'],
  [{ ...question, max_tokens: 0 }, 400, 'body.max_tokens: '],
  [{ ...question, messages: [] }, 400, 'body.messages: must hold at least 1'],
  [{ ...question, messages: asked('x', 'assistant') }, 400, 'the last message must have the role user'],
  [{ ...question, messages: asked('x', 'tool') }, 400, 'body.messages.0.role: unknown value "tool"'],
  [{ ...question, messages: asked('') }, 400, 'body.messages: it is empty; write the question'],
  ...(
    [
      [{ type: 'thinking' }, 'thinking'],
      [{ type: 'tool_use', name: 'f', input: null }, 'id'],
      [{ type: 'tool_use', id: 'c', input: null }, 'name'],
      [{ type: 'server_tool_use', id: 'c', name: 'f' }, 'input'],
      [{ type: 'tool_result', content: 'x' }, 'tool_use_id'],
    ] as const
  ).map(([block, field]): [unknown, number, string] => [
    { ...question, messages: [...asked('x'), ...asked([block], 'assistant'), ...asked('y')] },
    400,
    `body.messages.1.content.0.${field}: is missing in a block of type ${block.type}`,
  ]),
  [{ ...question, messages: asked([{ type: 'image' }]) }, 400, 'without blocks of type image'],
  [
    { ...question, messages: Array(10_000).fill(asked('x')[0]) },
    400,
    'body.messages: must hold at most 1000',
  ],
  [{ ...question, tools: [{ name: 'f' }, { name: 'g' }] }, 400, 'leave out f, g'],
  [{ ...question, tools: 'all' }, 400, 'leave out the tools'],
  [{ ...question, mcp_servers: [{ url: 'https://x' }] }, 400, 'leave out the servers'],
  [{ ...question, output_config: { format: { type: 'json_schema' } } }, 400, 'body.output_config.format: '],
  [{ ...question, stop_sequences: [''] }, 400, 'body.stop_sequences.0: '],
  [{ ...question, messages: asked(JSON.parse(`${'['.repeat(500)}${']'.repeat(500)}`)) }, 400, 'body'],
];

it('a request that cannot be answered is refused in the form of Anthropic, with the fix', async () => {
  const { post, url, gemini } = await startWire();
  for (const [body, status, fix] of REFUSED) {
    const response = await post(body);
    const type = status === 404 ? 'not_found_error' : 'invalid_request_error';
    expect([response.status, await response.json()]).toEqual([
      status,
      {
        type: 'error',
        error: { type, message: expect.stringContaining(fix), code: expect.any(String) },
        request_id: null,
      },
    ]);
  }
  for (const [version, fix] of [
    ['2023-01-01', 'unknown version "2023-01-01"; send 2026-10-21 or 2023-06-01'],
    ['', 'unknown version ""'],
  ] as const)
    expect(await (await post(question, { 'anthropic-version': version })).json()).toMatchObject({
      error: { message: expect.stringContaining(`header anthropic-version: ${fix}`) },
    });
  const addresses: [string, number][] = [
    ['/messages/batches', 404],
    ['/messages/count_tokens/x', 404],
  ];
  for (const [path, status] of addresses)
    expect(await (await post(question, {}, path)).json()).toMatchObject({
      error: {
        type: status === 404 && 'not_found_error',
        message: expect.stringContaining('POST /v1/messages'),
      },
    });
  expect(await (await fetch(`${url}/messages`)).json()).toMatchObject({ type: 'error' });
  expect(gemini.requests).toHaveLength(0);
});

it('settings that only tune a model have no effect', async () => {
  const { ask } = await startWire();
  const settings = {
    temperature: 0.5,
    top_p: 0.9,
    top_k: 5,
    thinking: { type: 'enabled', budget_tokens: 1_024 },
    service_tier: 'auto',
    metadata: { user_id: 'x' },
    system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }],
    tools: [],
    tool_choice: { type: 'none' },
  };
  expect(await ask(settings, { 'anthropic-beta': 'context-1m-2025-08-07' })).toMatchObject({
    content: [{ text: 'It is the disk.' }],
  });
});

it('earlier messages and system text are text of the caller in a new chat', async () => {
  const { ask, gemini } = await startWire();
  const messages = [...question.messages, ...asked('A disk.', 'assistant'), ...asked('Which one?')];
  await ask({ messages, system: 'Be brief.' });
  const sent = JSON.stringify(gemini.requests[0]);
  for (const words of ['Instructions: Be brief.', 'User: What is it?', 'Assistant: A disk.', 'Which one?'])
    expect(sent).toContain(words);
  const body = gemini.requests[0]?.body as { systemInstruction: object } | undefined;
  expect(JSON.stringify(body?.systemInstruction)).not.toContain('Be brief.');
});
