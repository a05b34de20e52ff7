import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { IS_FULL } from '../../test/support/fullTests.ts';
import { answer } from '../core/contract/llm.fixture.ts';
import type { GenerateOptions, LlmClient, LlmRequest } from '../core/contract/llm.ts';
import { TerminalError } from '../core/errors.ts';
import type { ModelSettings } from '../core/schema/agent.ts';
import { createLlmClient } from './chooseClient.ts';
import { sse } from './gemini/streams.fixture.ts';
import { answered, startOpenAiServer } from './langchain/openAiServer.fixture.ts';

const TOOL = { name: 'k8s.logs', description: 'Reads logs', inputSchema: {}, readOnly: true };

function request(provider: string, extras: Partial<LlmRequest> = {}): LlmRequest {
  const model: Omit<ModelSettings, 'provider'> = { model: 'some-model', includeThoughts: true };
  return {
    model: { ...model, provider } as ModelSettings,
    messages: [{ role: 'user', blocks: [{ blockType: 'text', textContent: 'Why?' }] }],
    tools: [],
    ...extras,
  };
}

function call(): GenerateOptions {
  const report = { requestBytes: 0, responseBytes: 0, attempts: 0, attemptErrors: [] };
  return { signal: new AbortController().signal, report };
}

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

/** A client of a Gemini and an OpenAI that answer with their names. */
async function client() {
  const openAi = await startOpenAiServer([answered('openai')]);
  const gemini = createServer((_, response) => {
    const candidates = [{ content: { parts: [{ text: 'google' }] }, finishReason: 'STOP' }];
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end(sse([{ candidates }]));
  });
  await new Promise<void>((resolve) => gemini.listen(0, '127.0.0.1', resolve));
  closers.push(openAi.close, () => gemini.close().closeAllConnections());
  const env = {
    OPENAI_BASE_URL: openAi.baseUrl,
    GOOGLE_GEMINI_BASE_URL: `http://127.0.0.1:${(gemini.address() as AddressInfo).port}`,
  };
  const relay: LlmClient = { generate: async () => answer({ text: 'relay' }) };
  return createLlmClient({ env, clients: { relay: async () => relay } });
}

describe('the provider of the model', () => {
  it.each(IS_FULL ? ['google', 'openai', 'relay'] : ['google', 'relay'])(
    'selects the client of %s',
    async (provider) => {
      const llm = await client();
      await expect(llm.generate(request(provider), call())).resolves.toMatchObject({ text: provider });
    },
  );

  it.each(IS_FULL ? ['google', 'openai'] : ['google'])('%s is asked with tools', async (provider) => {
    const llm = await client();
    const asked = llm.generate(request(provider, { tools: [TOOL] }), call());
    await expect(asked).resolves.toMatchObject({ text: provider });
  });

  it('is the own client of its provider, made once', async () => {
    const made: string[] = [];
    const factory = (name: string) => async (): Promise<LlmClient> => {
      made.push(name);
      return { generate: async () => answer({ text: name }) };
    };
    const llm = createLlmClient({ env: {}, clients: { one: factory('one'), two: factory('two') } });
    for (const provider of ['one', 'two', 'one']) {
      await expect(llm.generate(request(provider), call())).resolves.toMatchObject({ text: provider });
    }
    expect(made).toEqual(['one', 'two']);
  });

  it('must be google for a request with native tools', async () => {
    const llm = await client();
    const extras: Partial<LlmRequest> = { nativeTools: ['google_search'] };
    const thrown = await llm.generate(request('openai', extras), call()).catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(TerminalError);
    expect(thrown).toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining('provider "google"'),
    });
  });
});
