// Chooses who is asked: Google's models by the Gemini client, all others by LangChain. Controllers do not know which.

import type { LlmClient, LlmRequest } from '../contract/llm.ts';
import { isNative, NATIVE_PROVIDER } from '../contract/modelFacts.ts';
import { TerminalError } from '../errors.ts';
import type { AttemptOptions } from './attempts.ts';
import { createCircuits } from './circuits.ts';
import type { Environment } from './credentials.ts';
import { createGeminiClient } from './gemini/client.ts';

/** Where the clients find addresses and keys, where they log failed attempts, and what tests replace. */
export interface LlmClientOptions extends AttemptOptions {
  env: Environment;
  /** Values beside those of `env` that may appear in no message. */
  secrets?: readonly string[];
}

/**
 * A client for all providers. Which one serves is decided per request by the model's `provider`, so that every
 * strategy but those with native tools runs on any model; each client is made at its first request. Its calls share a circuit
 * breaker for each model.
 * @throws TerminalError `CONFIG_INVALID` for a request with native tools for any provider but the native one.
 */
export function createLlmClient(given: LlmClientOptions): LlmClient {
  const { random, now } = given;
  const circuits = given.circuits ?? createCircuits({ ...(random && { random }), ...(now && { now }) });
  const options = { ...given, circuits };
  let gemini: LlmClient | undefined;
  let langchain: Promise<LlmClient> | undefined;

  const geminiClient = () => {
    gemini ??= createGeminiClient(options);
    return gemini;
  };
  return {
    warm(model) {
      // LangChain's packages are many; loading them is left to the question.
      if (isNative(model.provider)) geminiClient().warm?.(model);
    },
    async generate(request, call) {
      if (isNative(request.model.provider)) return geminiClient().generate(request, call);
      refuseNativeTools(request);
      langchain ??= import('./langchain/langchainClient.ts').then(({ createLangchainClient }) =>
        createLangchainClient(options),
      );
      return (await langchain).generate(request, call);
    },
  };
}

function refuseNativeTools({ model, nativeTools = [] }: LlmRequest): void {
  if (nativeTools.length === 0) return;
  throw new TerminalError(
    'CONFIG_INVALID',
    `Native tools (${nativeTools.join(', ')}) need a model with provider "${NATIVE_PROVIDER}"; "${model.model}" is of "${model.provider}". ` +
      'Give the agent a Google model, or remove its nativeTools.',
  );
}
