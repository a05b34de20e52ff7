import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import type { GenerateOptions, LlmRequest } from '../../shared/core/contract/llm.ts';
import { RetryableError, TerminalError } from '../../shared/core/errors.ts';
import { createRelayClient } from './relayClient.ts';

const KEY = 'relay-secret-0123';
type Reply = (response: ServerResponse) => void;
const says =
  (said: string, finish = 'stop'): Reply =>
  (response) =>
    response.end(JSON.stringify({ text: said, finish, tokens: { input: 9, output: 2 } }));
const refuses =
  (status: number, body: string, headers = {}): Reply =>
  (response) =>
    response.writeHead(status, headers).end(body);

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

const request: LlmRequest = {
  model: { provider: 'relay', model: 'relay-1', includeThoughts: false },
  messages: [
    { role: 'system', blocks: [{ blockType: 'text', textContent: 'You investigate.' }] },
    { role: 'user', blocks: [{ blockType: 'text', textContent: 'Why?' }] },
  ],
  tools: [],
};

/** Asks a Relay that gives these replies in turn, the last one again and again. */
async function ask(replies: Reply[], call: Partial<GenerateOptions> = {}) {
  const asked: { headers: IncomingHttpHeaders; body: unknown }[] = [];
  const server = createServer(async (incoming, response) => {
    asked.push({ headers: incoming.headers, body: JSON.parse(await text(incoming)) });
    replies[Math.min(asked.length, replies.length) - 1]?.(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => server.close().closeAllConnections());

  const waits: number[] = [];
  const client = createRelayClient({
    env: { RELAY_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, RELAY_API_KEY: KEY },
    random: () => 0,
    sleep: async (ms) => {
      waits.push(ms);
    },
  });
  const report = { requestBytes: 0, responseBytes: 0, attempts: 0, attemptErrors: [] };
  const options: GenerateOptions = { signal: new AbortController().signal, report, ...call };
  const result = await client.generate(request, options).catch((thrown: unknown) => thrown);
  return { result, asked, waits, report: options.report };
}

describe('an answer', () => {
  it('is asked for with the key, the model and the conversation as text', async () => {
    const { asked } = await ask([says('Memory.')]);
    expect(asked).toMatchObject([
      {
        headers: { authorization: `Bearer ${KEY}` },
        body: {
          model: 'relay-1',
          messages: [
            { role: 'system', content: 'You investigate.' },
            { role: 'user', content: 'Why?' },
          ],
        },
      },
    ]);
  });

  it('is finished, with its costs in the report', async () => {
    const { result, report } = await ask([says('Memory.')]);
    const usage = { input: 9, output: 2, thinking: 0, cached: 0, total: 11 };
    expect(result).toMatchObject({ text: 'Memory.', usage, finishReason: 'stop', truncated: false });
    expect(report).toMatchObject({ attempts: 1, attemptErrors: [], usage, finishReason: 'stop' });
    expect(report.requestBytes).toBeGreaterThan(0);
    expect(report.responseBytes).toBeGreaterThan(0);
  });

  it('that was cut at the limit is marked as cut', async () => {
    expect((await ask([says('Mem', 'length')])).result).toMatchObject({ truncated: true });
  });
});

describe('a failure that can be temporary', () => {
  it.each<[string, Reply, number]>([
    ['a rate limit, after the wait it asks for', refuses(429, 'slow down', { 'retry-after': '3' }), 3000],
    ['a server error', refuses(503, 'busy'), 0],
    ['an empty answer', says(' '), 0],
    ['no JSON', refuses(200, '{"text": "Mem'), 0],
    ['a broken connection', (response) => response.destroy(), 0],
  ])('is tried again: %s', async (_, failing, wait) => {
    const { result, waits, report } = await ask([failing, says('Memory.')]);
    expect(result).toMatchObject({ text: 'Memory.' });
    expect(waits).toEqual([wait]);
    expect(report).toMatchObject({ attempts: 2, attemptErrors: [expect.stringMatching(/^MODEL_/)] });
  });

  it('ends as a retryable error when the attempts are used up', async () => {
    const { result, asked } = await ask([refuses(503, 'busy')]);
    expect(result).toBeInstanceOf(RetryableError);
    expect(result).toMatchObject({ code: 'MODEL_UNAVAILABLE' });
    expect(asked).toHaveLength(3);
  });
});

describe('a failure that stays', () => {
  it.each([
    [400, 'MODEL_BAD_REQUEST'],
    [401, 'MODEL_CREDENTIALS'],
    [404, 'MODEL_UNKNOWN'],
  ])('(%i) is a terminal error, and the key is not in it', async (status, code) => {
    const { result, asked, report } = await ask([refuses(status, `Authorization: Bearer ${KEY}`)]);
    expect(result).toBeInstanceOf(TerminalError);
    expect(result).toMatchObject({ code });
    expect(asked).toHaveLength(1);
    expect(`${String(result)} ${report.attemptErrors}`).not.toContain(KEY);
  });
});

it('an abort throws its reason, and is no failure of the model', async () => {
  const abort = new AbortController();
  const reason = new Error('the lease is lost');
  const { result, report } = await ask([() => abort.abort(reason)], { signal: abort.signal });
  expect(result).toBe(reason);
  expect(report.attemptErrors).toEqual([]);
});
