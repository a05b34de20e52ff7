// Questions through Anthropic's own client, unmodified, over a socket.

import Anthropic from '@anthropic-ai/sdk';
import { describe, expect, it } from 'vitest';
import { startChatApi } from '../support/chatApi.ts';

async function startChat(conversations?: object[]) {
  const api = await startChatApi(conversations);
  const baseURL = api.url.replace(/\/v1$/, '');
  return { ...api, client: new Anthropic({ baseURL, apiKey: 'none', maxRetries: 0 }) };
}

const asked = (content: string) => ({ role: 'user' as const, content });
const question = { model: 'inquest', max_tokens: 1_024, messages: [asked('What is it?')] };

describe('a question through the client of Anthropic', () => {
  it('is answered whole', async () => {
    const { client } = await startChat();
    const { data, response } = await client.messages.create(question).withResponse();
    expect(data).toMatchObject({
      type: 'message',
      role: 'assistant',
      model: 'inquest',
      content: [{ type: 'text', text: 'It is the disk.' }],
      stop_reason: 'end_turn',
      stop_sequence: null,
    });
    expect(data.usage.output_tokens).toBeGreaterThan(0);
    expect(response.headers.get('x-session-id')).toMatch(/^\d{4}-\d\d-\d\d-what-is-it-/);
  });

  it('is streamed as blocks, without calls of tools', async () => {
    const { client } = await startChat();
    const stream = client.messages.stream(question);
    const types = new Set<string>();
    for await (const { type } of stream) types.add(type);
    const message = await stream.finalMessage();
    expect(message.content.map((block) => (block.type === 'text' ? block.text : block.type))).toEqual([
      'I look.',
      'It is the disk.',
    ]);
    expect(message.stop_reason).toBe('end_turn');
    expect(message.usage.output_tokens).toBeGreaterThan(0);
    expect([...types]).toEqual([
      'message_start',
      'content_block_start',
      'content_block_delta',
      'content_block_stop',
      'message_delta',
      'message_stop',
    ]);
  });

  it('continues its session with the messages as they were, and with no others', async () => {
    const turns = [{ turns: [{ text: 'It is the disk.' }, { text: 'Disk 3.' }, { text: 'Since ten.' }] }];
    const { client, read } = await startChat(turns);
    const first = client.messages.stream(question);
    const answer = await first.finalMessage();
    const sessionId = first.response?.headers.get('x-session-id') ?? '';
    const inSession = { headers: { 'X-Session-Id': sessionId } };
    const ask = (messages: Anthropic.MessageParam[]) =>
      client.messages.create({ ...question, messages }, inSession);
    const before = [asked('What is it?'), { role: 'assistant' as const, content: answer.content }];
    const second = await ask([...before, asked('Which one?')]);
    expect(second.content).toMatchObject([{ text: 'Disk 3.' }]);
    const changed = [asked('What is it?'), { role: 'assistant' as const, content: 'It is the network.' }];
    await expect(
      ask([...changed, asked('Which one?'), { role: 'assistant', content: 'Disk 3.' }, asked('Since when?')]),
    ).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('body.messages.1: differs from the session'),
    });
    expect((await read(sessionId)).session.questions).toBe(2);
    expect((await ask([asked('Since when?')])).content).toMatchObject([{ text: 'Since ten.' }]);
  });

  it('that is refused is an error of the client', async () => {
    const { client } = await startChat();
    const create = (change: object) => client.messages.create({ ...question, ...change } as never);
    await expect(create({ model: 'nosuch' })).rejects.toBeInstanceOf(Anthropic.NotFoundError);
    await expect(create({ messages: [] })).rejects.toBeInstanceOf(Anthropic.BadRequestError);
    const tools = [{ name: 'get_weather', input_schema: { type: 'object' } }];
    await expect(create({ tools })).rejects.toMatchObject({
      status: 400,
      type: 'invalid_request_error',
      message: expect.stringContaining('leave out get_weather'),
    });
  });

  it('counts tokens', async () => {
    const { client } = await startChat();
    const { max_tokens: _, ...counted } = question;
    const short = await client.messages.countTokens(counted);
    const long = await client.messages.countTokens({ ...counted, messages: [asked('word '.repeat(100))] });
    expect(short.input_tokens).toBeGreaterThan(2);
    expect(long.input_tokens).toBeGreaterThan(99);
  });
});
