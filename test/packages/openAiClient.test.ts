// Questions through OpenAI's own client, unmodified, over a socket.

import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { startChatApi } from '../support/chatApi.ts';

async function startChat(conversations?: object[]) {
  const api = await startChatApi(conversations);
  return { ...api, client: new OpenAI({ baseURL: api.url, apiKey: 'none', maxRetries: 0 }) };
}

const question = { model: 'inquest', messages: [{ role: 'user' as const, content: 'What is it?' }] };

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

  it('continues its session, or repeats earlier messages', async () => {
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

  it('that fails while it streams is an error of the client, with the object that it looks for', async () => {
    const { client } = await startChat([
      { turns: [{ failures: Array(40).fill({ status: 400 }), text: 'x' }] },
    ]);
    const stream = await client.chat.completions.create({ ...question, stream: true });
    const reading = (async () => {
      for await (const _ of stream);
    })();
    await expect(reading).rejects.toMatchObject({
      error: { type: 'server_error', code: expect.any(String) },
    });
  });
});

describe('a response through the client of OpenAI', () => {
  it('is answered whole and streamed, and its stream can be read again from any event', async () => {
    const { client } = await startChat();
    const asked = { model: 'inquest', input: 'What is it?' };
    const whole = await client.responses.create(asked);
    expect(whole).toMatchObject({ status: 'completed', output_text: 'It is the disk.', error: null });
    expect(whole.usage?.total_tokens).toBeGreaterThan(0);
    const stream = await client.responses.create({
      ...asked,
      input: 'Again?',
      background: true,
      stream: true,
    });
    const events: OpenAI.Responses.ResponseStreamEvent[] = [];
    for await (const event of stream) events.push(event);
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual([...events.keys()]);
    expect(events.map(({ type }) => type.replace('response.', ''))).toEqual([
      'created',
      'in_progress',
      ...Array(2)
        .fill([
          'output_item.added',
          'content_part.added',
          'output_text.delta',
          'output_text.done',
          'content_part.done',
          'output_item.done',
        ])
        .flat(),
      'completed',
    ]);
    const created = events[0] as OpenAI.Responses.ResponseCreatedEvent;
    const rest = await client.responses.retrieve(created.response.id, { stream: true, starting_after: 8 });
    const seen: object[] = [];
    for await (const event of rest) seen.push(event);
    expect(seen.slice(0, -1)).toEqual(events.slice(9, -1));
    expect(seen.at(-1)).toMatchObject({ type: 'response.completed', response: { id: created.response.id } });
  });

  it('in the background is read later, and cancelled', async () => {
    const { client, read } = await startChat([{ turns: [{ delayMs: 10_000, text: 'x' }] }]);
    const asked = { model: 'inquest', input: 'What is it?', background: true };
    const { data, response } = await client.responses.create(asked).withResponse();
    expect(data.status).toBe('in_progress');
    expect((await client.responses.retrieve(data.id)).status).toBe('in_progress');
    expect(await client.responses.cancel(data.id)).toMatchObject({ id: data.id, status: 'cancelled' });
    expect((await client.responses.cancel(data.id)).status).toBe('cancelled');
    const { executions } = await read(response.headers.get('x-session-id') ?? '');
    expect(executions.map(({ status }) => status)).toEqual(['cancelled']);
  });

  it('continues the newest response only', async () => {
    const { client } = await startChat([{ turns: [{ text: 'A.' }, { text: 'B.' }] }]);
    const ask = (input: string, previous_response_id?: string) =>
      client.responses.create({
        model: 'inquest',
        input,
        previous_response_id: previous_response_id ?? null,
      });
    const first = await ask('a');
    expect(await ask('b', first.id)).toMatchObject({ output_text: 'B.', previous_response_id: first.id });
    await expect(ask('c', first.id)).rejects.toMatchObject({
      status: 400,
      param: 'previous_response_id',
      message: expect.stringContaining('continue the newest response'),
    });
    await expect(ask('c', 'resp_nosuch')).rejects.toBeInstanceOf(OpenAI.NotFoundError);
  });

  it('with what agents cannot keep is refused by its name', async () => {
    const { client } = await startChat();
    const create = (change: object) =>
      client.responses.create({ model: 'inquest', input: 'x', ...change } as never);
    for (const [change, param] of [
      [{ tools: [{ type: 'web_search' }] }, 'tools'],
      [{ conversation: 'conv_1' }, 'conversation'],
      [{ prompt: { id: 'p' } }, 'prompt'],
      [{ store: false }, 'store'],
      [{ max_output_tokens: 5 }, 'max_output_tokens'],
      [{ input: [{ type: 'function_call_output', call_id: 'c', output: 'x' }] }, 'input.0.type'],
      [{ input: [{ role: 'user', content: [{ type: 'input_image', image_url: 'x' }] }] }, 'input'],
      [{ input: '' }, 'input'],
      [{ text: { format: { type: 'json_object' } } }, 'text.format'],
    ] as const)
      await expect(create(change), param).rejects.toMatchObject({ status: 400, param });
  });
});
