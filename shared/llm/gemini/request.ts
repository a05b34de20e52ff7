// One request to Gemini, from a conversation: contents, tools and how to generate.

import type { GenerateContentParameters } from '@google/genai';
import type { LlmRequest } from '../../core/contract/llm.ts';
import { TerminalError } from '../../core/errors.ts';
import { plainSchema } from '../../text/schema/plainSchema.ts';
import { type BuildOptions, buildContents } from './buildContents.ts';
import { toolSettings } from './nativeTools.ts';
import { leastThinkingConfig, thinkingConfig } from './thinking.ts';

/** Changes of a request after failed attempts, limits of Vertex AI, and a receiver of omissions. */
export interface RequestOptions extends Omit<BuildOptions, 'model'> {
  /** A user's text added at the end, for asking again after an empty answer. */
  nudge?: string;
  /** Ask at the standard tier, after a cheaper one was refused. */
  standardTier?: boolean;
  /** Think as little as the model can, for asking again after thinking used up the output limit. */
  leastThinking?: boolean;
}

/**
 * The SDK's parameters. Its own loops stay off: automatic continuation sums token counts, and automatic
 * function calling would run tools behind the runtime's back.
 * @throws TerminalError `MODEL_BAD_REQUEST` without anything to answer, also if the model spoke last;
 *   `CONFIG_INVALID` for too many tools, or for native tools beside others where they cannot be combined.
 */
export function geminiRequest(request: LlmRequest, options: RequestOptions = {}): GenerateContentParameters {
  const { nudge, leastThinking = false, standardTier = false, ...rest } = options;
  const { systemInstruction, contents } = buildContents(withNudge(request.messages, nudge), {
    model: request.model.model,
    ...rest,
  });
  if (contents.at(-1)?.role === 'model') {
    const message =
      'The conversation ends with an answer of the model: Gemini answers only texts of a user and results of tools.';
    throw new TerminalError('MODEL_BAD_REQUEST', message);
  }
  const thinking = leastThinking ? leastThinkingConfig(request.model) : thinkingConfig(request.model);
  const { maxOutputTokens, temperature, serviceTier } = request.model;
  return {
    model: request.model.model,
    contents,
    config: {
      automaticContinuation: false,
      automaticFunctionCalling: { disable: true },
      ...(systemInstruction !== undefined && { systemInstruction }),
      ...toolSettings(request, options.withoutServerToolParts === true),
      ...(maxOutputTokens !== undefined && { maxOutputTokens }),
      ...(temperature !== undefined && { temperature }),
      ...(serviceTier !== undefined && { serviceTier: standardTier ? 'standard' : serviceTier }),
      ...(request.responseSchema !== undefined && {
        responseMimeType: 'application/json',
        responseJsonSchema: plainSchema(request.responseSchema),
      }),
      ...(thinking !== undefined && { thinkingConfig: thinking }),
    },
    // Parts are the provider's own JSON, and the SDK's enums are the strings of its wire.
  } as GenerateContentParameters;
}

/** The messages with a user's text at the end. */
export function withNudge(
  messages: LlmRequest['messages'],
  nudge: string | undefined,
): LlmRequest['messages'] {
  if (nudge === undefined) return messages;
  return [...messages, { role: 'user', blocks: [{ blockType: 'text', textContent: nudge }] }];
}
