// Messages from outside (imports, other systems, tests): blocks in our form or in the snake_case form with a
// content map. Conversions of stored messages between providers' formats: tested, not used by any path yet.

import * as z from 'zod';
import { TerminalError } from '../../core/errors.ts';
import { type Block, blockSchema } from '../../core/schema/block.ts';
import { asObject, asText, isObject, type JsonObject } from '../../text/json.ts';
import type { PortableMessage } from '../blocks/portableMessage.ts';

const roleSchema = z.enum(['system', 'user', 'assistant', 'tool']);

/**
 * Reads `[{role, blocks}]`. A block with `block_type` is in the form `{block_type, text_content, content:
 * {…}}`, any other in ours. A result's value that is not text is kept as JSON.
 * @throws TerminalError `MODEL_BAD_REQUEST`, naming message and block by their positions from 0, and the
 * missing field.
 */
export function readMessages(input: unknown): PortableMessage[] {
  if (!Array.isArray(input)) throw new TerminalError('MODEL_BAD_REQUEST', 'messages must be a list.');
  return input.map((entry: unknown, i) => {
    const message = asObject(entry);
    const role = roleSchema.safeParse(message.role);
    if (!role.success) {
      const allowed = roleSchema.options.join(', ');
      throw invalidMessages(`message ${i}: unknown role ${JSON.stringify(message.role)} (one of ${allowed})`);
    }
    if (!Array.isArray(message.blocks)) throw invalidMessages(`message ${i}: blocks must be a list`);
    return { role: role.data, blocks: message.blocks.map((block, j) => readBlock(block, i, j)) };
  });
}

function readBlock(input: unknown, i: number, j: number): Block {
  const where = `message ${i}, block ${j}`;
  const raw = asObject(input);
  const parsed = blockSchema.safeParse('block_type' in raw ? fromSnakeCase(raw, where) : raw);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'block'}: ${message}`);
  throw invalidMessages(`${where}: ${faults.join('; ')}`);
}

function invalidMessages(message: string): TerminalError {
  return new TerminalError('MODEL_BAD_REQUEST', message);
}

function fromSnakeCase(raw: JsonObject, where: string): JsonObject {
  const type = asText(raw.block_type) ?? '';
  const { provider_data, citations, sequence, execution_side, provider } = raw;
  return {
    blockType: type,
    ...presentFields({ sequence, executionSide: execution_side, provider }),
    ...(provider_data !== undefined && provider_data !== null && { providerData: jsonText(provider_data) }),
    ...(Array.isArray(citations) && { citations: citations.map(camelCitation) }),
    ...contentOf(type, raw, where),
  };
}

function contentOf(type: string, raw: JsonObject, where: string): JsonObject {
  const text = raw.text_content;
  switch (type) {
    case 'thinking':
      if (typeof text !== 'string') throw invalidMessages(`${where}: thinking block missing text_content`);
      return { textContent: text };
    case 'tool_use':
    case 'web_search_use': {
      const content = contentMap(raw, where, type);
      const missing = ['tool_use_id', 'tool_name'].find((key) => asText(content[key]) === undefined);
      if (missing !== undefined) throw invalidMessages(`${where}: ${type} block missing ${missing}`);
      // Null is a value: the tool is called without arguments.
      if (content.input === undefined) throw invalidMessages(`${where}: ${type} block missing input`);
      const input = JSON.stringify(content.input);
      return { toolUseId: content.tool_use_id, toolName: content.tool_name, input };
    }
    case 'tool_result':
    case 'web_search_result':
      return { textContent: text ?? '', ...resultContent(contentMap(raw, where, type), where, type) };
    case 'image':
    case 'document': {
      const { mime_type, data, uri, url, title } = contentMap(raw, where, type);
      return presentFields({ mimeType: mime_type, data, uri: uri ?? url, title });
    }
    default:
      return { textContent: text };
  }
}

function contentMap(raw: JsonObject, where: string, type: string): JsonObject {
  if (isObject(raw.content)) return raw.content;
  throw invalidMessages(`${where}: ${type} block missing content`);
}

function resultContent(content: JsonObject, where: string, type: string): JsonObject {
  const { tool_use_id, tool_name, is_error, error, error_code, result, results } = content;
  if (asText(tool_use_id) === undefined) throw invalidMessages(`${where}: ${type} block missing tool_use_id`);
  return {
    toolUseId: tool_use_id,
    toolName: tool_name ?? (type === 'web_search_result' ? 'web_search' : ''),
    isError: is_error === true,
    ...presentFields({
      content: textOrJson(content.content),
      result: result === undefined || result === null ? undefined : JSON.stringify(result),
      error: textOrJson(error),
      errorCode: error_code,
      results: Array.isArray(results) ? results.map(camelResult) : undefined,
    }),
  };
}

function camelResult(input: unknown): JsonObject {
  const { title, url, page_age, kind } = asObject(input);
  return presentFields({ title, url, pageAge: page_age, kind });
}

function camelCitation(input: unknown): JsonObject {
  const { type, url, title, start_index, end_index, cited_text, result_index, snippet, provider_data } =
    asObject(input);
  return presentFields({
    type,
    url,
    title,
    startIndex: start_index,
    endIndex: end_index,
    citedText: cited_text,
    resultIndex: result_index,
    snippet,
    providerData: provider_data === undefined || provider_data === null ? undefined : jsonText(provider_data),
  });
}

function textOrJson(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Provider data can come as JSON or as its text. */
function jsonText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The fields that have a value: null and absent are the same in other systems. */
function presentFields(fields: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== null),
  );
}
