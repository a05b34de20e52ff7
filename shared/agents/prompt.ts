// The prompt of an agent that is written as a schema, and the one of an agent that is asked directly.

import { frameRule } from '../text/frame.ts';
import type { JsonObject } from '../text/json.ts';
import { propertiesGuidance } from './propertiesGuidance.ts';

/** What the prompt of a schema is made of. */
export interface SchemaTexts {
  description: string;
  /** Further instructions. Absent: none. */
  systemPrompt?: string | undefined;
  properties: JsonObject;
  required: readonly string[];
}

/**
 * Description, further instructions and, unless the answer is structured, the guidance from the properties, with blank lines
 * between them. In structured mode nothing is added: the schema goes with the request.
 */
export function schemaPrompt(texts: SchemaTexts, isStructured: boolean): string {
  const { description, systemPrompt = '', properties, required } = texts;
  const guidance = isStructured ? '' : propertiesGuidance(properties, required);
  return joinParts([description, systemPrompt, guidance]);
}

/** The text of an agent with what is known of the user before it. */
export function withUserContext(prompt: string, hint: string | undefined): string {
  const text = hint?.trim() ?? '';
  return text === '' ? prompt.trim() : joinParts([`## User Context\n${text}`, prompt]);
}

/**
 * The system prompt of an agent that is asked directly, outside of an investigation: its own text, and the rule about
 * untrusted data.
 * @param options.userContext what is known of the user, masked. Absent: nothing.
 * @param options.nonce of the session: 12 hexadecimal digits.
 * @internal
 */
export function directPrompt(
  { instructions }: { instructions: string },
  { userContext, nonce }: { userContext?: string; nonce: string },
): string {
  return joinParts([withUserContext(instructions, userContext), frameRule(nonce)]);
}

function joinParts(parts: readonly string[]): string {
  return parts
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .join('\n\n');
}
