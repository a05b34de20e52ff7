// Converted messages as Gemini's contents: for answers that cannot be replayed from raw parts.

import { isGemini3OrLater } from '../../core/contract/geminiVersion.ts';
import { NATIVE_PROVIDER } from '../../core/contract/modelFacts.ts';
import type { Block, ToolResultBlock, ToolUseBlock } from '../../core/schema/block.ts';
import { toolResultText } from '../../schema/toolResultText.ts';
import { parseCallArguments } from '../../text/callArguments.ts';
import { asArray, asObject, asText, type JsonObject } from '../../text/json.ts';
import { type PortableMessage, readProviderData } from '../blocks/portableMessage.ts';
import { readOwnSignature } from '../blocks/thinking.ts';
import { toWireName } from '../wireNames.ts';
import type { Content, GeminiPart } from './content.ts';
import { signFirstCall } from './replayableParts.ts';

/** Ids the runtime made up for calls that came without one; no provider knows them. */
const OWN_ID_PREFIX = 'call_';

/**
 * Contents of messages that `convertForProvider` made: for Google's own client as target when the model
 * belongs to the family that made the blocks, else for null. On Gemini 3 and later the first call of each
 * content gets the accepted dummy when it has no signature, and calls and results carry their provider's ids.
 * System messages are left out.
 */
export function googleContents(messages: readonly PortableMessage[], model: string): Content[] {
  const checksSignatures = isGemini3OrLater(model);
  return messages.flatMap(({ role, blocks }): Content[] => {
    if (role === 'system') return [];
    const parts = blocks.flatMap((block) => googleParts(block, checksSignatures));
    if (parts.length === 0) return [];
    if (role !== 'assistant') return [{ role: 'user', parts }];
    return [{ role: 'model', parts: checksSignatures ? signFirstCall(parts) : parts }];
  });
}

/**
 * The parts of one block. A raw part comes back as it was; where it cannot be read, one is made of the
 * block's fields.
 * @param withIds whether calls and results carry their id, where a provider gave it: Gemini 3 and later match
 *   by it, older models do not know it.
 */
export function googleParts(block: Block, withIds: boolean): GeminiPart[] {
  switch (block.blockType) {
    case 'text':
      return textParts(block.textContent, block);
    case 'thinking':
      return [thoughtPart(block.textContent, block)];
    case 'tool_use':
    case 'web_search_use':
      return [usePart(block, withIds)];
    case 'tool_result':
      return [resultPart(block, withIds)];
    case 'image':
    case 'document': {
      const { mimeType, data, uri } = block;
      if (data !== undefined) return [{ inlineData: { mimeType, data }, ...signatureFields(block) }];
      return uri === undefined ? [] : [{ fileData: { mimeType, fileUri: uri }, ...signatureFields(block) }];
    }
  }
}

function signatureFields(block: Block): { thoughtSignature?: string } {
  const signature = readOwnSignature(block, NATIVE_PROVIDER);
  return signature === undefined ? {} : { thoughtSignature: signature };
}

/** A text of several parts falls apart where it was put together, each part with its own signature. */
function textParts(text: string, block: Block): GeminiPart[] {
  const segments = asArray(readProviderData(block)?.segments).map(asObject);
  const lengths = segments.map(({ length }) => (typeof length === 'number' ? length : 0));
  const total = lengths.reduce((sum, length) => sum + length, 0);
  if (
    readOwnSignature(block, NATIVE_PROVIDER) === undefined ||
    segments.length === 0 ||
    total !== text.length
  ) {
    return [{ text: text.toWellFormed(), ...signatureFields(block) }];
  }
  let start = 0;
  return segments.map((segment, index) => {
    const end = start + (lengths[index] ?? 0);
    const piece = text.slice(start, end);
    start = end;
    const signature = asText(segment.thought_signature);
    return { text: piece, ...(signature !== undefined && { thoughtSignature: signature }) };
  });
}

/** The signature goes where it came: on the thought only when no other part carried it. */
function thoughtPart(text: string, block: Block): GeminiPart {
  const carrier = asText(readProviderData(block)?.carrier) ?? 'thought';
  return { text, thought: true, ...(carrier === 'thought' && signatureFields(block)) };
}

function usePart(block: ToolUseBlock, withIds: boolean): GeminiPart {
  const { toolUseId: id, toolName } = block;
  const args = parseCallArguments(block.input);
  if (block.blockType === 'tool_use' && block.executionSide !== 'provider') {
    return {
      functionCall: { ...(withIds && providerId(id)), name: toWireName(toolName), args },
      ...signatureFields(block),
    };
  }
  const raw = rawPart(block);
  if (raw !== undefined) return raw;
  if (toolName === 'code_execution') return { executableCode: { ...(withIds && { id }), ...args } };
  return { toolCall: { id, toolType: toGeminiToolType(toolName), args } };
}

function resultPart(block: ToolResultBlock, withIds: boolean): GeminiPart {
  const { toolUseId: id, toolName, isError } = block;
  if (block.executionSide !== 'provider') {
    const response = composeFunctionResponse(block);
    return {
      functionResponse: { ...(withIds && providerId(id)), name: toWireName(toolName), response },
    };
  }
  const text = toolResultText(block).toWellFormed();
  const raw = rawPart(block);
  if (raw !== undefined) return raw;
  if (toolName === 'code_execution') {
    const outcome = isError ? 'OUTCOME_FAILED' : 'OUTCOME_OK';
    return { codeExecutionResult: { ...(withIds && { id }), outcome, output: text } };
  }
  return {
    toolResponse: { id, toolType: toGeminiToolType(toolName), response: text === '' ? {} : { output: text } },
  };
}

/** The content of a functionResponse: text, also for JSON, whose numbers Gemini reads as doubles. */
export function composeFunctionResponse(block: ToolResultBlock): JsonObject {
  const text = toolResultText(block).toWellFormed();
  return block.isError ? { error: text } : { output: text };
}

function providerId(id: string): { id?: string } {
  return id.startsWith(OWN_ID_PREFIX) ? {} : { id };
}

function rawPart(block: Block): JsonObject | undefined {
  return block.provider === NATIVE_PROVIDER ? readProviderData(block) : undefined;
}

function toGeminiToolType(toolName: string): string {
  return toolName === 'web_search' ? 'GOOGLE_SEARCH_WEB' : toolName.toUpperCase();
}
