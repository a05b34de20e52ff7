// The prompt of an agent that is written as a schema.

import type { JsonObject } from '../text/json.ts';
import { asArray, asObject } from '../text/json.ts';
import { ANSWER } from '../text/structuredAnswer.ts';
import { joinParts } from '../wording/direct.ts';

const HEADER = '## Internal Thinking Structure (DO NOT output these labels)';
const INTRODUCTION = 'Use this structure to organize your thinking, but ONLY output the answer content:';
const INTERNAL = '**INTERNAL (for your tracking only - do NOT include in output):**';
const SCHEMA = 'Schema (use these EXACT field names):';
const CRITICAL = [
  'CRITICAL: Your response must be ONLY the conversational answer text.',
  "Do NOT output field names like 'answer:' or JSON - just the response itself.",
].join('\n');
const DEFAULT_ANSWER = 'Your response';

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

/**
 * The guidance; empty without properties. The user sees `answer`; all others are for the model's own
 * tracking.
 * @param required names of required properties.
 */
export function propertiesGuidance(properties: JsonObject, required: readonly string[] = []): string {
  if (Object.keys(properties).length === 0) return '';
  const { [ANSWER]: answer, ...internal } = properties;
  const parts = [HEADER, INTRODUCTION];
  if (answer !== undefined) {
    const { description } = asObject(answer);
    parts.push(`**OUTPUT (what the user sees):** ${joinPropertyLines(description) || DEFAULT_ANSWER}`);
  }
  if (Object.keys(internal).length > 0) {
    const lines = fieldLines({ properties: internal, required }, '');
    parts.push(INTERNAL, `${SCHEMA}\n\`\`\`yaml\n${lines.join('\n')}\n\`\`\``);
  }
  return [...parts, CRITICAL].join('\n\n');
}

/** The fields of an object, each with its description in the line below. Nested fields are indented. */
function fieldLines(schema: JsonObject, indentation: string): string[] {
  const required = asArray(schema.required);
  return Object.entries(asObject(schema.properties)).flatMap(([name, value]) => {
    const field = asObject(value);
    const mark = required.includes(name) ? ' (required)' : '';
    const text = joinPropertyLines(field.description);
    const comment = text === '' ? [] : [`${indentation}  # ${text}`];
    if (field.type === 'object')
      return [`${indentation}${name}:${mark}`, ...comment, ...fieldLines(field, `${indentation}  `)];
    if (field.type !== 'array')
      return [`${indentation}${name}: ${typeName(field)}${choicesText(field)}${mark}`, ...comment];
    const items = asObject(field.items);
    const nested =
      items.type === 'object'
        ? [`${indentation}  # Each item has:`, ...fieldLines(items, `${indentation}    `)]
        : [];
    return [`${indentation}${name}: [${typeName(items)}${choicesText(items)}]${mark}`, ...comment, ...nested];
  });
}

function typeName({ type }: JsonObject): string {
  if (Array.isArray(type)) return type.join(' or ');
  return typeof type === 'string' ? type : 'any';
}

function choicesText(field: JsonObject): string {
  const values = asArray(field.enum);
  return values.length === 0 ? '' : ` (one of: ${values.join(', ')})`;
}

/** A description can have several lines; a comment has one. */
function joinPropertyLines(description: unknown): string {
  return typeof description === 'string' ? description.trim().replace(/\s*\n\s*/g, ' ') : '';
}
