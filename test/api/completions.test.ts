// Questions in OpenAI's wire form, over a socket.

import { expect, it } from 'vitest';
import { startChatApi } from '../support/chatApi.ts';

const question = { model: 'inquest', messages: [{ role: 'user', content: 'What is it?' }] };

/** The blocks of a stream, as `[name of the event, data]`. */
async function blocksOf(response: Response): Promise<[string | undefined, string][]> {
  return (await response.text())
    .split('\n\n')
    .filter((block) => block !== '')
    .map((block) => [/^event: (.*)$/m.exec(block)?.[1], /^data: (.*)$/m.exec(block)?.[1] ?? '']);
}

it('a stream has its events in order, results matched to their calls', async () => {
  const { url } = await startChatApi();
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

it('a question that fails ends the stream with an error', async () => {
  const { url } = await startChatApi([{ turns: [{ failures: Array(40).fill({ status: 400 }), text: 'x' }] }]);
  const body = JSON.stringify({ ...question, stream: true });
  const headers = { 'content-type': 'application/json' };
  const blocks = await blocksOf(await fetch(`${url}/chat/completions`, { method: 'POST', headers, body }));
  expect(blocks.map(([name, data]) => name ?? data).slice(-3)).toEqual(['error', 'done', '[DONE]']);
  expect(JSON.parse(blocks.at(-2)?.[1] ?? '')).toMatchObject({ reason: 'error' });
});

it('a request that cannot be answered is refused in the form of OpenAI at each of its addresses, with the fix', async () => {
  const { url } = await startChatApi();
  const root = url.replace(/\/v1$/, '');
  const headers = { 'content-type': 'application/json' };
  const post = (body: string): RequestInit => ({ method: 'POST', headers, body });
  const requests: [path: string, init: RequestInit, status: number, fix: string][] = [
    ['/v1/models/nosuch', {}, 404, 'GET /v1/models lists the models: inquest'],
    ['/models/nosuch', {}, 404, 'GET /v1/models lists the models: inquest'],
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
