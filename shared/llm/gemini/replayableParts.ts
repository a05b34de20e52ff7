// Prepares Gemini's own parts for being sent back: unchanged, except where its API or its SDK refuses them.

import { asText } from '../../text/json.ts';
import { executableCalls } from './collectStream.ts';
import type { GeminiPart } from './content.ts';

/**
 * Documented (Gemini API, "Thought signatures"): accepted in place of a signature for calls the model did not
 * make. In base64, as every signature goes over the wire, and as it was recorded to be accepted.
 */
export const DUMMY_SIGNATURE = Buffer.from('skip_thought_signature_validator').toString('base64');

/** The keys of a part with content. The SDK sends these and notes (`videoMetadata`), and drops others. */
const DATA_KEYS = [
  'text',
  'inlineData',
  'fileData',
  'functionCall',
  'functionResponse',
  'executableCode',
  'codeExecutionResult',
  'toolCall',
  'toolResponse',
];

/**
 * The parts of an answer for its replay. Those with content stay as they are; one whose content the SDK would
 * drop goes back as the empty text that carries its signature, or not at all: a part without content is
 * refused with 400.
 * @param withoutServerToolParts Vertex AI: the SDK throws on parts of server-side tools there, so they are
 * left out.
 */
export function replayableParts(parts: readonly GeminiPart[], withoutServerToolParts = false): GeminiPart[] {
  const allowed = withoutServerToolParts
    ? parts
        .filter((part) => part.toolCall === undefined && part.toolResponse === undefined)
        .map(({ partMetadata: _, ...part }) => part)
    : parts;
  return allowed.flatMap((part): GeminiPart[] => {
    if (DATA_KEYS.some((key) => part[key] !== undefined && part[key] !== null)) return [part];
    const thoughtSignature = asText(part.thoughtSignature);
    if (thoughtSignature === undefined) return [];
    return [{ text: '', ...(part.thought === true && { thought: true }), thoughtSignature }];
  });
}

/** The parts with the dummy signature on the first call, when that call has none of its own. */
export function signFirstCall(parts: readonly GeminiPart[]): GeminiPart[] {
  const first = executableCalls(parts)[0];
  return parts.map((part) =>
    first !== undefined && part.functionCall === first && asText(part.thoughtSignature) === undefined
      ? { ...part, thoughtSignature: DUMMY_SIGNATURE }
      : part,
  );
}
