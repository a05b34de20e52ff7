// One request to the Interactions API, from a conversation: steps, tools and how to generate.

import type { LlmRequest } from '../../core/contract/llm.ts';
import type { JsonObject } from '../../text/json.ts';
import { plainSchema } from '../../text/schema/plainSchema.ts';
import { toolSettings } from '../gemini/nativeTools.ts';
import { type RequestOptions, withNudge } from '../gemini/request.ts';
import { knownLevel } from '../gemini/thinking.ts';
import { buildInput } from './buildInput.ts';

/**
 * The body of a request to create an interaction. The whole conversation is in it, so that nothing ties a
 * session to the store of the API, and `store` is off.
 * @throws as `buildInput`; TerminalError `CONFIG_INVALID` as `toolSettings`.
 */
export function interactionRequest(request: LlmRequest, options: RequestOptions = {}): JsonObject {
  const { nudge, leastThinking = false, standardTier = false, ...rest } = options;
  const { model, maxOutputTokens, temperature, thinkingLevel, includeThoughts, serviceTier } = request.model;
  const { systemInstruction, input } = buildInput(withNudge(request.messages, nudge), { model, ...rest });
  const level = leastThinking ? 'minimal' : thinkingLevel;
  return {
    model,
    input,
    store: false,
    ...(systemInstruction !== undefined && { system_instruction: systemInstruction }),
    ...composeTools(request),
    generation_config: {
      thinking_summaries: includeThoughts ? 'auto' : 'none',
      ...(level !== undefined && { thinking_level: knownLevel(model, level) }),
      ...(maxOutputTokens !== undefined && { max_output_tokens: maxOutputTokens }),
      ...(temperature !== undefined && { temperature }),
    },
    ...(serviceTier !== undefined && { service_tier: standardTier ? 'standard' : serviceTier }),
    ...(request.responseSchema !== undefined && {
      response_format: {
        type: 'text',
        mime_type: 'application/json',
        schema: plainSchema(request.responseSchema),
      },
    }),
  };
}

function composeTools(request: LlmRequest): { tools?: JsonObject[] } {
  const declared = (toolSettings(request, false).tools ?? []).flatMap((tool) =>
    'functionDeclarations' in tool ? tool.functionDeclarations : [],
  );
  const functions = declared.map(({ name, description, parametersJsonSchema: parameters }) => ({
    type: 'function',
    name,
    description,
    parameters,
  }));
  const tools = [...(request.nativeTools ?? []).map((type) => ({ type })), ...functions];
  return tools.length === 0 ? {} : { tools };
}
