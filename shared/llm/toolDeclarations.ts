// The tools of an agent as Gemini's function declarations.

import { TerminalError } from '../errors.ts';
import { toWireName } from '../tools/toolNames.ts';
import type { ToolDefinition } from '../tools/types.ts';
import type { JsonObject } from './json.ts';
import { schemaForGemini } from './schemaForGemini.ts';

/** Gemini API, `Tool.functionDeclarations`. */
const MAX_DECLARATIONS = 512;

export interface FunctionDeclaration {
  name: string;
  description: string;
  parametersJsonSchema: JsonObject;
}

/**
 * Function declarations under their wire names, in the order given, so that prompts stay byte-stable.
 * @throws TerminalError `CONFIG_INVALID` for more than 512 tools.
 */
export function toolDeclarations(tools: readonly ToolDefinition[]): FunctionDeclaration[] {
  if (tools.length > MAX_DECLARATIONS) {
    throw new TerminalError(
      'CONFIG_INVALID',
      `The agent's tools come to ${tools.length}, but Gemini takes ${MAX_DECLARATIONS} at most: name single tools (\`server.tool\`) instead of whole servers under \`tools\`.`,
    );
  }
  return tools.map((tool) => ({
    name: toWireName(tool.name),
    description: tool.description.toWellFormed(),
    parametersJsonSchema: schemaForGemini(tool.inputSchema),
  }));
}
