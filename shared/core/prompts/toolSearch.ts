// The built-in tools `find_tools` and `call_tool`, for agents whose tools are too many for a prompt.

import { asText, isObject, parseJson } from '../../text/json.ts';
import type { ToolCall, ToolDefinition } from '../contract/tools.ts';
import { describeTools } from './toolList.ts';

/** Above this number of tools of servers, an agent searches them. */
export const MAX_LISTED_TOOLS = 30;
/** Number of tools that a search returns. */
export const FOUND_TOOLS = 10;

/** The tool that searches tools. */
export const FIND_TOOLS = 'find_tools';
/** The tool that calls a tool that was found. */
const CALL_TOOL = 'call_tool';

/**
 * Both definitions. They depend only on the configuration, so that the start of a prompt stays the same while
 * servers come and go.
 * @param servers names of the agent's servers, sorted.
 */
export function searchTools(servers: readonly string[]): ToolDefinition[] {
  return [
    {
      name: FIND_TOOLS,
      description: `Finds tools of these servers: ${servers.join(', ')}. Returns the names, descriptions and parameters of at most ${FOUND_TOOLS} tools. Search before you conclude that a tool is missing.`,
      inputSchema: {
        type: 'object',
        properties: {
          query: { type: 'string', description: 'The task in a few words: logs of a pod before its restart' },
        },
        required: ['query'],
        additionalProperties: false,
      },
      readOnly: true,
    },
    {
      name: CALL_TOOL,
      description: `Calls a tool that ${FIND_TOOLS} returned.`,
      inputSchema: {
        type: 'object',
        properties: {
          name: { type: 'string', description: 'The name, as it was returned' },
          arguments: { type: 'object', description: 'The arguments by the parameters of that tool' },
        },
        required: ['name'],
        additionalProperties: false,
      },
      readOnly: true,
    },
  ];
}

/**
 * The call that a call of `call_tool` is for. Rights, approval, scope, pins and checks for secrets apply to
 * it. Any other call, and one without a name, is returned unchanged.
 */
export function innerCall<C extends Pick<ToolCall, 'name' | 'arguments'>>(call: C): C {
  if (call.name !== CALL_TOOL) return call;
  const parsed = parseJson(call.arguments);
  const name = isObject(parsed) ? asText(parsed.name) : undefined;
  if (!isObject(parsed) || name === undefined || name === CALL_TOOL) return call;
  // Some models write the arguments as JSON text.
  const { arguments: given = {} } = parsed;
  const args = typeof given === 'string' ? given : JSON.stringify(given);
  return { ...call, name, arguments: args };
}

/** The result of a search. */
export function foundTools(tools: readonly ToolDefinition[], total: number): string {
  if (tools.length === 0) return `No tool of ${total} has these words. Try other words.`;
  return `${tools.length} of ${total} tools, the best match first. Call one with ${CALL_TOOL}.\n\n${describeTools(tools)}`;
}

/** The error for a name that is none of the agent's tools. */
export function notATool(name: string): string {
  return `There is no tool "${name}". Nothing was executed. ${FIND_TOOLS} finds tools.`;
}
