// Questions in the form of the Responses API, over a socket: continued, and cancelled.

import { expect, it, onTestFinished } from 'vitest';
import { startChatApi } from '../../support/chatApi.ts';

async function start(turns: object[]) {
  // A model that thinks, thinks until the test is over.
  const isOver = Promise.withResolvers<void>();
  const api = await startChatApi([{ turns }], (ms) => (ms > 1000 ? isOver.promise : Promise.resolve()));
  onTestFinished(() => isOver.resolve());
  const post = async (path: string, body: object = {}) => {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${api.url}${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    return { status: response.status, body: (await response.json()) as { id: string; status: string } };
  };
  return { ...api, post };
}

it('a response that is not the newest cannot be continued, and its cancellation leaves the newest alone', async () => {
  const { post, url } = await start([{ text: 'A.' }, { delayMs: 60_000, text: 'B.' }]);
  const first = (await post('/responses', { input: 'a' })).body;
  expect(first).toMatchObject({ status: 'completed', output: [{ content: [{ text: 'A.' }] }] });
  const continued = { input: 'b', previous_response_id: first.id, background: true };
  const second = (await post('/responses', continued)).body;
  expect(second).toMatchObject({ status: 'in_progress', previous_response_id: first.id });
  expect(await post('/responses', { input: 'c', previous_response_id: first.id })).toMatchObject({
    status: 400,
    body: { error: { param: 'previous_response_id', message: expect.stringContaining('later questions') } },
  });
  expect((await post(`/responses/${first.id}/cancel`)).body.status).toBe('completed');
  const read = async () => (await fetch(`${url}/responses/${second.id}`)).json();
  expect(await read()).toMatchObject({ id: second.id, status: 'in_progress' });
  expect((await post(`/responses/${second.id}/cancel`)).body.status).toBe('cancelled');
  expect(await read()).toMatchObject({ status: 'cancelled', output: [] });
});
