// Makes the LangChain chat model that a request asks for.

import { needsKey, takesThinkingLevel } from '../../core/contract/modelFacts.ts';
import { TerminalError } from '../../core/errors.ts';
import type { ModelSettings } from '../../core/schema/agent.ts';
import type { Environment } from '../credentials.ts';
import { PLACEHOLDER_KEY } from '../placeholderKey.ts';
import type { ChatModel, LangChain } from './packages.ts';

/**
 * The chat model with LangChain's own retries off: attempts are counted in one place. Sampling but for the
 * temperature is left to the provider. OpenAI is configured from `env`: `OPENAI_API_KEY`, and
 * `OPENAI_BASE_URL` for a server that speaks its protocol, which can work without a key. Other providers'
 * packages read their own variables from the process (`ANTHROPIC_API_KEY`, …).
 * @param fetchAnswer fetches answers where the provider's package takes a fetch that is not its own:
 * OpenAI's.
 * @throws TerminalError `CONFIG_INVALID` for a thinking level where none can be set; the errors of the
 * package.
 */
export async function createChatModel(
  langchain: LangChain,
  settings: ModelSettings,
  env: Environment,
  fetchAnswer: typeof fetch,
): Promise<ChatModel> {
  const provider: string = settings.provider;
  return langchain.initChatModel(settings.model, {
    modelProvider: provider,
    maxRetries: 0,
    ...outputLimit(provider, settings.maxOutputTokens),
    ...thinkingOptions(provider, settings.thinkingLevel),
    ...(settings.temperature !== undefined && { temperature: settings.temperature }),
    ...(provider === 'openai' && openAiEndpoint(env, fetchAnswer)),
    ...(provider === 'azure_openai' && { configuration: { fetch: fetchAnswer } }),
  });
}

function outputLimit(provider: string, limit: number | undefined): Record<string, unknown> {
  if (limit === undefined) return {};
  if (provider === 'ollama') return { numPredict: limit };
  return provider.startsWith('google') ? { maxOutputTokens: limit } : { maxTokens: limit };
}

function thinkingOptions(provider: string, level: ModelSettings['thinkingLevel']): Record<string, unknown> {
  if (level === undefined) return {};
  if (takesThinkingLevel(provider)) return { reasoning: { effort: level } };
  throw new TerminalError(
    'CONFIG_INVALID',
    `thinkingLevel works with the providers google, openai and azure_openai, not with "${provider}": remove it from the model.`,
  );
}

function openAiEndpoint(env: Environment, fetchAnswer: typeof fetch): Record<string, unknown> {
  const baseURL = env.OPENAI_BASE_URL || undefined;
  const apiKey = env.OPENAI_API_KEY || (needsKey('openai', env) ? undefined : PLACEHOLDER_KEY);
  return {
    ...(apiKey !== undefined && { apiKey }),
    configuration: { fetch: fetchAnswer, ...(baseURL !== undefined && { baseURL }) },
  };
}
