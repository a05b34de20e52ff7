// Tools that Gemini runs itself: when they are bound, and how they stand in a request.

import type { LlmRequest } from '../../contract/llm.ts';
import type { ToolDefinition } from '../../contract/tools.ts';
import { TerminalError } from '../../errors.ts';
import type { Agent, NativeTool } from '../../schema/agent.ts';
import { isGemini3OrLater } from './modelFamily.ts';
import { type FunctionDeclaration, toolDeclarations } from './toolDeclarations.ts';

const WIRE_TOOLS = {
  google_search: { googleSearch: {} },
  code_execution: { codeExecution: {} },
  url_context: { urlContext: {} },
} as const satisfies Record<NativeTool, object>;

/** `tools` and `toolConfig` of a request to Gemini; both absent without tools. */
export interface ToolSettings {
  tools?: ((typeof WIRE_TOOLS)[NativeTool] | { functionDeclarations: FunctionDeclaration[] })[];
  toolConfig?: { includeServerSideToolInvocations: true };
}

/**
 * The native tools of an agent that are bound beside these function tools: all of them, but with function tools only
 * where `combineNativeTools` says so (seed: native tools and MCP tools exclude each other).
 */
export function boundNativeTools(
  agent: Pick<Agent, 'nativeTools' | 'combineNativeTools'>,
  tools: readonly ToolDefinition[],
): NativeTool[] {
  return tools.length === 0 || agent.combineNativeTools ? agent.nativeTools : [];
}

/**
 * How the tools of a request are written. Both kinds together need a flag, and no function calling mode: with the flag
 * it defaults to VALIDATED, and AUTO is refused (Gemini API, "Built-in tools and function calling").
 * @param vertexai whether Vertex AI will be asked, where the SDK refuses the flag.
 * @throws TerminalError `CONFIG_INVALID` for both kinds on Vertex AI or on models before Gemini 3.
 */
export function toolSettings(
  request: Pick<LlmRequest, 'model' | 'tools' | 'nativeTools'>,
  vertexai: boolean,
): ToolSettings {
  const functionDeclarations = toolDeclarations(request.tools);
  const native = (request.nativeTools ?? []).map((name) => WIRE_TOOLS[name]);
  if (functionDeclarations.length === 0) return native.length === 0 ? {} : { tools: native };
  if (native.length === 0) return { tools: [{ functionDeclarations }] };

  const { model } = request.model;
  if (vertexai || !canCombine(model)) {
    const where = vertexai ? `${model} on Vertex AI` : model;
    throw new TerminalError(
      'CONFIG_INVALID',
      `${where} cannot combine native tools (${request.nativeTools?.join(', ')}) with function tools: ${COMBINING_NEEDS}. Set combineNativeTools of the agent to false, or move the native tools to an agent without tools.`,
    );
  }
  return {
    tools: [...native, { functionDeclarations }],
    toolConfig: { includeServerSideToolInvocations: true },
  };
}

/** For messages about `combineNativeTools`. */
export const COMBINING_NEEDS = 'that needs Gemini 3 or later, on the Gemini API';

/** Whether a model takes native tools and function tools in one request, as far as its name tells. */
export function canCombine(model: string): boolean {
  return isGemini3OrLater(model);
}
