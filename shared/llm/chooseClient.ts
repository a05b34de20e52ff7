// Chooses the client of each request by the provider of its model: the Gemini client for Google, a client of
// the installation where it has one, LangChain for all others.

import type { LlmClient, LlmRequest } from '../core/contract/llm.ts';
import { isNative, NATIVE_PROVIDER } from '../core/contract/modelFacts.ts';
import { TerminalError } from '../core/errors.ts';
import type { Environment } from './credentials.ts';
import { createGeminiClient } from './gemini/client.ts';
import { createCircuits } from './inline/circuits.ts';
import type { AttemptOptions } from './inline/retryModelCall.ts';

/** Addresses and keys of the clients, their log of failed attempts, and replacements for tests. */
export interface LlmClientOptions extends AttemptOptions {
  env: Environment;
  /** Values beside those of `env` that are masked in all messages. */
  secrets?: readonly string[];
}

/** Clients of further providers, by provider. Each is created at its first request. */
type ClientFactories = Readonly<Record<string, (options: LlmClientOptions) => Promise<LlmClient>>>;

/**
 * A client for all providers. The model's `provider` selects the client of each request, so that every
 * strategy but those with native tools runs on any model. Each client is created at its first request. Calls
 * of the same model share a circuit breaker.
 * @param clients clients of providers that are neither Google's nor LangChain's; none by default.
 * @throws TerminalError `CONFIG_INVALID` for a request with native tools for any provider but the native one.
 */
export function createLlmClient({
  clients = {},
  ...given
}: LlmClientOptions & { clients?: ClientFactories }): LlmClient {
  const { random, now } = given;
  const circuits = given.circuits ?? createCircuits({ ...(random && { random }), ...(now && { now }) });
  const options = { ...given, circuits };
  let gemini: LlmClient | undefined;

  const created = new Map<string, Promise<LlmClient>>();

  const geminiClient = () => {
    gemini ??= createGeminiClient(options);
    return gemini;
  };
  /** The client of a provider other than the native one. All providers of LangChain share one. */
  const otherClient = (provider: string) => {
    const own = Object.hasOwn(clients, provider) ? clients[provider] : undefined;
    const key = own === undefined ? 'langchain' : `own ${provider}`;
    const client = created.get(key) ?? (own ?? createLangchain)(options);
    created.set(key, client);
    return client;
  };
  return {
    warm(model) {
      // LangChain's packages are many; loading them is left to the question.
      if (isNative(model.provider)) geminiClient().warm?.(model);
    },
    async generate(request, call) {
      if (isNative(request.model.provider)) return geminiClient().generate(request, call);
      refuseNativeTools(request);
      return (await otherClient(request.model.provider)).generate(request, call);
    },
  };
}

async function createLangchain(options: LlmClientOptions): Promise<LlmClient> {
  const { createLangchainClient } = await import('./langchain/langchainClient.ts');
  return createLangchainClient(options);
}

function refuseNativeTools({ model, nativeTools = [] }: LlmRequest): void {
  if (nativeTools.length === 0) return;
  throw new TerminalError(
    'CONFIG_INVALID',
    `Native tools (${nativeTools.join(', ')}) need a model with provider "${NATIVE_PROVIDER}"; "${model.model}" is of "${model.provider}". ` +
      'Give the agent a Google model, or remove its nativeTools.',
  );
}
