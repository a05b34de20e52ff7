// An API on a port, an agent with tools answers its chats; messages are delivered at once.

import { onTestFinished } from 'vitest';
import type { Sleep } from '../../packages/scripted-gemini/src/index.ts';
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

/** Starts it. `url` is the base of clients of OpenAI. `geminiSleep`: how the model waits. */
export async function startChatApi(conversations: object[] = [{ turns: TURNS }], geminiSleep?: Sleep) {
  const options = { script: { conversations }, chat: { tools: ['fixture'] }, geminiSleep };
  const api = await startApiBench(options as never);
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
