// Opens the model that scores sessions. Its client is loaded with the first score.

import type { LlmClient } from '../core/contract/llm.ts';
import type { ModelSettings } from '../core/schema/agent.ts';

/**
 * The judge; undefined where none is configured.
 * @param secrets values that must not appear in any message.
 */
export function openJudge(
  env: NodeJS.ProcessEnv,
  secrets: readonly string[],
  model: ModelSettings | undefined,
): { llm: LlmClient; model: ModelSettings } | undefined {
  if (model === undefined) return undefined;
  let client: Promise<LlmClient> | undefined;
  const open = async () => {
    const [{ createLlmClient }, { MODEL_CLIENTS }] = await Promise.all([
      import('../llm/chooseClient.ts'),
      import('./extensionParts.ts'),
    ]);
    return createLlmClient({ env, secrets, clients: MODEL_CLIENTS });
  };
  return {
    model,
    llm: {
      async generate(request, call) {
        client ??= open();
        return (await client).generate(request, call);
      },
    },
  };
}
