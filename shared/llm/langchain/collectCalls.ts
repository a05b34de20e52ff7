// Puts the tool calls of an answer together from LangChain's chunks, which hold pieces of calls, or whole ones.

import { asArray, asObject, asText, type JsonObject } from '../../text/json.ts';

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
}

/** Puts the calls of one answer together, chunk by chunk. */
export interface CallCollector {
  /** Adds the calls of one chunk. Returns the UTF-8 bytes that are kept of them. */
  add(chunk: JsonObject): number;
  /** What has arrived so far, in the order in which the calls began. */
  calls(): CollectedCall[];
}

/** A collector for one answer. */
export function createCallCollector(): CallCollector {
  const open: OpenCall[] = [];

  /** The call that a piece continues; undefined when it begins one. Some providers give every call the same position. */
  function continued(id: string, name: string, index: number | undefined): OpenCall | undefined {
    if (id !== '') {
      const same = open.findLast((call) => call.id === id);
      if (same !== undefined) return same;
    }
    const last = index === undefined ? open.at(-1) : open.findLast((call) => call.index === index);
    if (last === undefined || (id !== '' && last.id !== '')) return undefined;
    return index === undefined && name !== '' ? undefined : last;
  }

  function addPiece(piece: JsonObject): number {
    const [id, name, args] = [asText(piece.id) ?? '', asText(piece.name) ?? '', asText(piece.args) ?? ''];
    const index = typeof piece.index === 'number' ? piece.index : undefined;
    const call = continued(id, name, index);
    if (call === undefined) open.push({ id, name, args, index });
    else {
      call.id ||= id;
      // A provider that repeats the name with each piece has not made it longer.
      if (call.name !== name) call.name += name;
      call.args += args;
    }
    return Buffer.byteLength(id) + Buffer.byteLength(name) + Buffer.byteLength(args);
  }

  /** A whole call, as packages give it that do not stream arguments. */
  function addWhole(call: JsonObject): number {
    const id = asText(call.id) ?? '';
    if (id !== '' && open.some((known) => known.id === id)) return 0;
    const args = JSON.stringify(asObject(call.args));
    const name = asText(call.name) ?? '';
    open.push({ id, name, args, index: undefined });
    return Buffer.byteLength(id) + Buffer.byteLength(name) + Buffer.byteLength(args);
  }

  return {
    add(chunk) {
      // LangChain derives `tool_calls` from the pieces of a chunk, if it has any.
      const pieces = asArray(chunk.tool_call_chunks).map(asObject);
      const bytes =
        pieces.length > 0
          ? pieces.map(addPiece)
          : asArray(chunk.tool_calls).map((call) => addWhole(asObject(call)));
      return bytes.reduce((sum, count) => sum + count, 0);
    },
    calls: () => open.map(({ id, name, args }) => ({ id, name, args })),
  };
}
