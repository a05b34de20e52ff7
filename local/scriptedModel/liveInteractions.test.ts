// The recording of `npm run test:live` against the scripted Gemini, which speaks as documented.

import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { FACTS, recordInteractions } from '../../test/live/interactions.ts';
import { startScriptedModel } from './startScriptedModel.ts';

const MODEL = 'gemini-3.8-flash';
/** The scripted Gemini returns the steps of the model only. */
const NOT_SCRIPTED = ['`get` returns the steps of the user, too'];

it('a recording tells which documented facts hold', async () => {
  const long = { text: 'A river is long. '.repeat(30), delayMs: 2 };
  const slow = { text: 'A mountain.', firstDelayMs: 60_000 };
  const conversations = [
    { when: { user: 'Which day' }, turns: [{ thinking: 'Hm.', text: 'Tuesday.' }] },
    { when: { user: 'Call the tool' }, turns: [{ toolCalls: [{ name: 'clock', args: {} }] }] },
    { when: { user: 'two thousand' }, turns: [slow] },
    { turns: [long] },
  ];
  const gemini = await startScriptedModel({ script: { conversations } });
  onTestFinished(() => gemini.stop());
  const port = await freePort();
  const webhook = { url: `http://127.0.0.1:${port}/`, port };
  const recording = await recordInteractions({ baseUrl: gemini.url, key: 'a-key', model: MODEL, webhook });
  const wrong = FACTS.filter(({ holds }) => holds(recording) !== true).map(({ name }) => name);
  expect(wrong).toEqual(NOT_SCRIPTED);
  expect(gemini.interactions.size).toBe(0);
  // A fact that does not hold is found.
  const { inline } = recording;
  const changed = { ...recording, inline: { ...inline, body: { ...inline.body, status: 'done' } } };
  expect(FACTS.filter(({ holds }) => holds(changed) === false)).toHaveLength(2);
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
