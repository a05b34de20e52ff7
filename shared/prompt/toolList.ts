// Tools as text, for models that are told about them instead of having them bound.

import { asArray, asObject, asText, isObject, type JsonObject } from '../llm/json.ts';
import { schemaForGemini } from '../llm/schemaForGemini.ts';
import type { ToolDefinition } from '../tools/types.ts';

/** Enough for what people design; deeper levels are named by their type only. */
const MAX_DEPTH = 6;
const INDENTATION = '  ';

/** Every tool with its parameters, in the order given; the same tools make the same text, byte for byte. */
export function describeTools(tools: readonly ToolDefinition[]): string {
  return tools.map(describeTool).join('\n\n');
}

/** Every tool with its description only, one each, for a reminder of what there is. */
export function listTools(tools: readonly ToolDefinition[]): string {
  return tools.map(({ name, description }) => bullet(`\`${name}\``, description, 0)).join('\n');
}

function describeTool({ name, description, inputSchema }: ToolDefinition): string {
  // Inlines `$ref`, merges `allOf` and bounds size and depth; what it leaves out says nothing to a reader either.
  const parameters = describeProperties(schemaForGemini(inputSchema), 0);
  return [
    `### ${name}`,
    ...(description.trim() === '' ? [] : [description.trim()]),
    ...(parameters.length === 0 ? ['Parameters: none'] : ['Parameters:', ...parameters]),
  ].join('\n');
}

function describeProperties(schema: JsonObject, depth: number): string[] {
  const required = asArray(schema.required);
  return Object.entries(asObject(schema.properties)).flatMap(([name, value]) => {
    const property = asObject(value);
    const facts = [typeOf(property), ...(required.includes(name) ? ['required'] : [])].join(', ');
    const head = bullet(`${name} (${facts})`, asText(property.description) ?? '', depth);
    return [head, ...describeInside(property, depth + 1)];
  });
}

/** The properties of an object, of the items of a list, of a map's values, of each alternative. */
function describeInside(schema: JsonObject, depth: number): string[] {
  if (depth > MAX_DEPTH) return [];
  const inner = [schema.items, schema.additionalProperties, ...asArray(schema.anyOf)].filter(isObject);
  return [...describeProperties(schema, depth), ...inner.flatMap((part) => describeInside(part, depth))];
}

/** A type as one would say it: `string`, `list of string`, `"a" or "b"`. */
function typeOf(schema: JsonObject, depth = 0): string {
  const choices = asArray(schema.enum);
  if (choices.length > 0) return choices.map((choice) => JSON.stringify(choice)).join(' or ');
  const alternatives = asArray(schema.anyOf);
  if (alternatives.length > 0 && depth < MAX_DEPTH) {
    return [...new Set(alternatives.map((one) => typeOf(asObject(one), depth + 1)))].join(' or ');
  }
  const types = Array.isArray(schema.type)
    ? schema.type.map(String)
    : [asText(schema.type) ?? untyped(schema)];
  return types.map((type) => nestedType(type, schema, depth)).join(' or ');
}

function untyped(schema: JsonObject): string {
  if (isObject(schema.properties)) return 'object';
  return isObject(schema.items) ? 'array' : 'any';
}

function nestedType(type: string, schema: JsonObject, depth: number): string {
  const { items, additionalProperties: values } = schema;
  if (type === 'array') {
    return isObject(items) && depth < MAX_DEPTH ? `list of ${typeOf(items, depth + 1)}` : 'list';
  }
  const isMap = type === 'object' && isObject(values) && depth < MAX_DEPTH;
  return isMap ? `object with values of type ${typeOf(values, depth + 1)}` : type;
}

/** One list item; further lines of its text stay inside it. */
function bullet(head: string, text: string, depth: number): string {
  const indentation = INDENTATION.repeat(depth);
  const [first = '', ...rest] = text.trim().split(/\r?\n/);
  const lines = [first === '' ? head : `${head}: ${first}`, ...rest.map((line) => INDENTATION + line.trim())];
  return lines.map((line, index) => `${indentation}${index === 0 ? '- ' : ''}${line}`).join('\n');
}
