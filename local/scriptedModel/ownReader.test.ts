// The scripted model beside the code of the product that calls Gemini: each accepts what the other sends.

import { type GenerateContentResponse, GoogleGenAI } from '@google/genai';
import { expect, it, onTestFinished } from 'vitest';
import type { Turn } from '../../packages/scripted-gemini/src/index.ts';
import { collectChunks } from '../../shared/llm/gemini/collectStream.ts';
import { readGroundings } from '../../shared/llm/gemini/grounding.ts';
import { toolDeclarations } from '../../shared/llm/gemini/toolDeclarations.ts';
import { loadModelScript, startScriptedModel } from './startScriptedModel.ts';

const URL = 'https://status.example.com/incidents/1';
const QUOTES = ['Störung', 'Behoben um 16:40.'];

async function ask(turn: Partial<Turn>, tools: object[]): Promise<GenerateContentResponse[]> {
  const gemini = await startScriptedModel({ script: { conversations: [{ turns: [turn] }] } as never });
  onTestFinished(() => gemini.stop());
  const client = new GoogleGenAI({ apiKey: 'a-key', httpOptions: { baseUrl: gemini.url } });
  const request = { model: 'gemini-3.8-flash', contents: 'Why?', config: { tools } };
  const chunks: GenerateContentResponse[] = [];
  for await (const chunk of await client.models.generateContentStream(request)) chunks.push(chunk);
  return chunks;
}

it('tools of any MCP server are taken as the runtime declares them', async () => {
  const properties = {
    'x-api-key': {},
    $filter: {},
    'a b': {},
    ['a'.repeat(80)]: {},
    order: { enum: ['', 'asc', 'asc'] },
    level: { enum: [1, 2] },
    mixed: { type: 'string', enum: ['a', 1] },
    names: { type: 'array' },
    either: { anyOf: [{ type: ['array', 'null'] }, { required: ['x'] }] },
    deep: { type: 'object', properties: { 'a-b': {} }, required: ['a-b'] },
  };
  const tool = { name: 'odd.get', description: '', readOnly: true };
  const functionDeclarations = toolDeclarations([
    { ...tool, inputSchema: { properties, required: ['order', 'gone'] } },
    { ...tool, name: 'odd.none', inputSchema: { properties, required: ['$filter'] } },
  ]);
  expect(functionDeclarations).toHaveLength(1);
  const chunks = await ask({ toolCalls: [{ name: 'odd.get', args: {} }] }, [{ functionDeclarations }]);
  expect(chunks[0]?.functionCalls).toMatchObject([{ name: 'odd__get' }]);
});

it('an answer made with tools of the API is read back', async () => {
  const turn = {
    codeExecutions: [{ code: 'print(1)', result: '1\n' }, { code: 'x = 1' }],
    text: `Störung seit 14:05 – ${'die Zahlungen schlagen fehl. '.repeat(8)}Behoben um 16:40.`,
    grounding: {
      queries: ['störung zahlungen'],
      sources: [{ uri: URL, title: 'status.example.com' }],
      supports: QUOTES.map((text) => ({ text, sources: [0] })),
      urls: [{ url: URL, status: 'SUCCESS' }],
    },
  };
  const chunks = await ask(turn, [{ googleSearch: {} }, { codeExecution: {} }, { urlContext: {} }]);
  const answer = collectChunks(chunks, { callIdPrefix: 'call_' });
  expect(answer.codeExecutions).toMatchObject([{ code: 'print(1)', result: '1\n' }, { code: 'x = 1' }]);
  const [search, pages] = readGroundings(answer);
  const quoted = search?.citations.map(({ startIndex, endIndex }) => answer.text.slice(startIndex, endIndex));
  expect(quoted).toEqual(QUOTES);
  expect(pages).toMatchObject({ kind: 'url_context', sources: [{ uri: URL, title: 'status.example.com' }] });
});

it('a fault of a script is a fault of the configuration, with all fields of a script', async () => {
  const script = { conversations: [{ turns: [{ text: 'x' }] }], four: {} };
  await expect(loadModelScript(script as never)).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    message: expect.stringMatching(
      /four: unknown key; expected one of defaults, models, conversations, for, summary; did you mean "for"/,
    ),
  });
});
