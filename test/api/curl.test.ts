// Questions and event streams through curl.

import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { startChatApi } from '../support/chatApi.ts';

const prompt = 'What is it?';
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
