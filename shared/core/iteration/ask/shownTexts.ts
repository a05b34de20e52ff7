// Untrusted texts that an agent has read: answers are checked for calls and conclusions from them.

import type { JsonObject } from '../../../text/json.ts';
import { memoized } from '../../../text/memo.ts';
import { plainSchema } from '../../../text/schema/plainSchema.ts';
import type { ConversationMessage } from '../../contract/llm.ts';
import type { ToolDefinition } from '../../contract/tools.ts';

/** The start of a data frame, as `frameData` writes it; nothing else in a conversation can look like one. */
const FRAME_START = /^<data-[0-9a-f]{12} /m;

/**
 * Returns every untrusted text of a conversation: the first user message, which contains the alert and
 * earlier findings; later ones that frame data (instructions of servers); every tool result; and the
 * descriptions and parameters of tools. Other user messages are texts of the runtime (feedback, the prompt of
 * a forced conclusion) or a person's guidance. Names of tools are omitted: the existence of a tool is no
 * injection.
 */
export function shownTexts(
  conversation: readonly ConversationMessage[],
  tools: readonly ToolDefinition[],
): string[] {
  const [prompt, ...later] = conversation.filter(({ role }) => role === 'user');
  return [
    ...(prompt === undefined ? [] : listShownTexts(prompt)),
    ...later.flatMap(listShownTexts).filter((text) => FRAME_START.test(text)),
    ...conversation.filter(({ role }) => role === 'tool').flatMap(listShownTexts),
    // Models read the plain form of a schema, which is small.
    ...tools.flatMap(({ description, inputSchema }) => [description, textOf(plainSchema(inputSchema))]),
  ];
}

/** Schemas as text: the same object while its list of tools is the same. */
const textOf = memoized((schema: JsonObject): string => JSON.stringify(schema));

function listShownTexts({ blocks }: ConversationMessage): string[] {
  return blocks.flatMap((block) => ('textContent' in block ? [block.textContent] : []));
}
