// The tools of an agent as Gemini's function declarations.

import type { ToolDefinition } from '../../core/contract/tools.ts';
import { TerminalError } from '../../core/errors.ts';
import type { JsonObject } from '../../text/json.ts';
import { toWireName } from '../wireNames.ts';
import { geminiParameters } from './parameters.ts';

/** Gemini API, `Tool.functionDeclarations`. */
const MAX_DECLARATIONS = 512;

/** One function as a request declares it; `name` is a wire name. */
export interface FunctionDeclaration {
  /** The wire name. */
  name: string;
  /** The description for the model. */
  description: string;
  /** The schema of the arguments, in the subset that Gemini accepts. */
  parametersJsonSchema: JsonObject;
}

/** A tool that cannot be declared, and its required properties whose names Gemini refuses. */
interface UndeclarableTool {
  /** The name of the tool. */
  name: string;
  /** The names that Gemini refuses. */
  properties: string[];
}

/**
 * Function declarations under their wire names, in the order given, so that prompts stay byte-stable. Tools
 * that cannot be declared are left out: `undeclarableTools` names them.
 * @throws TerminalError `CONFIG_INVALID` for more than 512 tools.
 */
export function toolDeclarations(tools: readonly ToolDefinition[]): FunctionDeclaration[] {
  if (tools.length > MAX_DECLARATIONS) {
    throw new TerminalError(
      'CONFIG_INVALID',
      `The agent's tools come to ${tools.length}, but Gemini takes ${MAX_DECLARATIONS} at most: name single tools (\`server.tool\`) instead of whole servers under \`tools\`.`,
    );
  }
  return tools.flatMap((tool) => {
    const parameters = geminiParameters(tool.inputSchema);
    if (parameters.kind === 'impossible') return [];
    return [
      {
        name: toWireName(tool.name),
        description: tool.description.toWellFormed(),
        parametersJsonSchema: parameters.schema,
      },
    ];
  });
}

/** The tools that `toolDeclarations` leaves out, in the order given, for a warning. */
export function undeclarableTools(tools: readonly ToolDefinition[]): UndeclarableTool[] {
  return tools.flatMap(({ name, inputSchema }) => {
    const parameters = geminiParameters(inputSchema);
    return parameters.kind === 'impossible' ? [{ name, properties: parameters.properties }] : [];
  });
}
