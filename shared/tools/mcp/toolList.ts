// Limits the size of a server's tool list: each answer to `tools/list` is measured before anything else reads
// it. The work depends only on the size of the answer, and ends at the first limit.

import type { WithheldTool } from '../../core/contract/tools.ts';
import { quoteText } from '../../text/cut.ts';
import { makeVisible } from '../../text/hiddenCharacters.ts';
import { asObject, isObject } from '../../text/json.ts';
import type { BodyLimit } from '../http/responseLimit.ts';

/** Bytes of a server's whole list, over all its pages. Large servers have some 100 kB. */
export const MAX_LIST_BYTES = 1_000_000;
/** Tools of a server. Gemini takes 512 in a request; an agent can select from a larger list. */
export const MAX_LISTED_TOOLS = 1_000;
/** Properties of one tool's parameters, at all depths. */
export const MAX_PROPERTIES = 2_000;
/** Levels of JSON in one tool. Each nested property takes two. */
export const MAX_NESTING = 100;
/** The names that MCP recommends, and two more characters that older versions of it allowed. */
const NAME = /^[\w./:-]{1,128}$/;

/** Our error code for a list that is too large, in the range that JSON-RPC leaves to implementations. */
export const LIST_TOO_LARGE = -32_052;

/** Error messages for such a list. */
const LIST_BYTES_MESSAGE = `its list of tools has more than ${MAX_LIST_BYTES} bytes`;
const LIST_LENGTH_MESSAGE = `its list has more than ${MAX_LISTED_TOOLS} tools`;

/** The limit of one page, which is read before it is measured. */
export const LIST_LIMIT: BodyLimit = {
  maxBytes: MAX_LIST_BYTES,
  code: LIST_TOO_LARGE,
  message: LIST_BYTES_MESSAGE,
};

/** A message of JSON-RPC, as far as it matters here. */
interface Message {
  /** The id of the request that it answers. */
  id?: unknown;
  /** The answer; absent in requests, notifications and errors. */
  result?: unknown;
}

/** Measures the pages of one list after another. */
export interface ListMeter {
  /** Starts a new list: resets all counts. */
  start(): void;
  /** Tools that the current list holds and that were taken out of it, without their server's name. */
  refused(): WithheldTool[];
  /**
   * The message, or its replacement: a page without the tools that pass a limit, an error for a list that
   * passes one. Messages that are no page are returned as they are.
   */
  inspect<M extends object>(message: M): M;
}

/** A meter for one connection, which reads one list at a time. */
export function meterLists(): ListMeter {
  let bytes = 0;
  let tools = 0;
  let refused: WithheldTool[] = [];
  return {
    start() {
      [bytes, tools, refused] = [0, 0, []];
    },
    refused: () => refused,
    inspect(message) {
      const { id, result } = message as Message;
      const page = asObject(result);
      if (!Array.isArray(page.tools)) return message;
      tools += page.tools.length;
      if (tools > MAX_LISTED_TOOLS) return tooLarge(id, LIST_LENGTH_MESSAGE) as typeof message;
      const kept: unknown[] = [];
      for (const tool of page.tools as unknown[]) {
        const size = measureJson(tool, MAX_LIST_BYTES - bytes);
        bytes += size.bytes;
        if (bytes > MAX_LIST_BYTES) return tooLarge(id, LIST_BYTES_MESSAGE) as typeof message;
        const reason = findToolFault(tool, size);
        if (reason === undefined) kept.push(tool);
        else refused.push({ name: shownName(tool), reason });
      }
      return { ...message, result: { ...page, tools: kept.map(withoutResults) } };
    },
  };
}

function tooLarge(id: unknown, message: string): object {
  return { jsonrpc: '2.0', id, error: { code: LIST_TOO_LARGE, message } };
}

/** Removes unused fields of a tool before its check. Results become text in any output schema. */
function withoutResults(tool: unknown): unknown {
  if (!isObject(tool)) return tool;
  const { outputSchema: _, _meta: _1, icons: _2, ...rest } = tool;
  return rest;
}

function shownName(tool: unknown): string {
  const { name } = asObject(tool);
  return typeof name === 'string' ? quoteText(makeVisible(name), 60, 'words') : '(no name)';
}

/** Why a tool is refused in any configuration; undefined when it is valid. */
function findToolFault(tool: unknown, { properties, nesting }: Size): string | undefined {
  const { name } = asObject(tool);
  if (typeof name === 'string' && !NAME.test(name))
    return 'its name is not made of 1 to 128 letters, digits, dots, hyphens, underscores, slashes and colons';
  if (properties > MAX_PROPERTIES)
    return `its parameters have more than ${MAX_PROPERTIES} properties; its server must describe fewer`;
  if (nesting > MAX_NESTING)
    return `its description nests deeper than ${MAX_NESTING} levels; its server must describe it flatter`;
  return undefined;
}

/** Measures of a JSON value; beyond a limit only bytes are counted. */
interface Size {
  /** UTF-8, as JSON without escapes and white space. */
  bytes: number;
  /** Keys of all objects under a key `properties`. */
  properties: number;
  /** The most levels of objects and lists. */
  nesting: number;
  /** Values looked at. */
  steps: number;
}

/**
 * Walks a JSON value of any depth.
 * @param maxBytes the walk ends behind so many.
 * @internal
 */
export function measureJson(value: unknown, maxBytes: number): Size {
  const size: Size = { bytes: 0, properties: 0, nesting: 0, steps: 0 };
  const open: { value: unknown; depth: number; isProperties: boolean }[] = [
    { value, depth: 0, isProperties: false },
  ];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    size.steps++;
    const { value: current, depth, isProperties } = next;
    if (typeof current === 'string') size.bytes += Buffer.byteLength(current) + 2;
    else if (typeof current !== 'object' || current === null) size.bytes += String(current).length;
    else {
      size.nesting = Math.max(size.nesting, depth + 1);
      size.bytes += 2;
      const isList = Array.isArray(current);
      for (const [key, inner] of Object.entries(current)) {
        size.bytes += isList ? 1 : Buffer.byteLength(key) + 4;
        if (isProperties) size.properties++;
        open.push({ value: inner, depth: depth + 1, isProperties: !isList && key === 'properties' });
        if (size.bytes > maxBytes) return size;
      }
    }
    if (size.bytes > maxBytes) return size;
  }
  return size;
}
