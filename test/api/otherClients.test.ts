// Questions through other clients that speak OpenAI's wire form, unmodified: the AI SDK, and curl.

import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
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

  it('is given an answer whole, with what it used and its session', async () => {
    const { model, read } = await start();
    const { text, finishReason, usage, response } = await generateText({ model, prompt });
    expect({ text, finishReason }).toEqual({ text: 'It is the disk.', finishReason: 'stop' });
    expect(usage.totalTokens).toBeGreaterThan(0);
    const { session } = await read(response.headers?.['x-session-id'] ?? '');
    expect(session).toMatchObject({ kind: 'chat', questions: 1 });
  });

  it('is given an answer as it is found', async () => {
    const { model } = await start();
    const { textStream, finishReason, usage } = streamText({ model, prompt });
    let text = '';
    for await (const piece of textStream) text += piece;
    expect(text).toBe('I look.\n\nIt is the disk.');
    expect(await finishReason).toBe('stop');
    expect((await usage).totalTokens).toBeGreaterThan(0);
  });

  it('goes on in a session, and takes along what was said', async () => {
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

  it('is told why a question cannot be asked', async () => {
    const { provider } = await start();
    const asking = generateText({ model: provider.chat('nosuch'), prompt, maxRetries: 0 });
    await expect(asking).rejects.toMatchObject({
      statusCode: 400,
      message: expect.stringContaining('nosuch'),
      data: { error: { code: 'CONFIG_UNKNOWN_CHAIN' } },
    });
  });
});

const hasCurl = spawnSync('curl', ['--version']).status === 0;

describe.skipIf(!hasCurl)(hasCurl ? 'curl' : 'curl, which is not installed', () => {
  const curl = async (...args: string[]): Promise<string> =>
    (await promisify(execFile)('curl', ['-sS', '-N', ...args])).stdout;

  it('prints chunks and named events as they come', async () => {
    const { url } = await startChatApi();
    const body = JSON.stringify({
      model: 'inquest',
      stream: true,
      messages: [{ role: 'user', content: prompt }],
    });
    const printed = await curl('-H', 'content-type: application/json', '-d', body, `${url}/chat/completions`);
    const lines = printed.split('\n').filter((line) => line !== '');
    expect(lines.at(-1)).toBe('data: [DONE]');
    expect(lines.filter((line) => line.startsWith('event: ')).map((line) => line.slice(7))).toEqual(
      expect.arrayContaining(['progress', 'tool_call', 'done']),
    );
    const texts = lines.flatMap((line) => /"delta":\{[^}]*"content":("[^"]*")/.exec(line)?.[1] ?? []);
    expect(texts.map((text) => JSON.parse(text)).join('')).toBe('I look.\n\nIt is the disk.');
    expect(lines.every((line) => /^(?:event|data): /.test(line))).toBe(true);
  });

  it('follows a session to its end', async () => {
    const { url, ask, publishAlert } = await startChatApi([{ turns: [{ text: 'The disk.' }] }]);
    const sessionId = await publishAlert();
    await expect.poll(async () => (await ask(`/v1/sessions/${sessionId}`)).status).toBe(200);
    const printed = await curl(`${url}/sessions/${sessionId}/events`);
    expect(printed).toMatch(/^event: session$/m);
    expect(printed).toMatch(/"eventType":"final_analysis"/);
    expect(printed.trim().split('\n\n').at(-1)).toMatch(/^event: end\n/);
  });
});
