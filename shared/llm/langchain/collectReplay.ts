// Collects an answer in its provider's form, if that has signed or encrypted reasoning to return.

import {
  asArray,
  asObject,
  asText,
  isObject,
  type JsonObject,
  jsonBytes,
  parseJson,
} from '../../text/json.ts';

/** The provider's own form of an answer, as far as a LangChain message holds it. */
export type OwnForm =
  /** Anthropic: content blocks with signed thinking. */
  | { kind: 'content'; content: JsonObject[] }
  /** OpenAI's Responses API: output items with reasoning. */
  | { kind: 'output'; output: JsonObject[] };

/** Whether an own form has calls, which some providers refuse where no tools are bound. */
export function hasCalls(form: OwnForm): boolean {
  return form.kind === 'content'
    ? form.content.some(({ type }) => type === 'tool_use')
    : form.output.some(({ type }) => type === 'function_call');
}

/** Content of Anthropic that comes from its own tools. */
export interface Served {
  /** Content blocks, in order. */
  blocks: JsonObject[];
  /** Citations of all texts, in order. */
  citations: JsonObject[];
}

/** Collects one answer, chunk by chunk. */
interface OwnFormCollector {
  /** Adds one chunk. Returns the UTF-8 bytes of signatures and encrypted reasoning that are kept of it. */
  add(chunk: JsonObject): number;
  /** The form so far; undefined when it holds nothing that only its provider can read. */
  form(): OwnForm | undefined;
  /**
   * Calls and results of tools that Anthropic ran itself, and the citations of its texts, as it sent them.
   */
  served(): Served;
}

/** A collector for one answer. */
export function createOwnFormCollector(): OwnFormCollector {
  const blocks = new Map<unknown, JsonObject>();
  let output: JsonObject[] = [];

  function addBlock(piece: JsonObject): number {
    const { index, type } = piece;
    const known = blocks.get(index);
    if (type === 'input_json_delta') {
      if (known !== undefined) known.input = `${asText(known.input) ?? ''}${asText(piece.input) ?? ''}`;
      return 0;
    }
    if (known === undefined) {
      const { index: _, ...block } = piece;
      blocks.set(index, { ...block });
    } else {
      for (const key of ['text', 'thinking', 'signature', 'data']) {
        const added = asText(piece[key]);
        if (added !== undefined) known[key] = `${asText(known[key]) ?? ''}${added}`;
      }
      const cited = [...asArray(known.citations), ...asArray(piece.citations)];
      if (cited.length > 0) known.citations = cited;
    }
    if (isServed(piece) || piece.citations !== undefined) return jsonBytes(piece);
    return Buffer.byteLength(asText(piece.signature) ?? '') + Buffer.byteLength(asText(piece.data) ?? '');
  }

  return {
    add(chunk) {
      const items = asArray(asObject(chunk.response_metadata).output).filter(isObject);
      if (items.length > 0) output = items;
      const encrypted = items.map(({ encrypted_content }) => asText(encrypted_content) ?? '');
      const pieces = asArray(chunk.content)
        .filter(isObject)
        .filter(({ index }) => typeof index === 'number');
      return [
        ...encrypted.map((text) => Buffer.byteLength(text)),
        ...pieces.map((piece) => addBlock(piece)),
      ].reduce((sum, bytes) => sum + bytes, 0);
    },
    served() {
      const all = [...blocks.values()];
      return {
        blocks: all.filter(isServed).map((block) => {
          const input = typeof block.input === 'string' ? parseJson(block.input || '{}') : block.input;
          return withoutGaps({ ...block, input });
        }),
        citations: all.flatMap(({ type, citations }) =>
          type === 'text' ? asArray(citations).filter(isObject) : [],
        ),
      };
    },
    form() {
      const items = output.map(outputItem);
      const isReasoned = output.some(({ type }) => type === 'reasoning');
      if (isReasoned) return items.every(isObject) ? { kind: 'output', output: items } : undefined;
      // Anthropic refuses empty texts.
      const content = [...blocks.values()]
        .map(contentBlock)
        .filter((block) => block?.type !== 'text' || block.text !== '');
      const isSigned = content.some(
        (block) => block?.type === 'thinking' || block?.type === 'redacted_thinking',
      );
      return isSigned && content.every(isObject) ? { kind: 'content', content } : undefined;
    },
  };
}

/** Whether a content block is a call or a result of a tool that Anthropic ran. */
function isServed({ type }: JsonObject): boolean {
  return /^\w+_tool_use$|_tool_result$/.test(asText(type) ?? '');
}

/** An output item as the Responses API takes it back; undefined for one that this system does not ask for. */
function outputItem(item: JsonObject): JsonObject | undefined {
  const { type, id, status, summary, encrypted_content, role, content, call_id, name } = item;
  switch (type) {
    case 'reasoning':
      // Its `content` is left out: the text of open models' reasoning, which nothing masks.
      return withoutGaps({ type, id, summary: asArray(summary), encrypted_content });
    case 'message':
      return withoutGaps({ type, id, role, status, content: asArray(content), phase: item.phase });
    case 'function_call':
      return withoutGaps({ type, id, call_id, name, arguments: item.arguments, status });
    default:
      return undefined;
  }
}

/** A content block as Anthropic takes it back; undefined for one that this system does not ask for. */
function contentBlock(block: JsonObject): JsonObject | undefined {
  const { type, text, thinking, signature, data, id, name, input } = block;
  switch (type) {
    case 'thinking':
      // Anthropic refuses thinking without its signature.
      return asText(signature) === undefined
        ? undefined
        : { type, thinking: asText(thinking) ?? '', signature };
    case 'redacted_thinking':
      return { type, data };
    case 'text':
      return { type, text: asText(text) ?? '' };
    case 'tool_use': {
      const written = isObject(input) ? input : parseJson(asText(input) ?? '{}');
      return isObject(written) ? { type, id, name, input: written } : undefined;
    }
    default:
      return undefined;
  }
}

function withoutGaps(item: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(item).filter(([, value]) => value !== undefined && value !== null),
  );
}
