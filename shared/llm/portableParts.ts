// The history of another model (or of another family of this one) in a form Gemini accepts: no signatures but the
// one it takes for "not mine", no thoughts, nothing that was executed on another server.

import type { Block } from '../schema/message.ts';
import { parseCallArguments } from '../tools/callArguments.ts';
import { toWireName } from '../tools/toolNames.ts';
import { isOwnCall } from './blocks/portableMessage.ts';
import { executableCalls } from './collectStream.ts';
import { asObject, asText, isObject } from './json.ts';
import type { ProviderPart } from './types.ts';

/**
 * Documented (Gemini API, "Thought signatures"): accepted in place of a signature for calls the model did not make.
 * In base64, as every signature goes over the wire, and as it was recorded to be accepted.
 */
export const DUMMY_SIGNATURE = Buffer.from('skip_thought_signature_validator').toString('base64');

/** Google's own parts without what is bound to their model. Provider-run tools survive as text where they have any. */
export function portableParts(parts: readonly ProviderPart[]): ProviderPart[] {
  const calls = executableCalls(parts);
  return parts.flatMap((part): ProviderPart[] => {
    if (isObject(part.functionCall)) {
      return calls.includes(part.functionCall) ? [{ functionCall: part.functionCall }] : [];
    }
    if (typeof part.text === 'string') return part.thought === true ? [] : textPart(part.text);
    if (part.executableCode !== undefined) return textPart(fenced(asObject(part.executableCode).code));
    if (part.codeExecutionResult !== undefined)
      return textPart(fenced(asObject(part.codeExecutionResult).output));
    return part.inlineData === undefined ? [] : [{ inlineData: part.inlineData }];
  });
}

/**
 * The parts of an assistant message that has none of Google's.
 * @param withIds whether calls carry their id: Gemini 3 matches results by it, older models do not know it.
 */
export function partsFromBlocks(blocks: readonly Block[], withIds: boolean): ProviderPart[] {
  return blocks.flatMap((block): ProviderPart[] => {
    if (block.blockType === 'text') return textPart(block.textContent);
    if (!isOwnCall(block)) return [];
    const name = toWireName(block.toolName);
    const args = parseCallArguments(block.input);
    return [{ functionCall: { ...(withIds && { id: block.toolUseId }), name, args } }];
  });
}

/** The parts with the dummy signature on the first call, when that call has none of its own. */
export function signFirstCall(parts: readonly ProviderPart[]): ProviderPart[] {
  const first = executableCalls(parts)[0];
  return parts.map((part) =>
    first !== undefined && part.functionCall === first && asText(part.thoughtSignature) === undefined
      ? { ...part, thoughtSignature: DUMMY_SIGNATURE }
      : part,
  );
}

/** A text part; none for blank text, which Gemini may refuse. */
export function textPart(text: string): ProviderPart[] {
  return text.trim() === '' ? [] : [{ text: text.toWellFormed() }];
}

function fenced(text: unknown): string {
  return typeof text === 'string' && text.trim() !== '' ? `\`\`\`\n${text}\n\`\`\`` : '';
}
