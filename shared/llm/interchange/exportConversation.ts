// A stored conversation in the form in which a provider's API takes it.

import type { ConversationMessage } from '../../core/contract/llm.ts';
import { NATIVE_PROVIDER } from '../../core/contract/modelFacts.ts';
import type { ConversationForm } from '../../text/conversationForms.ts';
import { asArray, asObject, type JsonObject, parseJson } from '../../text/json.ts';
import { convertForProvider } from '../blocks/convertForProvider.ts';
import type { PortableMessage } from '../blocks/portableMessage.ts';
import { buildContents } from '../gemini/buildContents.ts';
import { blocksFromAnthropic } from './fromAnthropic.ts';
import { ANTHROPIC, anthropicConversation } from './toAnthropic.ts';
import { openAiMessages } from './toOpenAi.ts';

/** The model that reads Gemini's form where no answer names one. */
const GEMINI = 'gemini-3';

/**
 * The conversation in a form, with calls and results of tools. Signatures, encrypted contents and raw blocks
 * are only in the form of the provider that made them.
 * @throws TerminalError `MODEL_BAD_REQUEST` for Gemini's form of a conversation without messages;
 *   `DOCUMENT_INVALID` when stored parts cannot be read.
 */
export function exportConversation(
  messages: readonly ConversationMessage[],
  form: ConversationForm,
): JsonObject {
  switch (form) {
    case 'anthropic': {
      const { messages: converted } = convertForProvider(messages.map(withOwnBlocks), ANTHROPIC);
      return { ...anthropicConversation(converted) };
    }
    case 'openai':
      return { messages: openAiMessages(convertForProvider(messages, null).messages) };
    case 'gemini': {
      const answer = messages.findLast(({ replay }) => replay?.provider === NATIVE_PROVIDER);
      return { ...buildContents(messages, { model: answer?.replay?.model ?? GEMINI }) };
    }
  }
}

/** An answer of Anthropic that was kept as it came, as blocks: its signed thoughts are in no others. */
function withOwnBlocks({ role, blocks, replay }: ConversationMessage): PortableMessage {
  const { kind, content } = asObject(parseJson(replay?.data ?? ''));
  const isOwn = replay?.provider === ANTHROPIC && kind === 'content';
  return { role, blocks: isOwn ? blocksFromAnthropic(asArray(content)) : blocks };
}
