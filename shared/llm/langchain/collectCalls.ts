// Joins the tool calls of an answer from LangChain's chunks, which have pieces or whole calls.

import { asArray, asObject, asText, isObject, type JsonObject, parseJson } from '../../text/json.ts';

/** A tool call as it arrived. */
export interface CollectedCall {
  /** The provider's id; empty when it gave none. */
  id: string;
  /** A wire name. */
  name: string;
  /** JSON text; cut where the answer was, blank for none. */
  args: string;
}

interface OpenCall extends CollectedCall {
  /** The provider's position of the call. */
  index: number | undefined;
  /** Number of the chunk in which it came whole; undefined for a call that came in pieces. */
  chunk?: number;
}

/** Puts the calls of one answer together, chunk by chunk. */
interface CallCollector {
  /** Adds the calls of one chunk. Returns the UTF-8 bytes that are kept of them. */
  add(chunk: JsonObject): number;
  /** The calls so far, in the order in which they started. Two calls can have one id. */
  calls(): CollectedCall[];
}

/** A collector for one answer. */
export function createCallCollector(): CallCollector {
  const open: OpenCall[] = [];
  let chunks = 0;

  /** The call that a piece continues; undefined at a start. Some providers repeat the same position. */
  function continuedCall({ id, name, args, index }: OpenCall): OpenCall | undefined {
    if (id !== '') {
      const same = open.findLast((call) => call.id === id && (index === undefined || call.index === index));
      if (same !== undefined) return isSecondCall(same, name, args) ? undefined : same;
      const moved = open.findLast((call) => call.id === id);
      if (moved !== undefined) return name === '' ? moved : undefined;
    }
    const last = index === undefined ? open.at(-1) : open.findLast((call) => call.index === index);
    if (last === undefined || (id !== '' && last.id !== '')) return undefined;
    return index === undefined && name !== '' ? undefined : last;
  }

  function addPiece(piece: JsonObject): number {
    const [id, name, args] = [asText(piece.id) ?? '', asText(piece.name) ?? '', asText(piece.args) ?? ''];
    const index = typeof piece.index === 'number' ? piece.index : undefined;
    const call = continuedCall({ id, name, args, index });
    if (call === undefined) open.push({ id, name, args, index });
    else {
      call.id ||= id;
      // A provider that repeats the name with each piece has not made it longer.
      if (call.name !== name) call.name += name;
      call.args += args;
    }
    return callBytes({ id, name, args });
  }

  /**
   * Whether a piece belongs to a tool that Anthropic runs itself: LangChain makes pieces of all input, but
   * starts a call only for tools of the client.
   */
  function isOfServerTool({ id, name, index }: JsonObject, { content }: JsonObject): boolean {
    const isNameless = !asText(id) && !asText(name) && !open.some((call) => call.index === index);
    const isInput = (block: JsonObject) => block.type === 'input_json_delta' && block.index === index;
    return isNameless && asArray(content).map(asObject).some(isInput);
  }

  /** A whole call, of packages that do not stream arguments; unparsable ones are text. */
  function addWhole(call: JsonObject): number {
    const args = typeof call.args === 'string' ? call.args : JSON.stringify(asObject(call.args));
    const whole = { id: asText(call.id) ?? '', name: asText(call.name) ?? '', args };
    const isRepeated = open.some(
      ({ id, name, args: known, chunk }) =>
        id !== '' &&
        id === whole.id &&
        name === whole.name &&
        chunk !== chunks &&
        canonicalArguments(known) === canonicalArguments(args),
    );
    if (isRepeated) return 0;
    open.push({ ...whole, index: undefined, chunk: chunks });
    return callBytes(whole);
  }

  return {
    add(chunk) {
      chunks += 1;
      // LangChain derives `tool_calls` from the pieces of a chunk, if it has any.
      const pieces = asArray(chunk.tool_call_chunks).map(asObject);
      const isOwn = (piece: JsonObject) => !isOfServerTool(piece, chunk);
      const bytes =
        pieces.length > 0
          ? pieces.filter(isOwn).map(addPiece)
          : [...asArray(chunk.tool_calls), ...asArray(chunk.invalid_tool_calls)].map((call) =>
              addWhole(asObject(call)),
            );
      return bytes.reduce((sum, count) => sum + count, 0);
    },
    calls: () => open.map(({ id, name, args }) => ({ id, name, args })),
  };
}

/** Whether a piece with a known id starts a second call: the first is whole, and it has a name. */
function isSecondCall(known: OpenCall, name: string, args: string): boolean {
  return name !== '' && args.trimStart().startsWith('{') && isObject(parseJson(known.args));
}

/** Arguments in one spelling, to compare them. */
function canonicalArguments(args: string): string {
  const value = parseJson(args.trim() || '{}');
  return value === undefined ? args : JSON.stringify(value);
}

function callBytes({ id, name, args }: CollectedCall): number {
  return Buffer.byteLength(id) + Buffer.byteLength(name) + Buffer.byteLength(args);
}
