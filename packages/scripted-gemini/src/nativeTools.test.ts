import { describe, expect, it } from 'vitest';
import { parseScript } from './loadScript.ts';
import type { Script } from './script.ts';
import { MODEL, partsOf, refusal, replay, serve, TOOLS, textOf, user } from './serve.fixture.ts';

type Turn = Script['conversations'][number]['turns'][number];
const turns = (...list: Turn[]): Script => ({ conversations: [{ turns: list }] });
const native = [{ googleSearch: {} }, { codeExecution: {} }, { urlContext: {} }];
const URL = 'https://status.example.com/incidents/1';
const TEXT = `Störung seit 14:05 – ${'die Zahlungen schlagen fehl. '.repeat(8)}Behoben um 16:40.`;
const turn: Turn = {
  codeExecutions: [{ code: 'print(1)', result: '1\n' }, { code: 'x = 1' }],
  text: TEXT,
  grounding: {
    queries: ['störung zahlungen'],
    sources: [{ uri: URL, title: 'status.example.com' }],
    supports: [
      { text: 'Störung', sources: [0] },
      { text: 'Behoben um 16:40.', sources: [0] },
    ],
    urls: [{ url: URL }, { url: 'https://gone.example.com', status: 'ERROR' }],
    renderedContent: '<div>chip</div>',
  },
};

describe('an answer made with tools of the API', () => {
  it('brings code and output as parts before the text, with ids and a signature on the code', async () => {
    const { stream } = await serve(turns(turn));
    const id = expect.any(String);
    expect(partsOf(await stream({ config: { tools: native } })).slice(0, 3)).toEqual([
      {
        executableCode: { language: 'PYTHON', code: 'print(1)', id },
        thoughtSignature: expect.any(String),
      },
      { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '1\n', id } },
      { executableCode: { language: 'PYTHON', code: 'x = 1', id }, thoughtSignature: expect.any(String) },
    ]);
  });

  it('brings them bare from Gemini 2.5', async () => {
    const { stream } = await serve(turns(turn));
    const chunks = await stream({ model: 'gemini-2.5-flash', config: { tools: native } });
    expect(partsOf(chunks)[0]).toEqual({ executableCode: { language: 'PYTHON', code: 'print(1)' } });
  });

  it('brings pages on the first chunk, grounding on the last, and {} on those between', async () => {
    const { stream } = await serve(turns(turn));
    const candidates = (await stream({ config: { tools: native } })).map((chunk) => chunk.candidates?.[0]);
    expect(candidates[0]?.urlContextMetadata?.urlMetadata).toEqual([
      { retrievedUrl: URL, urlRetrievalStatus: 'URL_RETRIEVAL_STATUS_SUCCESS' },
      { retrievedUrl: 'https://gone.example.com', urlRetrievalStatus: 'URL_RETRIEVAL_STATUS_ERROR' },
    ]);
    expect(candidates.slice(0, -1).map((candidate) => candidate?.groundingMetadata)).toEqual(
      candidates.slice(0, -1).map(() => ({})),
    );
    const start = Buffer.byteLength(TEXT) - 17;
    expect(candidates.at(-1)?.groundingMetadata).toEqual({
      searchEntryPoint: { renderedContent: '<div>chip</div>' },
      groundingChunks: [{ web: { uri: URL, title: 'status.example.com' } }],
      groundingSupports: [
        { segment: { endIndex: 8, text: 'Störung' }, groundingChunkIndices: [0] },
        {
          segment: { startIndex: start, endIndex: start + 17, text: 'Behoben um 16:40.' },
          groundingChunkIndices: [0],
        },
      ],
      webSearchQueries: ['störung zahlungen'],
    });
  });

  it('shows the invocations when the request combines both kinds of tools, and takes them back', async () => {
    const { stream } = await serve(turns({ ...turn, toolCalls: [{ name: 'k8s__get' }] }, { text: 'ok' }));
    const config = {
      tools: [...native, ...TOOLS],
      toolConfig: { includeServerSideToolInvocations: true },
    };
    const first = await stream({ config });
    const parts = partsOf(first);
    const invocations = parts.flatMap((part) => part.toolCall?.toolType ?? part.toolResponse?.toolType ?? []);
    expect(invocations).toEqual(['GOOGLE_SEARCH_WEB', 'GOOGLE_SEARCH_WEB', 'URL_CONTEXT', 'URL_CONTEXT']);
    expect(parts.slice(0, 4).every((part) => part.thoughtSignature)).toBe(true);
    const call = parts.find((part) => part.functionCall)?.functionCall;
    const response = { ...(call?.id && { id: call.id }), name: call?.name ?? '', response: {} };
    const contents = [
      user('Why does it crash?'),
      replay(first),
      { role: 'user', parts: [{ functionResponse: response }] },
    ];
    expect(textOf(await stream({ contents, config }))).toBe('ok');
  });

  it.each([
    ['a search', { text: 'x', grounding: { queries: ['x'] } }, 'googleSearch'],
    ['pages', { text: 'x', grounding: { urls: [{ url: URL }] } }, 'urlContext'],
    ['code', { text: 'x', codeExecutions: [{ code: 'x' }] }, 'codeExecution'],
  ])('with %s needs that tool in the request', async (_, scripted, tool) => {
    const { stream } = await serve(turns(scripted));
    const { status, body } = await refusal(stream({ model: MODEL }));
    expect(status).toBe(400);
    expect(JSON.stringify(body)).toContain(`was made with ${tool}, but the request has no such tool`);
  });
});

it('a script can only quote its own text', () => {
  const script =
    'conversations:\n  - turns:\n      - text: yes\n        grounding: {supports: [{text: "no", sources: [0]}]}\n';
  expect(() => parseScript(script.replace('text: yes', 'text: "yes"'), 'model.yaml')).toThrow(
    'model.yaml:4:39 conversations[0].turns[0].grounding.supports[0].text: does not occur in the text of the turn',
  );
});
