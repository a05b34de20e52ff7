// Tools that Gemini runs itself, and how they stand in a request beside function tools.

import type { LlmRequest } from '../../core/contract/llm.ts';
import { COMBINING_NEEDS, canCombine } from '../../core/contract/modelFacts.ts';
import { TerminalError } from '../../core/errors.ts';
import type { NativeTool } from '../../core/schema/agent.ts';
import { type FunctionDeclaration, toolDeclarations } from './toolDeclarations.ts';

const WIRE_TOOLS = {
  google_search: { googleSearch: {} },
  code_execution: { codeExecution: {} },
  url_context: { urlContext: {} },
} as const satisfies Record<NativeTool, object>;

/** `tools` and `toolConfig` of a request to Gemini; both absent without tools. */
interface ToolSettings {
  /** Native tools and functions. Absent: none. */
  tools?: ((typeof WIRE_TOOLS)[NativeTool] | { functionDeclarations: FunctionDeclaration[] })[];
  /** The flag for both kinds of tools in one request. Absent: one kind only. */
  toolConfig?: { includeServerSideToolInvocations: true };
}

/**
 * How the tools of a request are written. Both kinds together need a flag, and no function calling mode: with
 * the flag it defaults to VALIDATED, and AUTO is refused (Gemini API, "Built-in tools and function calling").
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
