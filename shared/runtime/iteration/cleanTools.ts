// Takes secrets out of what servers say of their tools, and bounds it, before a model reads it.

import { setImmediate } from 'node:timers/promises';
import type { ToolDefinition } from '../../contract/tools.ts';
import type { Masker } from '../../masking/masker.ts';
import { isObject } from '../../text/json.ts';
import { limitHead } from '../../text/limitText.ts';

/** UTF-8 bytes of one description. The best known servers stay below 2 kB. */
const MAX_DESCRIPTION_BYTES = 4_096;
/** After so many characters other work has its turn: masking a megabyte takes a third of a second, and of hostile text more. */
const CHARACTERS_AT_ONCE = 50_000;

/** Fields of a schema that hold text for its reader. Names of parameters and patterns are needed as they are. */
const PROSE = new Set(['title', 'description', 'default', 'examples', '$comment']);

/** Definitions are the same objects as long as a server's list is, so that they are masked once for each session. */
const cleaned = new WeakMap<Masker, WeakMap<ToolDefinition, ToolDefinition>>();

/**
 * The definitions without secrets in descriptions, defaults and examples, and with descriptions of 4 kB at most, which say
 * how much was cut. A schema without secrets is the same object, so that it is converted for models once.
 */
export async function cleanTools(
  tools: readonly ToolDefinition[],
  masker: Masker,
): Promise<ToolDefinition[]> {
  const known = cleaned.get(masker) ?? new WeakMap<ToolDefinition, ToolDefinition>();
  cleaned.set(masker, known);
  const result: ToolDefinition[] = [];
  let characters = 0;
  const mask = (text: string): string => {
    characters += text.length;
    return masker.mask(text).text;
  };
  for (const tool of tools) {
    const clean = known.get(tool) ?? cleanTool(tool, mask);
    known.set(tool, clean);
    result.push(clean);
    if (characters < CHARACTERS_AT_ONCE) continue;
    characters = 0;
    await setImmediate();
  }
  return result;
}

type Mask = (text: string) => string;

function cleanTool(tool: ToolDefinition, mask: Mask): ToolDefinition {
  return {
    ...tool,
    description: limitHead(mask(tool.description), MAX_DESCRIPTION_BYTES),
    inputSchema: cleanProse(tool.inputSchema, mask, false) as ToolDefinition['inputSchema'],
  };
}

/** The value without secrets in its prose; the same object when there are none. */
function cleanProse(value: unknown, mask: Mask, isProse: boolean): unknown {
  if (typeof value === 'string') return isProse ? mask(value) : value;
  if (Array.isArray(value)) {
    const entries = value.map((entry) => cleanProse(entry, mask, isProse));
    return entries.some((entry, index) => entry !== value[index]) ? entries : value;
  }
  if (!isObject(value)) return value;
  let isChanged = false;
  const entries = Object.entries(value).map(([key, entry]): [string, unknown] => {
    // A parameter may be called `description`; what it holds is a schema again.
    const clean = cleanProse(entry, mask, PROSE.has(key) && !isObject(entry));
    isChanged ||= clean !== entry;
    return [key, clean];
  });
  return isChanged ? Object.fromEntries(entries) : value;
}
