// Opens the client that embeds texts. Its code is loaded with the first text.

import type { Embed } from '../contract/embedder.ts';

/**
 * Embeds with the Gemini that the environment names.
 * @param secrets values that must not appear in any message.
 * @param model `embeddingModel` of system.yaml. Default: `DEFAULT_EMBEDDING_MODEL`.
 */
export function openEmbedder(env: NodeJS.ProcessEnv, secrets: readonly string[], model?: string): Embed {
  let embedder: Promise<Embed> | undefined;
  return async (text, purpose, signal) => {
    embedder ??= import('../llm/gemini/embedder.ts').then(({ createEmbedder }) =>
      createEmbedder(env, secrets, model),
    );
    return (await embedder)(text, purpose, signal);
  };
}
