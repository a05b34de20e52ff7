// Questions through the AI SDK, unmodified.

import { createOpenAI } from '@ai-sdk/openai';
import { generateText, streamText } from 'ai';
import { describe, expect, it } from 'vitest';
import { startChatApi } from '../support/chatApi.ts';

const prompt = 'What is it?';

describe('the AI SDK', () => {
  const start = async (conversations?: object[]) => {
    const api = await startChatApi(conversations);
    const provider = createOpenAI({ baseURL: api.url, apiKey: 'none' });
    return { ...api, model: provider.chat('inquest'), provider };
  };

  it('gets a whole answer, with usage and session', async () => {
    const { model, read } = await start();
    const { text, finishReason, usage, response } = await generateText({ model, prompt });
    expect({ text, finishReason }).toEqual({ text: 'It is the disk.', finishReason: 'stop' });
    expect(usage.totalTokens).toBeGreaterThan(0);
    const { session } = await read(response.headers?.['x-session-id'] ?? '');
    expect(session).toMatchObject({ kind: 'chat', questions: 1 });
  });

  it('gets an answer as it is written', async () => {
    const { model } = await start();
    const { textStream, finishReason, usage } = streamText({ model, prompt });
    let text = '';
    for await (const piece of textStream) text += piece;
    expect(text).toBe('I look.\n\nIt is the disk.');
    expect(await finishReason).toBe('stop');
    expect((await usage).totalTokens).toBeGreaterThan(0);
  });

  it('continues a session, and repeats earlier messages', async () => {
    const { provider, gemini, read } = await start([{ turns: [{ text: 'The disk.' }, { text: 'Disk 3.' }] }]);
    const model = provider.chat('inquest');
    const { response } = await generateText({ model, prompt });
    const sessionId = response.headers?.['x-session-id'] ?? '';
    const headers = { 'X-Session-Id': sessionId };
    expect((await generateText({ model, prompt: 'Which?', headers })).text).toBe('Disk 3.');
    expect((await read(sessionId)).session.questions).toBe(2);
    await generateText({
      model,
      messages: [
        { role: 'user', content: prompt },
        { role: 'assistant', content: 'The disk.' },
        { role: 'user', content: 'Which?' },
      ],
    });
    expect(JSON.stringify(gemini.requests.at(-1))).toContain('Assistant: The disk.');
  });

  it('gets the reason why a question cannot be asked', async () => {
    const { provider } = await start();
    const asking = generateText({ model: provider.chat('nosuch'), prompt, maxRetries: 0 });
    await expect(asking).rejects.toMatchObject({
      statusCode: 400,
      message: expect.stringContaining('nosuch'),
      data: { error: { code: 'CONFIG_UNKNOWN_CHAIN' } },
    });
  });
});

describe('the default model of the AI SDK', () => {
  it('gets a whole answer, and continues it by the reference to its item', async () => {
    const api = await startChatApi([{ turns: [{ text: 'The disk.' }, { text: 'Disk 3.' }] }]);
    const model = createOpenAI({ baseURL: api.url, apiKey: 'none' })('inquest');
    const first = await generateText({ model, prompt });
    expect(first).toMatchObject({ text: 'The disk.', finishReason: 'stop' });
    expect(first.usage.totalTokens).toBeGreaterThan(0);
    const messages = [
      { role: 'user' as const, content: prompt },
      ...first.response.messages,
      { role: 'user' as const, content: 'Which?' },
    ];
    const second = await generateText({ model, messages });
    expect(second.text).toBe('Disk 3.');
    const sessionId = first.response.headers?.['x-session-id'] ?? '';
    expect(second.response.headers?.['x-session-id']).toBe(sessionId);
    expect((await api.read(sessionId)).session.questions).toBe(2);
    await expect(generateText({ model, messages, maxRetries: 0 })).rejects.toMatchObject({
      statusCode: 400,
      message: expect.stringContaining('has later questions; continue the newest response'),
    });
  });

  it('gets an answer as it is written', async () => {
    const api = await startChatApi();
    const model = createOpenAI({ baseURL: api.url, apiKey: 'none' })('inquest');
    const { textStream, finishReason, usage } = streamText({ model, prompt });
    let text = '';
    for await (const piece of textStream) text += piece;
    expect(text).toBe('I look.It is the disk.');
    expect(await finishReason).toBe('stop');
    expect((await usage).totalTokens).toBeGreaterThan(0);
  });
});
