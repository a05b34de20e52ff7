// A model of Anthropic whose answers are chunks, as LangChain has them, in the place of another model.

import type { LlmClient } from '../../shared/core/contract/llm.ts';
import { createLangchainClient } from '../../shared/llm/langchain/langchainClient.ts';

/** Chunks of an answer, with the reason of its end. */
export const anthropicChunks = (stop_reason: string, ...content: object[]): object[] => [
  ...content.map((block) => ({ content: [block], tool_call_chunks: [] })),
  {
    content: '',
    response_metadata: { model_provider: 'anthropic' },
    additional_kwargs: { stop_reason },
  },
];

/** A client that answers every request with these chunks, whatever its model. */
export function answerAsAnthropic(chunks: readonly object[]): LlmClient {
  const client = createLangchainClient({
    env: {},
    load: async () => ({
      MODEL_PROVIDER_CONFIG: { anthropic: { package: '@langchain/anthropic' } },
      initChatModel: async () => {
        const model = { stream: async () => chunks.values(), bindTools: () => model };
        return model;
      },
    }),
  });
  return {
    generate(request, call) {
      call.report.provider = 'anthropic';
      return client.generate({ ...request, model: { ...request.model, provider: 'anthropic' } }, call);
    },
  };
}
