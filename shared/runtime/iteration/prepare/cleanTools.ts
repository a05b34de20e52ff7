// Takes secrets and hidden characters out of what servers say of their tools, and bounds it, before a model reads it.

import { setImmediate } from 'node:timers/promises';
import type { ToolDefinition } from '../../../contract/tools.ts';
import { cleanText } from '../../../masking/cleanText.ts';
import type { Masker } from '../../../masking/masker.ts';
import { asObject, isObject } from '../../../text/json.ts';
import { limitHead } from '../../../text/limitText.ts';

/** UTF-8 bytes of one description. The best known servers stay below 2 kB. */
const MAX_DESCRIPTION_BYTES = 4_096;
/** After so many characters other work has its turn: masking a megabyte takes a third of a second, and of hostile text more. */
const CHARACTERS_AT_ONCE = 50_000;

type Cleaned = WeakMap<ToolDefinition, ToolDefinition | 'withheld'>;
type Mask = (text: string) => string;

/** Definitions are the same objects as long as a server's list is, so that they are masked once for each session. */
const cleaned = new WeakMap<Masker, Cleaned>();

/**
 * The definitions without secrets in descriptions, schemas and what parameters are bound to, and with descriptions of 4 kB
 * at most, which say how much was cut. A tool whose own name is a secret, or holds one, is left out: it cannot be called by
 * another name. A schema without secrets is the same object, so that it is converted for models once.
 */
export async function cleanTools(
  tools: readonly ToolDefinition[],
  masker: Masker,
): Promise<ToolDefinition[]> {
  const known: Cleaned = cleaned.get(masker) ?? new WeakMap();
  cleaned.set(masker, known);
  const result: ToolDefinition[] = [];
  let characters = 0;
  // In this order: masking sees through what is hidden, and not through what stands in its place.
  const mask = (text: string): string => {
    characters += text.length;
    return cleanText(masker, text).text;
  };
  for (const tool of tools) {
    const clean = known.get(tool) ?? cleanTool(tool, mask, masker);
    known.set(tool, clean);
    if (clean !== 'withheld') result.push(clean);
    if (characters < CHARACTERS_AT_ONCE) continue;
    characters = 0;
    await setImmediate();
  }
  return result;
}

function cleanTool(tool: ToolDefinition, mask: Mask, masker: Masker): ToolDefinition | 'withheld' {
  if (masker.wouldChange(tool.name)) return 'withheld';
  const bound = Object.entries(tool.bound ?? {}).map(([name, text]) => [name, mask(text)]);
  return {
    ...tool,
    description: limitHead(mask(tool.description), MAX_DESCRIPTION_BYTES),
    inputSchema: asObject(cleanTexts(tool.inputSchema, mask)),
    ...(tool.bound !== undefined && { bound: Object.fromEntries(bound) }),
  };
}

/**
 * The value without secrets; the same object when there are none. Each text by itself: what a parameter is called says
 * nothing of the words of its schema.
 */
function cleanTexts(value: unknown, mask: Mask): unknown {
  if (typeof value === 'string') return mask(value);
  if (Array.isArray(value)) {
    const entries = value.map((entry) => cleanTexts(entry, mask));
    return entries.some((entry, index) => entry !== value[index]) ? entries : value;
  }
  if (!isObject(value)) return value;
  let isChanged = false;
  const entries = Object.entries(value).map(([key, entry]): [string, unknown] => {
    const clean: [string, unknown] = [mask(key), cleanTexts(entry, mask)];
    isChanged ||= clean[0] !== key || clean[1] !== entry;
    return clean;
  });
  return isChanged ? Object.fromEntries(entries) : value;
}
