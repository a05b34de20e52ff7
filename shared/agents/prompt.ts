// The prompt of an agent that is written as a schema.

import type { JsonObject } from '../text/json.ts';
import { joinParts } from '../wording/direct.ts';
import { propertiesGuidance } from './propertiesGuidance.ts';

interface SchemaTexts {
  /** The schema's description, which opens the prompt. Markdown. */
  description: string;
  /** Further instructions. Absent: none. */
  systemPrompt?: string | undefined;
  /** JSON Schemas of the answer's fields, by name; empty for an answer that is text. */
  properties: JsonObject;
  /** Names of the fields that every answer has. */
  required: readonly string[];
}

/**
 * Description, further instructions and, unless the answer is structured, the guidance from the properties,
 * with blank lines between them. In structured mode nothing is added: the schema goes with the request.
 */
export function schemaPrompt(texts: SchemaTexts, isStructured: boolean): string {
  const { description, systemPrompt = '', properties, required } = texts;
  const guidance = isStructured ? '' : propertiesGuidance(properties, required);
  return joinParts([description, systemPrompt, guidance]);
}
