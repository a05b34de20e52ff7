import { describe, expect, it } from 'vitest';
import type { ConversationMessage } from '../../core/contract/llm.ts';
import { createGeminiClient } from './client.ts';
import type { GeminiPart } from './content.ts';
import { writeReplay } from './replay.ts';
import { DUMMY_SIGNATURE, replayableParts, signFirstCall } from './replayableParts.ts';
import { sse } from './streams.fixture.ts';

const S = 'c2lnbmF0dXJl';
const MODEL = 'gemini-3.8-flash';
const call = { functionCall: { name: 'k8s__logs', args: {} }, thoughtSignature: S };

/** What the SDK writes on the wire for an answer of these parts. */
async function onTheWire(
  parts: GeminiPart[],
  env: NodeJS.ProcessEnv = { GEMINI_API_KEY: 'k' },
): Promise<unknown> {
  const bodies: { contents: { parts: GeminiPart[] }[] }[] = [];
  const answer = sse([{ candidates: [{ content: { parts: [{ text: 'Hi' }] }, finishReason: 'STOP' }] }]);
  const client = createGeminiClient({
    env,
    fetch: async (_, init) => {
      bodies.push(JSON.parse(String(init?.body)));
      return new Response(answer, { headers: { 'content-type': 'text/event-stream' } });
    },
  });
  const messages: ConversationMessage[] = [
    { role: 'user', blocks: [{ blockType: 'text', textContent: 'Why?' }] },
    { role: 'assistant', blocks: [], replay: writeReplay(MODEL, parts) },
    { role: 'user', blocks: [{ blockType: 'text', textContent: 'And?' }] },
  ];
  const report = { requestBytes: 0, responseBytes: 0, attempts: 0, attemptErrors: [] };
  const request = {
    model: { provider: 'google' as const, model: MODEL, includeThoughts: true },
    messages,
    tools: [],
  };
  await client.generate(request, { signal: new AbortController().signal, report });
  return bodies[0]?.contents[1]?.parts;
}

const REPAIRED: [string, GeminiPart, GeminiPart[]][] = [
  ['a signature alone', { thoughtSignature: S }, [{ text: '', thoughtSignature: S }]],
  ['a kind the SDK drops', { newThing: { a: 1 }, thoughtSignature: S }, [{ text: '', thoughtSignature: S }]],
  ['such a kind without signature', { newThing: { a: 1 } }, []],
  ['nothing', {}, []],
  ['content that is null', { text: null, thoughtSignature: S }, [{ text: '', thoughtSignature: S }]],
  ['notes on content that is missing', { partMetadata: { a: 1 } }, []],
  [
    'a thought that is a signature alone',
    { thought: true, thoughtSignature: S },
    [{ text: '', thought: true, thoughtSignature: S }],
  ],
];

const VERBATIM: GeminiPart[] = [
  { text: '', thoughtSignature: S },
  { text: 'hm', thought: true },
  { inlineData: { mimeType: 'image/png', data: 'AAAA' }, videoMetadata: { fps: 1 } },
  { fileData: { mimeType: 'text/plain', fileUri: 'gs://a/b' } },
  { functionResponse: { name: 'x', response: {} } },
  { executableCode: { language: 'PYTHON', code: '1' }, thoughtSignature: S },
  { codeExecutionResult: { outcome: 'OUTCOME_OK' } },
  { toolCall: { id: 't', toolType: 'GOOGLE_SEARCH_WEB' }, partMetadata: { a: 1 } },
  { toolResponse: { id: 't', toolType: 'GOOGLE_SEARCH_WEB' } },
];

describe('parts of an answer on the wire', () => {
  it.each(REPAIRED)('%s beside a call has content or is left out', async (_, part, expected) => {
    expect(await onTheWire([call, part])).toEqual([call, ...expected]);
  });

  it('with content go as they came', async () => {
    expect(await onTheWire([call, ...VERBATIM])).toEqual([call, ...VERBATIM]);
  });
});

describe('parts that are replayed', () => {
  it('with content are the very same', () => {
    expect(JSON.stringify(replayableParts(VERBATIM))).toBe(JSON.stringify(VERBATIM));
  });

  it('of server-side tools, and their notes, are left out where the SDK throws on them', () => {
    const part = { text: 'a', partMetadata: { a: 1 } };
    expect(replayableParts([part, { partMetadata: { a: 1 } }, ...VERBATIM.slice(-2)], true)).toEqual([
      { text: 'a' },
    ]);
  });

  it('get the dummy signature on their first call when it has none', () => {
    const { functionCall } = call;
    const unsigned = [
      { text: 'a' },
      { functionCall: { ...functionCall } },
      { functionCall: { ...functionCall } },
    ];
    expect(signFirstCall(unsigned).map(({ thoughtSignature }) => thoughtSignature)).toEqual([
      undefined,
      DUMMY_SIGNATURE,
      undefined,
    ]);
    expect(signFirstCall([call, ...unsigned])).toEqual([call, ...unsigned]);
  });
});
