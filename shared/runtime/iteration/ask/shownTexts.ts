// What an agent was shown that others wrote. An answer that repeats it is checked for calls and conclusions that were planted.

import type { ConversationMessage } from '../../../contract/llm.ts';
import type { ToolDefinition } from '../../../contract/tools.ts';
import type { JsonObject } from '../../../text/json.ts';
import { plainSchema } from '../../../text/schema/plainSchema.ts';

/** The beginning of a frame of data, as `frameData` writes it; nothing else in a conversation can look like one. */
const FRAME_START = /^<data-[0-9a-f]{12} /m;

/**
 * Every untrusted text of a conversation: the first message of the user, which holds the alert and earlier findings, later
 * ones that frame data (instructions of servers), every tool's result, and the descriptions and parameters of tools. Other
 * messages of the user are the runtime's own words (feedback, the prompt of a forced conclusion), or a person's guidance.
 * Names of tools are left out: that a tool exists plants nothing.
 */
export function shownTexts(
  conversation: readonly ConversationMessage[],
  tools: readonly ToolDefinition[],
): string[] {
  const [prompt, ...later] = conversation.filter(({ role }) => role === 'user');
  return [
    ...(prompt === undefined ? [] : textsOf(prompt)),
    ...later.flatMap(textsOf).filter((text) => FRAME_START.test(text)),
    ...conversation.filter(isResult).flatMap(textsOf),
    // The plain form is what models read of a schema, and small.
    ...tools.flatMap(({ description, inputSchema }) => [description, textOf(plainSchema(inputSchema))]),
  ];
}

/** Schemas as text: the same object as long as its list of tools is the same. */
const texts = new WeakMap<JsonObject, string>();

function textOf(schema: JsonObject): string {
  const text = texts.get(schema) ?? JSON.stringify(schema);
  texts.set(schema, text);
  return text;
}

/** A message with results; older code stored those of a ReAct agent as words of the user, right behind the call. */
function isResult(
  { role }: ConversationMessage,
  index: number,
  conversation: readonly ConversationMessage[],
): boolean {
  const before = conversation[index - 1];
  const followsCall = before?.blocks.some(({ blockType }) => blockType === 'tool_use') === true;
  return role === 'tool' || (role === 'user' && followsCall);
}

function textsOf({ blocks }: ConversationMessage): string[] {
  return blocks.flatMap((block) => ('textContent' in block ? [block.textContent] : []));
}
