// Tool names on a provider's wire: `server.tool` here, `server__tool` there, and back without loss.

import { createHash } from 'node:crypto';

/** Gemini takes at most 64 characters of [A-Za-z0-9_-], starting with a letter or an underscore. */
const MAX_WIRE_LENGTH = 64;
const WIRE_NAME = /^[A-Za-z_][A-Za-z0-9_-]*$/;
const SEPARATOR = '__';
/** 48 bits: two of a million tools share a hash once in 500 cases, and need equal readable parts. */
const HASH_LENGTH = 12;
/** Characters of a hashed name for server and tool; the server's share includes both separators. */
const READABLE_LENGTH = MAX_WIRE_LENGTH - HASH_LENGTH - SEPARATOR.length;
const READABLE_SERVER_LENGTH = 20;

/**
 * The wire name of a tool. It depends only on the name, so a stored conversation keeps its names when servers
 * gain or lose tools. A name that `server__tool` cannot carry back (too long, other characters, a double
 * underscore of its own) becomes `server__tool__hash`: readable, cut to fit, and distinguished from all plain
 * ones by its second double underscore.
 */
export function toWireName(name: string): string {
  const [server, tool] = splitToolName(name);
  const plain = tool === undefined ? server : server + SEPARATOR + tool;
  if (isReversible(plain, tool !== undefined)) return plain;

  const hash = createHash('sha256').update(name).digest('hex').slice(0, HASH_LENGTH);
  const readable =
    sanitisePart(server).slice(0, READABLE_SERVER_LENGTH) + SEPARATOR + sanitisePart(tool ?? '');
  return readable.slice(0, READABLE_LENGTH) + SEPARATOR + hash;
}

/** Both directions for the tools of a request. */
interface WireNames {
  /** Wire name by tool name. */
  toWire: Map<string, string>;
  /** Tool name by wire name. */
  fromWire: Map<string, string>;
}

/** The wire names of a tool list. The order of `names` does not matter. */
export function wireNames(names: Iterable<string>): WireNames {
  const toWire = new Map([...names].map((name) => [name, toWireName(name)]));
  return { toWire, fromWire: new Map([...toWire].map(([name, wire]) => [wire, name])) };
}

/** The tool a model meant. A name that was never offered maps back by its first double underscore. */
export function fromWireName(wire: string, fromWire: ReadonlyMap<string, string>): string {
  return fromWire.get(wire) ?? wire.replace(SEPARATOR, '.');
}

function splitToolName(name: string): [server: string, tool: string | undefined] {
  const dot = name.indexOf('.');
  return dot === -1 ? [name, undefined] : [name.slice(0, dot), name.slice(dot + 1)];
}

/** Whether a plain name is valid and can be read in one way only. */
function isReversible(plain: string, hasTool: boolean): boolean {
  if (plain.length > MAX_WIRE_LENGTH || !WIRE_NAME.test(plain) || plain.endsWith(SEPARATOR)) return false;
  if (!hasTool) return !plain.includes(SEPARATOR);
  return !plain.startsWith(SEPARATOR) && plain.match(/_{2,}/g)?.join() === SEPARATOR;
}

function sanitisePart(part: string): string {
  return part.replace(/[^A-Za-z0-9_-]/g, '_').replace(/^[^A-Za-z_]/, '_') || '_';
}
