// Describes tools as text, for strategies that put them into the prompt instead of binding them.

import { quoteText } from '../../text/cut.ts';
import { asArray, asObject, asText, isObject, type JsonObject } from '../../text/json.ts';
import { plainSchema } from '../../text/schema/plainSchema.ts';
import type { ToolDefinition } from '../contract/tools.ts';

/** Levels of parameters that are described; deeper ones are named by their type only. */
const MAX_DEPTH = 6;
const INDENTATION = '  ';
/** Before lines of a server's text. After four spaces Markdown reads no heading and no fence. */
const TEXT_INDENTATION = '    ';

/** Longest name, description and first line of a description, in characters. */
const MAX_NAME = 200;
const MAX_TEXT = 2_000;
const MAX_FIRST_LINE = 200;
/** One tool's whole entry, so that it leaves room for others. UTF-8 bytes, like the next two. */
const MAX_TOOL_BYTES = 30_000;
/** All tools of a system prompt, some 75,000 tokens of every request. */
const MAX_DESCRIBED_BYTES = 300_000;
/** All tools of a reminder, which is stored with each wrong call in a document of at most 1 MiB. */
const MAX_LISTED_BYTES = 20_000;

const LINE_BREAK = /\r\n|[\n\v\f\r\u0085\u2028\u2029]/;
const NOT_IN_A_LINE = /[\p{Cc}\p{Zl}\p{Zp}]+/gu;

type Detail = 'whole' | 'firstLine';

/**
 * Every tool with its parameters, in the order given; the same tools give the same text, byte for byte. Only
 * headings of tools and `Parameters` are at the start of a line: the texts of a server are indented, so that
 * they cannot look like another tool or a section of an answer.
 *
 * A text longer than 2,000 characters is cut; a tool beyond 30 kB has first lines only. Beyond 300 kB all
 * tools have first lines only; beyond that again they are only named, and a last line counts those left out.
 */
export function describeTools(tools: readonly ToolDefinition[]): string {
  return (
    describeWithin(tools, ['whole', 'firstLine'], MAX_DESCRIBED_BYTES) ??
    describeWithin(tools, ['firstLine'], MAX_DESCRIBED_BYTES) ??
    nameTools(tools)
  );
}

/**
 * The tools by name and first line of their description (200 characters), one line each, as a reminder.
 * At most 20 kB; a last line counts omitted tools.
 */
export function listTools(tools: readonly ToolDefinition[]): string {
  const items = tools.map(({ name, description }) =>
    listItem(`\`${quoteToolName(name)}\``, listServerLines(description, 'firstLine'), 0),
  );
  return linesWithin(items, MAX_LISTED_BYTES);
}

function nameTools(tools: readonly ToolDefinition[]): string {
  const note = 'There are too many tools to describe them: these are their names.';
  const headings = tools.map(({ name }) => `### ${quoteToolName(name)}`);
  return `${note}\n\n${linesWithin(headings, MAX_DESCRIBED_BYTES)}`;
}

/** All tools, each with the first of `details` that fits; undefined if longer than `maxBytes`. */
function describeWithin(
  tools: readonly ToolDefinition[],
  details: readonly Detail[],
  maxBytes: number,
): string | undefined {
  const described: string[] = [];
  let bytes = 0;
  for (const tool of tools) {
    const text = describeTool(tool, details);
    bytes += Buffer.byteLength(text) + 2;
    if (bytes > maxBytes) return undefined;
    described.push(text);
  }
  return described.join('\n\n');
}

/** One tool, with the first of `details` that is short enough. */
function describeTool(
  { name, description, inputSchema }: ToolDefinition,
  details: readonly Detail[],
): string {
  const heading = `### ${quoteToolName(name)}`;
  const about = (detail: Detail) =>
    listServerLines(description, detail).map((line) => TEXT_INDENTATION + line);
  // Inlines `$ref`, merges `allOf` and limits size and depth; the omitted parts do not help a reader either.
  const schema = plainSchema(inputSchema);
  for (const detail of details) {
    const parameters = describeProperties(schema, 0, detail);
    const text = joinWithin([heading, ...about(detail)], parameters, MAX_TOOL_BYTES);
    if (text !== undefined) return text;
  }
  return [heading, ...about('firstLine'), 'Parameters: too many to show'].join('\n');
}

/** Undefined if longer than `maxBytes`: a small schema with references can describe megabytes. */
function joinWithin(head: string[], parameters: Iterable<string>, maxBytes: number): string | undefined {
  const lines = [...head, 'Parameters:'];
  let bytes = Buffer.byteLength(lines.join('\n'));
  for (const parameter of parameters) {
    bytes += Buffer.byteLength(parameter) + 1;
    if (bytes > maxBytes) return undefined;
    lines.push(parameter);
  }
  const hasParameters = lines.length > head.length + 1;
  return hasParameters ? lines.join('\n') : [...head, 'Parameters: none'].join('\n');
}

/** The parameters one by one, so that the caller can stop. */
function* describeProperties(schema: JsonObject, depth: number, detail: Detail): Generator<string> {
  const required = asArray(schema.required);
  for (const [name, value] of Object.entries(asObject(schema.properties))) {
    const property = asObject(value);
    const type = quoteText(replaceLineBreaks(describeSchemaType(property)), MAX_TEXT);
    const facts = [
      type,
      ...(required.includes(name) ? ['required'] : []),
      ...(property.default === undefined
        ? []
        : [`default ${replaceLineBreaks(JSON.stringify(property.default))}`]),
    ].join(', ');
    const about = listServerLines(asText(property.description) ?? '', detail);
    yield listItem(`${quoteToolName(name)} (${facts})`, about, depth);
    yield* describeInside(property, depth + 1, detail);
  }
}

/** The properties of an object, of the items of a list, of a map's values, of each alternative. */
function* describeInside(schema: JsonObject, depth: number, detail: Detail): Generator<string> {
  if (depth > MAX_DEPTH) return;
  const inner = [schema.items, schema.additionalProperties, ...asArray(schema.anyOf)].filter(isObject);
  yield* describeProperties(schema, depth, detail);
  for (const part of inner) yield* describeInside(part, depth, detail);
}

/** A type in words: `string`, `list of string`, `"a" or "b"`. */
function describeSchemaType(schema: JsonObject, depth = 0): string {
  const choices = asArray(schema.enum);
  if (choices.length > 0) return choices.map((choice) => JSON.stringify(choice)).join(' or ');
  const alternatives = asArray(schema.anyOf);
  if (alternatives.length > 0 && depth < MAX_DEPTH) {
    return [...new Set(alternatives.map((one) => describeSchemaType(asObject(one), depth + 1)))].join(' or ');
  }
  const types = Array.isArray(schema.type)
    ? schema.type.map(String)
    : [asText(schema.type) ?? typeWithoutName(schema)];
  return types.map((type) => nestedType(type, schema, depth)).join(' or ');
}

function typeWithoutName(schema: JsonObject): string {
  if (isObject(schema.properties)) return 'object';
  return isObject(schema.items) ? 'array' : 'any';
}

function nestedType(type: string, schema: JsonObject, depth: number): string {
  const { items, additionalProperties: values } = schema;
  if (type === 'array') {
    return isObject(items) && depth < MAX_DEPTH ? `list of ${describeSchemaType(items, depth + 1)}` : 'list';
  }
  const isMap = type === 'object' && isObject(values) && depth < MAX_DEPTH;
  return isMap ? `object with values of type ${describeSchemaType(values, depth + 1)}` : type;
}

/** One list item; further lines of its text are indented below it. */
function listItem(head: string, [first, ...rest]: readonly string[], depth: number): string {
  const indentation = INDENTATION.repeat(depth);
  const item = `${indentation}- ${first === undefined ? head : `${head}: ${first}`}`;
  return [item, ...rest.map((line) => indentation + TEXT_INDENTATION + line)].join('\n');
}

/** As many lines as fit, then a line that counts the rest. */
function linesWithin(lines: readonly string[], maxBytes: number): string {
  let bytes = 0;
  const end = lines.findIndex((line) => {
    bytes += Buffer.byteLength(line) + 1;
    return bytes > maxBytes;
  });
  if (end === -1) return lines.join('\n');
  return [...lines.slice(0, end), `… and ${lines.length - end} more, which are not shown here.`].join('\n');
}

/** The lines of a server's text without blank ones; examples keep their indentation. */
function listServerLines(text: string, detail: Detail): string[] {
  const lines = (part: string): string[] =>
    part
      .split(LINE_BREAK)
      .map((line) => replaceLineBreaks(line).trimEnd())
      .filter((line) => line !== '');
  if (detail === 'whole') return lines(quoteText(text.trim(), MAX_TEXT));
  // Leading blank lines are removed, so the first line starts within the limit.
  const [first] = lines(text.trim().slice(0, MAX_TEXT));
  return first === undefined ? [] : [quoteText(first.trim(), MAX_FIRST_LINE)];
}

function quoteToolName(name: string): string {
  return quoteText(replaceLineBreaks(name), MAX_NAME);
}

function replaceLineBreaks(text: string): string {
  return text.replace(NOT_IN_A_LINE, ' ');
}
