// Answers function calls that name a native tool. The runtime cannot run them.

import type { LlmResponse } from '../contract/llm.ts';
import type { ToolResult } from '../contract/tools.ts';
import { NATIVE_TOOLS, type NativeTool } from '../schema/agent.ts';
import type { EventType } from '../schema/timelineEvent.ts';
import { knownResult } from './drafts.ts';
import { nativeToolEvents } from './nativeToolEvents.ts';

const EVENT_TYPES: Record<NativeTool, EventType> = {
  google_search: 'google_search_result',
  code_execution: 'code_execution',
  url_context: 'url_context_result',
};

/**
 * The results of such calls: the provider's own use of that tool in the same answer, or an error. Tools of
 * servers are not affected, because their names contain a dot.
 * @param enabled the native tools of the agent.
 */
export function nativeCallResults(response: LlmResponse, enabled: readonly NativeTool[]): ToolResult[] {
  return response.toolCalls.flatMap((call) => {
    const tool = NATIVE_TOOLS.find((name) => name === call.name);
    if (tool === undefined) return [];
    const done = nativeToolEvents(response)
      .filter(({ eventType }) => eventType === EVENT_TYPES[tool])
      .map(({ content }) => content);
    return done.length > 0
      ? [knownResult(call, done.join('\n\n'), false)]
      : [knownResult(call, refusalText(tool, enabled.includes(tool)), true)];
  });
}

function refusalText(tool: NativeTool, isEnabled: boolean): string {
  return isEnabled
    ? `${tool} cannot be called as a function: it runs by itself while you answer. Nothing was executed.`
    : `${tool} is not available to this agent. Nothing was executed.`;
}
