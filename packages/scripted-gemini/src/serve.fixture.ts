// What the tests of the scripted Gemini share: a server per script and the real SDK pointed at it.

import {
  ApiError,
  type GenerateContentParameters,
  type GenerateContentResponse,
  GoogleGenAI,
} from '@google/genai';
import { afterEach } from 'vitest';
import type { Script } from './script.ts';
import { type ScriptedGemini, type ServeOptions, startScriptedGemini } from './server.ts';

export const MODEL = 'gemini-3.8-flash';
export const TOOLS = [
  {
    functionDeclarations: ['k8s__get', 'k8s__logs'].map((name) => ({
      name,
      parametersJsonSchema: { type: 'object' },
    })),
  },
];

const running: ScriptedGemini[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.stop()));
});

/** Starts a server that is stopped after the test, and a client of it. */
export async function serve(script: Script, options: Pick<ServeOptions, 'sleep' | 'webhook'> = {}) {
  const gemini = await startScriptedGemini({ script, ...options });
  running.push(gemini);
  const client = new GoogleGenAI({
    apiKey: 'a-key',
    httpOptions: { baseUrl: gemini.url, apiVersion: 'v1beta' },
  });
  const stream = (params: Partial<GenerateContentParameters> = {}) =>
    collect(client.models.generateContentStream({ model: MODEL, contents: 'Why does it crash?', ...params }));
  const post = (body: unknown, options: { path?: string; headers?: Record<string, string> } = {}) =>
    fetch(`${gemini.url}${options.path ?? `/v1beta/models/${MODEL}:streamGenerateContent?alt=sse`}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-goog-api-key': 'a-key', ...options.headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  return { gemini, client, stream, post };
}

async function collect(opening: Promise<AsyncIterable<GenerateContentResponse>>) {
  const chunks: GenerateContentResponse[] = [];
  for await (const chunk of await opening) chunks.push(chunk);
  return chunks;
}

/** The parts of all chunks, in order. */
export const partsOf = (chunks: GenerateContentResponse[]) =>
  chunks.flatMap((chunk) => chunk.candidates?.[0]?.content?.parts ?? []);

/** The parts as the one model content they are replayed as. */
export const replay = (chunks: GenerateContentResponse[]) => ({ role: 'model', parts: partsOf(chunks) });

export const textOf = (chunks: GenerateContentResponse[]) =>
  partsOf(chunks)
    .filter((part) => !part.thought)
    .map((part) => part.text ?? '')
    .join('');

export const user = (text: string) => ({ role: 'user', parts: [{ text }] });

/** Status and body of the API error a call fails with. */
export async function refusal(call: Promise<unknown>): Promise<{ status: number; body: unknown }> {
  try {
    await call;
  } catch (error) {
    if (error instanceof ApiError) return { status: error.status, body: JSON.parse(error.message) };
    throw error;
  }
  throw new Error('the call was answered');
}
