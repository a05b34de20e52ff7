// `npm run test:live`: asks the real Gemini API for every shape that was never seen accepted. It costs a few
// cents, and needs a key. `GEMINI_LIVE_MODEL` names another model; `GOOGLE_GEMINI_BASE_URL` leads to another
// server.

import { beforeEach, describe, expect, it } from 'vitest';
import { createGeminiClient } from '../../shared/llm/gemini/client.ts';
import { SHAPES, sendShape } from './shapes.ts';

const { GEMINI_API_KEY, GEMINI_LIVE_MODEL: model = 'gemini-3.8-flash' } = process.env;
const NO_KEY = 'GEMINI_API_KEY is not set: these tests ask the real Gemini API, and nothing was asked';

beforeEach(({ skip }) => skip(!GEMINI_API_KEY, NO_KEY));

describe(`${model} accepts`, () => {
  it.each(SHAPES)('$name', async (shape) => {
    const client = createGeminiClient({ env: process.env });
    expect(await sendShape(shape, client, model)).toEqual([]);
  });
});
