// Questions in OpenAI's wire form: its own client, unmodified, over a socket.

import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { startChatApi } from '../support/chatApi.ts';

async function startChat(conversations?: object[]) {
  const api = await startChatApi(conversations);
  return { ...api, client: new OpenAI({ baseURL: api.url, apiKey: 'none', maxRetries: 0 }) };
}

const question = { model: 'inquest', messages: [{ role: 'user' as const, content: 'What is it?' }] };

/** The blocks of a stream, as `[name of the event, data]`. */
async function blocksOf(response: Response): Promise<[string | undefined, string][]> {
  return (await response.text())
    .split('\n\n')
    .filter((block) => block !== '')
    .map((block) => [/^event: (.*)$/m.exec(block)?.[1], /^data: (.*)$/m.exec(block)?.[1] ?? '']);
}

describe('a question through the client of OpenAI', () => {
  it('is answered whole', async () => {
    const { client } = await startChat();
    const { data, response } = await client.chat.completions.create(question).withResponse();
    expect(data.choices[0]?.message).toMatchObject({ role: 'assistant', content: 'It is the disk.' });
    expect(data.choices[0]?.finish_reason).toBe('stop');
    expect(data.usage?.total_tokens).toBeGreaterThan(0);
    expect(response.headers.get('x-session-id')).toMatch(/^\d{4}-\d\d-\d\d-what-is-it-/);
  });

  it('is answered as it is found', async () => {
    const { client } = await startChat();
    const stream = await client.chat.completions.create({
      ...question,
      stream: true,
      stream_options: { include_usage: true },
    });
    let text = '';
    let tokens = 0;
    for await (const chunk of stream) {
      text += chunk.choices[0]?.delta.content ?? '';
      tokens = chunk.usage?.total_tokens ?? tokens;
    }
    expect(text).toBe('I look.\n\nIt is the disk.');
    expect(tokens).toBeGreaterThan(0);
  });

  it('goes on in its session, or takes along what was said', async () => {
    const { client, read, gemini } = await startChat([
      { turns: [{ text: 'It is the disk.' }, { text: 'Disk 3.' }] },
    ]);
    const { response } = await client.chat.completions.create(question).withResponse();
    const sessionId = response.headers.get('x-session-id') ?? '';
    const next = { ...question, messages: [{ role: 'user' as const, content: 'Which one?' }] };
    const second = await client.chat.completions.create(next, { headers: { 'X-Session-Id': sessionId } });
    expect(second.choices[0]?.message.content).toBe('Disk 3.');
    expect((await read(sessionId)).session.questions).toBe(2);

    const messages = [
      { role: 'user' as const, content: 'What is it?' },
      { role: 'assistant' as const, content: 'It is the disk.' },
      { role: 'user' as const, content: 'Which one?' },
    ];
    await client.chat.completions.create({ ...question, messages });
    expect(JSON.stringify(gemini.requests.at(-1))).toContain('Assistant: It is the disk.');
  });

  it('that cannot be asked is an error of the client, with a code', async () => {
    const { client } = await startChat();
    const create = (change: object) => client.chat.completions.create({ ...question, ...change } as never);
    await expect(create({ model: 'nosuch' })).rejects.toMatchObject({
      status: 400,
      code: 'CONFIG_UNKNOWN_CHAIN',
    });
    await expect(create({ messages: [] })).rejects.toMatchObject({ status: 400, code: 'REQUEST_INVALID' });
    const assistant = [{ role: 'assistant', content: 'x' }];
    await expect(create({ messages: assistant })).rejects.toMatchObject({ code: 'REQUEST_INVALID' });
    const models = await client.models.list();
    expect(models.data.map(({ id }) => id)[0]).toBe('inquest');
  });

  it('needs no model, and reads text only', async () => {
    const { client, url } = await startChat();
    const create = (change: object) => client.chat.completions.create({ ...question, ...change } as never);
    expect(await create({ model: undefined })).toMatchObject({ model: 'inquest' });
    const image = { type: 'image_url', image_url: { url: 'https://example.com/graph.png' } };
    for (const content of [[image], [{ type: 'text', text: 'What is it?' }, image]])
      await expect(create({ messages: [{ role: 'user', content }] })).rejects.toMatchObject({
        status: 400,
        param: 'messages',
        message: expect.stringContaining('write the question as text, without parts of type image_url'),
      });
    expect(await client.models.retrieve('inquest')).toMatchObject({ id: 'inquest', object: 'model' });
    const withoutVersion = new OpenAI({ baseURL: url.replace(/\/v1$/, ''), apiKey: 'none', maxRetries: 0 });
    expect((await withoutVersion.models.list()).data[0]?.id).toBe('inquest');
    expect(await withoutVersion.chat.completions.create(question)).toMatchObject({ model: 'inquest' });
  });

  it('is refused in the form of OpenAI at each of its addresses, with the fix', async () => {
    const { url } = await startChat();
    const root = url.replace(/\/v1$/, '');
    const headers = { 'content-type': 'application/json' };
    const post = (body: string): RequestInit => ({ method: 'POST', headers, body });
    const requests: [path: string, init: RequestInit, status: number, fix: string][] = [
      ['/v1/models/nosuch', {}, 404, 'GET /v1/models lists those there are: inquest'],
      ['/models/nosuch', {}, 404, 'GET /v1/models lists those there are: inquest'],
      ['/v1/chat/completions', {}, 405, 'POST'],
      ['/chat/completions', {}, 405, 'POST'],
      ['/v1/chat/completions/x', {}, 404, 'GET /v1/openapi.json'],
      ['/chat/completions', post('{'), 400, 'JSON'],
      [
        '/v1/chat/completions',
        post('{"model":"nosuch","messages":[{"role":"user","content":"x"}]}'),
        400,
        'nosuch',
      ],
    ];
    for (const [path, init, status, fix] of requests) {
      const response = await fetch(`${root}${path}`, init);
      const body = (await response.json()) as object;
      expect([path, response.status, body]).toEqual([
        path,
        status,
        {
          error: expect.objectContaining({ message: expect.stringContaining(fix), code: expect.any(String) }),
        },
      ]);
    }
  });

  it('that fails ends the stream with an error', async () => {
    const { client, url } = await startChat([
      { turns: [{ failures: Array(40).fill({ status: 400 }), text: 'x' }] },
    ]);
    const body = JSON.stringify({ ...question, stream: true });
    const headers = { 'content-type': 'application/json' };
    const blocks = await blocksOf(await fetch(`${url}/chat/completions`, { method: 'POST', headers, body }));
    expect(blocks.map(([name, data]) => name ?? data).slice(-3)).toEqual(['error', 'done', '[DONE]']);
    expect(JSON.parse(blocks.at(-2)?.[1] ?? '')).toMatchObject({ reason: 'error' });
    expect(client).toBeDefined();
  });
});

it('a stream has its events in order, results matched to their calls', async () => {
  const { url } = await startChat();
  const body = JSON.stringify({ ...question, stream: true });
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${url}/chat/completions`, { method: 'POST', headers, body });
  const blocks = await blocksOf(response);
  const seen = blocks.map(([name, data]) => {
    if (data === '[DONE]') return data;
    const value = JSON.parse(data);
    if (name === undefined) return value.choices[0]?.delta.content ?? value.choices[0]?.finish_reason;
    expect(value.choices).toEqual([]);
    return name === 'tool_call'
      ? `${value.tool_name} ${value.status}`
      : `${name} ${value.label ?? value.reason}`;
  });
  const results = seen.slice(8, 10);
  expect([...seen.slice(0, 8), ...seen.slice(10)]).toEqual([
    'progress Thinking',
    'I look.',
    'fixture.echo started',
    'progress Calling fixture.echo',
    'fixture.echo executing',
    'fixture.fail started',
    'progress Calling fixture.fail',
    'fixture.fail executing',
    '\n\nIt is the disk.',
    'progress Done',
    'stop',
    'done stop',
    '[DONE]',
  ]);
  expect(results.sort()).toEqual(['fixture.echo completed', 'fixture.fail failed']);
});
