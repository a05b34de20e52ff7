// The tools of a request as every LangChain model binds them, and the calls of an answer as ours.

import type { LlmRequest } from '../../core/contract/llm.ts';
import type { ToolCall, ToolDefinition } from '../../core/contract/tools.ts';
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

/** The name of a call without a usable one: no tool has it, and the model gets an error as result. */
const UNNAMED = 'unnamed_call';
/** Characters of a name that a model can have meant; wire names have 64. */
const MAX_CALL_NAME = 200;

/** Whether a call names a tool, known or not: letters or digits, no control or hidden characters. */
export function isNamed({ name }: Pick<CollectedCall, 'name'>): boolean {
  return (
    name.length <= MAX_CALL_NAME && /[\p{L}\p{N}]/u.test(name) && !/[\p{Cc}\p{Cf}\p{Cs}]/u.test(name.trim())
  );
}

/**
 * The calls as the runtime runs them. A call without an id of its provider gets one of ours; ids are unique
 * in an answer. A call without a usable name becomes one of no tool, without arguments.
 */
export function toRuntimeCalls(calls: readonly CollectedCall[], { tools, messages }: LlmRequest): ToolCall[] {
  const { fromWire } = wireNames(tools.map(({ name }) => name));
  const taken = new Set<string>();
  return calls.map((call, index) => {
    const { id, name, args } = call;
    let callId = id || `call_${messages.length}_${index}`;
    while (taken.has(callId)) callId = `${callId}_${index}`;
    taken.add(callId);
    if (!isNamed(call)) return { callId, name: UNNAMED, arguments: '{}' };
    return {
      callId,
      name: fromWireName(name.trim(), fromWire),
      arguments: args.trim() === '' ? '{}' : args,
    };
  });
}
