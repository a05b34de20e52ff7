// A conversation as Gemini's `contents`: its own answers go back as they came, results go back together and in call order.

import { TerminalError } from '../errors.ts';
import type { Block } from '../schema/message.ts';
import { toWireName } from '../tools/toolNames.ts';
import { isOwnCall } from './blocks/portableMessage.ts';
import { executableCalls } from './collectStream.ts';
import { asText, type JsonObject } from './json.ts';
import { isGemini3OrLater, modelFamily } from './modelFamily.ts';
import { partsFromBlocks, portableParts, signFirstCall, textPart } from './portableParts.ts';
import type { ConversationMessage, ProviderPart } from './types.ts';

export interface Content {
  role: 'user' | 'model';
  parts: ProviderPart[];
}

export interface GeminiContents {
  /** Texts of all system messages; absent when there are none. */
  systemInstruction?: string;
  contents: Content[];
}

export interface BuildOptions {
  /** The model that will read it. */
  model: string;
  /** Trust no signature of the history: how a 400 about signatures is answered. Default false. */
  repairSignatures?: boolean;
  /** Vertex AI: the SDK throws on parts of server-side tools there, so they are left out. Default false. */
  withoutServerToolParts?: boolean;
}

type ToolResultBlock = Extract<Block, { blockType: 'tool_result' }>;

const MISSING_RESULT = 'There is no result: the call was not carried out.';

/**
 * Contents for a conversation.
 * - Assistant messages of the same model family are replayed part by part as they came; those of others lose their
 *   signatures. On Gemini 3 and later the first call of each gets the documented dummy when it has no signature.
 * - Results of one answer become one user content, in call order; a call without result gets an error in its place,
 *   because Gemini refuses unequal counts. A result without its call becomes text.
 * - Adjacent user messages become one content.
 * @throws TerminalError `MODEL_BAD_REQUEST` when nothing is left to answer.
 */
export function buildContents(
  messages: readonly ConversationMessage[],
  options: BuildOptions,
): GeminiContents {
  const contents: Content[] = [];
  const system: string[] = [];
  let pending: JsonObject[] = [];
  let results: ToolResultBlock[] = [];
  let callIds: (string | undefined)[] = [];

  function closeCalls(): void {
    const { responses, orphans } = answerCalls(pending, callIds, results);
    if (responses.length > 0) contents.push({ role: 'user', parts: responses });
    addUserParts(contents, orphans);
    pending = [];
    results = [];
    callIds = [];
  }

  for (const message of messages) {
    if (message.role === 'tool') {
      results.push(...message.blocks.filter((block) => block.blockType === 'tool_result'));
      continue;
    }
    if (message.role === 'system') {
      system.push(...texts(message.blocks));
      continue;
    }
    closeCalls();
    if (message.role === 'user') {
      addUserParts(contents, texts(message.blocks).flatMap(textPart));
      continue;
    }
    const parts = modelParts(message, options);
    if (parts.length === 0) continue;
    contents.push({ role: 'model', parts });
    pending = executableCalls(parts);
    callIds = message.blocks.filter(isOwnCall).map((block) => block.toolUseId);
  }
  closeCalls();

  if (contents.length === 0) {
    throw new TerminalError('MODEL_BAD_REQUEST', 'The conversation has no message for the model to answer.');
  }
  return { ...(system.length > 0 && { systemInstruction: system.join('\n\n') }), contents };
}

function texts(blocks: readonly Block[]): string[] {
  return blocks.filter((block) => block.blockType === 'text').map((block) => block.textContent);
}

/** Adds to the last content if that is a user's text, so that users do not speak twice in a row. */
function addUserParts(contents: Content[], parts: ProviderPart[]): void {
  if (parts.length === 0) return;
  const last = contents.at(-1);
  const follows = last?.role === 'user' && last.parts.every((part) => part.functionResponse === undefined);
  if (last !== undefined && follows) last.parts.push(...parts);
  else contents.push({ role: 'user', parts: [...parts] });
}

function modelParts(message: ConversationMessage, options: BuildOptions): ProviderPart[] {
  const checksSignatures = isGemini3OrLater(options.model);
  const { provider } = message;
  const parts =
    provider === undefined || provider.parts.length === 0
      ? partsFromBlocks(message.blocks, checksSignatures)
      : replayed(provider, options);
  return checksSignatures ? signFirstCall(parts) : parts;
}

function replayed(provider: { model: string; parts: ProviderPart[] }, options: BuildOptions): ProviderPart[] {
  const own = modelFamily(provider.model) === modelFamily(options.model) && options.repairSignatures !== true;
  if (!own) return portableParts(provider.parts);
  if (options.withoutServerToolParts !== true) return provider.parts;
  return provider.parts
    .filter((part) => part.toolCall === undefined && part.toolResponse === undefined)
    .map(({ partMetadata: _, ...part }) => part);
}

/**
 * One response per call, in call order. A call is matched by its id in our blocks, which stand in the same order as
 * the calls, or by name when there is none; the id of the response is the provider's or none: ids of ours never reach it.
 */
function answerCalls(
  calls: readonly JsonObject[],
  callIds: readonly (string | undefined)[],
  results: readonly ToolResultBlock[],
): { responses: ProviderPart[]; orphans: ProviderPart[] } {
  const left = [...results];
  const responses = calls.map((call, index) => {
    const callId = callIds[index] ?? asText(call.id);
    const found = left.findIndex((result) =>
      callId === undefined ? toWireName(result.toolName) === call.name : result.toolUseId === callId,
    );
    const result = found === -1 ? undefined : left.splice(found, 1)[0];
    const id = asText(call.id);
    return {
      functionResponse: { ...(id !== undefined && { id }), name: call.name, response: responseOf(result) },
    };
  });
  const orphans = left.flatMap((result) => textPart(`Result of ${result.toolName}:\n${result.textContent}`));
  return { responses, orphans };
}

/** The result stays text, also when it is JSON: Gemini would read its numbers as doubles. */
function responseOf(result: ToolResultBlock | undefined): JsonObject {
  if (result === undefined) return { error: MISSING_RESULT };
  const text = result.textContent.toWellFormed();
  return result.isError ? { error: text } : { output: text };
}
