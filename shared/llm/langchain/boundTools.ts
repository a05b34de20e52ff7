// The tools of a request in the form that every LangChain chat model binds, and the calls of an answer in ours.

import type { LlmRequest } from '../../contract/llm.ts';
import type { ToolCall, ToolDefinition } from '../../contract/tools.ts';
import { fromWireName, toWireName, wireNames } from '../wireNames.ts';
import type { CollectedCall } from './collectCalls.ts';
import type { BoundTool } from './packages.ts';

/** The tools under their wire names, in the order given, so that prompts stay byte-stable. */
export function boundTools(tools: readonly ToolDefinition[]): BoundTool[] {
  return tools.map(({ name, description, inputSchema }) => ({
    type: 'function',
    function: {
      name: toWireName(name),
      description: description.toWellFormed(),
      // OpenAI refuses a schema of an object that names no properties.
      parameters: { type: 'object', properties: {}, ...inputSchema },
    },
  }));
}

/** The calls as the runtime runs them. A call without an id of its provider gets one of ours; ids are unique in an answer. */
export function toolCallsOf(calls: readonly CollectedCall[], { tools, messages }: LlmRequest): ToolCall[] {
  const { fromWire } = wireNames(tools.map(({ name }) => name));
  const taken = new Set<string>();
  return calls.map(({ id, name, args }, index) => {
    let callId = id || `call_${messages.length}_${index}`;
    while (taken.has(callId)) callId = `${callId}_${index}`;
    taken.add(callId);
    return { callId, name: fromWireName(name, fromWire), arguments: args.trim() === '' ? '{}' : args };
  });
}
