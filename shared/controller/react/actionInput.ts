// The text of an Action Input as the arguments of a call, in whatever notation the model wrote it. Never throws.

import { parseJsonArguments } from '../../text/callArguments.ts';
import { readPairs } from './pairs.ts';
import { readYamlMapping } from './yaml.ts';

/** Deeper values are no arguments of any tool; writing and showing them would use up the stack. */
const MAX_DEPTH = 64;
/** Characters. What is longer and not JSON is taken as it is: the worst text of this length takes YAML half a second. */
const MAX_NOTATION_LENGTH = 50_000;

/**
 * The arguments, by the first reading that fits: nothing is `{}`; a JSON object; other JSON as `{input: value}`; YAML
 * with structure; `key: value` or `key=value` pairs; else the text itself as `{input: text}`.
 */
export function argumentsOf(text: string): Record<string, unknown> {
  const trimmed = text.trim();
  if (trimmed === '') return {};
  const read = parseJsonArguments(trimmed) ?? readNotation(trimmed);
  return read === undefined || isDeeperThan(MAX_DEPTH, read) ? { input: trimmed } : read;
}

function readNotation(text: string): Record<string, unknown> | undefined {
  return text.length > MAX_NOTATION_LENGTH ? undefined : (readYamlMapping(text) ?? readPairs(text));
}

function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeperThan(levels - 1, inner));
}
