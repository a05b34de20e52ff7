// An API on a port, an agent with tools answers its chats; messages are delivered at once.

import { onTestFinished } from 'vitest';
import { startApiBench } from './apiBench.ts';
import { serveApi } from './serveApi.ts';

/** A text, two calls of which one fails, and an answer. */
const TURNS = [
  {
    text: 'I look.',
    toolCalls: [
      { name: 'fixture.echo', args: { text: 'a' } },
      { name: 'fixture.fail', args: {} },
    ],
  },
  { text: 'It is the disk.' },
];

/** Starts it. `url` is the base of clients of OpenAI. */
export async function startChatApi(conversations: object[] = [{ turns: TURNS }]) {
  const api = await startApiBench({ script: { conversations }, chat: { tools: ['fixture'] } } as never);
  const { url } = await serveApi(api);
  let isOver = false;
  const delivering = (async () => {
    while (!isOver) {
      await api.drain();
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  })();
  onTestFinished(async () => {
    isOver = true;
    await delivering;
  });
  return { ...api, url: `${url}/v1` };
}
