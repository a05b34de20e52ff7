// `npm run test:live`: records the shapes of the Interactions API in `.inquest/live/interactions.json`, and
// names the documented facts that are wrong. It costs a few cents, and needs a key. A webhook is recorded
// with `GEMINI_LIVE_WEBHOOK_URL`, a public address that leads to `GEMINI_LIVE_WEBHOOK_PORT` of this machine.

import { mkdirSync, writeFileSync } from 'node:fs';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { FACTS, type Recording, recordInteractions } from './interactions.ts';

const {
  GEMINI_API_KEY,
  GEMINI_LIVE_MODEL: model = 'gemini-3.8-flash',
  GOOGLE_GEMINI_BASE_URL: baseUrl = 'https://generativelanguage.googleapis.com',
  GEMINI_LIVE_WEBHOOK_URL: url,
  GEMINI_LIVE_WEBHOOK_PORT: port = '8080',
} = process.env;
const NO_KEY = 'GEMINI_API_KEY is not set: these tests ask the real Gemini API, and nothing was asked';
const FOLDER = new URL('../../.inquest/live/', import.meta.url);
let recording: Recording;

beforeAll(async () => {
  if (!GEMINI_API_KEY) return;
  const webhook = url ? { url, port: Number(port) } : undefined;
  recording = await recordInteractions({ baseUrl, key: GEMINI_API_KEY, model, webhook });
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(new URL('interactions.json', FOLDER), JSON.stringify(recording, null, 2));
}, 900_000);
beforeEach(({ skip }) => skip(!GEMINI_API_KEY, NO_KEY));

describe(`the Interactions API of ${model}`, () => {
  it.for(FACTS)('$name', ({ holds }, { skip }) => {
    const answer = holds(recording);
    skip(answer === undefined, 'the recording cannot tell');
    expect(answer).toBe(true);
  });
});
