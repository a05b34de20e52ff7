// Calls whose arguments do not fit their tool's schema. They are not run: the model reads what is wrong in the result's place.

import type { ToolCall, ToolDefinition, ToolResult } from '../contract/tools.ts';
import { withoutUser } from '../prompt/builtInTools.ts';
import { parseCallArguments } from '../text/callArguments.ts';
import { checkArguments } from '../text/schema/checkArguments.ts';
import { knownResult } from './drafts.ts';

/** Error results for such calls. Calls of unknown tools are not among them. */
export function faultyCallResults(
  calls: readonly ToolCall[],
  tools: readonly ToolDefinition[],
): ToolResult[] {
  return calls.flatMap((call) => {
    const tool = tools.find(({ name }) => name === call.name);
    const args = withoutUser(call.name, parseCallArguments(call.arguments));
    const fault = tool && checkArguments(tool.inputSchema, args);
    return fault === undefined ? [] : [knownResult(call, `${fault} Nothing was executed.`, true)];
  });
}
