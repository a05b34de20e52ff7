// The shapes of `npm run test:live` against the scripted Gemini: they are sent as meant.

import { describe, expect, it, onTestFinished } from 'vitest';
import { createGeminiClient } from '../../shared/llm/gemini/client.ts';
import { SHAPES, sendShape } from '../../test/live/shapes.ts';
import type { ModelScript } from './modelScript.ts';
import { startScriptedModel } from './startScriptedModel.ts';

const MODEL = 'gemini-3.8-flash';
type Conversation = ModelScript['conversations'][number];
const clock = { name: 'clock.now', args: {} };
const DONE = { text: 'Done.' };

/** What each shape is answered first. */
const ANSWERS: Record<string, Conversation['turns'][number]> = {
  'code parts without ids': {
    codeExecutions: [{ code: 'print(12345 * 6789)', result: '83810205' }],
    text: 'It is.',
  },
  'a call without arguments': { toolCalls: [clock] },
  'a forced conclusion after server tools': {
    grounding: { queries: ['node'], sources: [{ uri: 'https://nodejs.org', title: 'nodejs.org' }] },
    toolCalls: [clock],
  },
  'signed text': { thinking: 'Hm.', text: 'Tuesday' },
  'signed text that is rebuilt from its blocks': { thinking: 'Hm.', text: '10' },
};

async function sent(shape: (typeof SHAPES)[number], answer = ANSWERS[shape.name] ?? DONE) {
  const conversation = { when: { user: shape.prompt }, turns: [answer, DONE], conclusion: DONE };
  const gemini = await startScriptedModel({ script: { conversations: [conversation] } });
  onTestFinished(() => gemini.stop());
  const client = createGeminiClient({ env: { GOOGLE_GEMINI_BASE_URL: gemini.url } });
  const errors = await sendShape(shape, client, MODEL);
  return { errors, body: JSON.stringify(gemini.requests.at(-1)?.body), count: gemini.requests.length };
}
const shapeOf = (name: string) => SHAPES.find((shape) => shape.name === name) ?? expect.unreachable(name);

describe('a shape of the live tests', () => {
  it.each(SHAPES)('is sent and accepted: $name', async (shape) => {
    expect(await sent(shape)).toMatchObject({ errors: [], count: 2 });
  });

  it('is the one that its name describes', async () => {
    const code = await sent(shapeOf('code parts without ids'));
    expect(code.body).toContain('"executableCode":{"language":"PYTHON","code":"print(12345 * 6789)"}');
    const call = await sent(shapeOf('a call without arguments'));
    expect(call.body).toMatch(/"functionCall":\{("id":"[^"]*",)?"name":"clock__now"(,"id":"[^"]*")?\}/);
    const conclusion = await sent(shapeOf('a forced conclusion after server tools'));
    expect(conclusion.body).toContain('"toolResponse"');
    expect(conclusion.body).not.toContain('"tools"');
    for (const name of ['signed text', 'signed text that is rebuilt from its blocks']) {
      expect((await sent(shapeOf(name))).body).toContain('"thoughtSignature"');
    }
  });

  it('that the model gives no occasion for is reported as not tried', async () => {
    await expect(sent(shapeOf('code parts without ids'), DONE)).rejects.toThrow('not tried');
  });
});
