import { describe, expect, it } from 'vitest';
import type { ModelSettings } from '../../core/schema/agent.ts';
import { createChatModel } from './chatModel.ts';
import type { LangChain } from './packages.ts';

/** The fields LangChain is called with for the given settings. */
async function fieldsFor(provider: string, settings: Partial<ModelSettings> = {}, env = {}) {
  const asked: Record<string, unknown>[] = [];
  const langchain: LangChain = {
    MODEL_PROVIDER_CONFIG: {},
    initChatModel: async (_, fields) => {
      asked.push(fields);
      return { bindTools: () => expect.unreachable(), stream: () => expect.unreachable('nobody asked') };
    },
  };
  const model: Omit<ModelSettings, 'provider'> = { model: 'm', includeThoughts: true, ...settings };
  await createChatModel(langchain, { ...model, provider } as ModelSettings, env, fetch);
  return asked[0];
}

describe('a chat model', () => {
  const configuration = { fetch };
  const ownServer = 'http://127.0.0.1:11434/v1';
  it.each<[string, Partial<ModelSettings>, Record<string, string>, Record<string, unknown>]>([
    ['anthropic', {}, {}, {}],
    ['anthropic', { temperature: 0 }, {}, { temperature: 0 }],
    ['openai', {}, { OPENAI_API_KEY: 'k' }, { apiKey: 'k', configuration }],
    ['openai', {}, {}, { configuration }],
    // LangChain demands a key, the server does not.
    [
      'openai',
      {},
      { OPENAI_BASE_URL: ownServer },
      { apiKey: expect.any(String), configuration: { fetch, baseURL: ownServer } },
    ],
    ['openai', { thinkingLevel: 'low' }, {}, { reasoning: { effort: 'low' }, configuration }],
    ['azure_openai', {}, {}, { configuration }],
  ])(
    'of %s with %o and %o never retries, and gets exactly its options',
    async (provider, settings, env, own) => {
      const fields = { modelProvider: provider, maxRetries: 0, ...own };
      expect(await fieldsFor(provider, settings, env)).toStrictEqual(fields);
    },
  );

  it.each([
    ['anthropic', 'maxTokens'],
    ['google-genai', 'maxOutputTokens'],
    ['ollama', 'numPredict'],
  ])('of %s gets its output limit as %s', async (provider, field) => {
    expect(await fieldsFor(provider, { maxOutputTokens: 9 })).toHaveProperty(field, 9);
  });

  it('that takes no thinking level is not made with one', async () => {
    await expect(fieldsFor('anthropic', { thinkingLevel: 'low' })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining('thinkingLevel'),
    });
  });

  it.each(['https://api.openai.com/v1', 'https://eu.api.openai.com/v1'])(
    'at %s gets no invented key',
    async (baseURL) => {
      const fields = await fieldsFor('openai', {}, { OPENAI_BASE_URL: baseURL });
      expect(fields).toMatchObject({ configuration: { baseURL } });
      expect(fields).not.toHaveProperty('apiKey');
    },
  );
});
