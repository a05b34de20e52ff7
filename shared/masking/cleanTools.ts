// Masks and bounds the definitions that servers give for their tools, before a model reads them.

import { setImmediate } from 'node:timers/promises';
import type { Masker } from '../core/contract/guard.ts';
import type { ToolDefinition } from '../core/contract/tools.ts';
import { asObject, isObject } from '../text/json.ts';
import { limitHead } from '../text/limitText.ts';
import { cleanText } from './cleanText.ts';

/** Limit of one description, in UTF-8 bytes. The best known servers stay below 2 kB. */
const MAX_DESCRIPTION_BYTES = 4_096;
/** Characters to mask before other work can run: a megabyte takes a third of a second or more. */
const CHARACTERS_AT_ONCE = 50_000;

type Cleaned = WeakMap<ToolDefinition, ToolDefinition | 'withheld'>;
type Mask = (text: string) => string;

/** Definitions are the same objects while a server's list is, so they are masked once for each session. */
const cleaned = new WeakMap<Masker, Cleaned>();

/**
 * Returns the definitions with masked descriptions, schemas and bound parameters. Descriptions above 4 kB are
 * cut, with a note about the size of the cut. A tool is omitted if its name is or contains a secret: it
 * cannot be called by another name. A schema without secrets stays the same object, so that it is converted
 * for models once.
 */
export async function cleanTools(
  tools: readonly ToolDefinition[],
  masker: Masker,
): Promise<ToolDefinition[]> {
  const known: Cleaned = cleaned.get(masker) ?? new WeakMap();
  cleaned.set(masker, known);
  const result: ToolDefinition[] = [];
  let characters = 0;
  // In this order: masking sees through hidden characters, but not through their replacements.
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
 * Masks the value; returns the same object if it has no secrets. Masks each text on its own: the name of a
 * parameter does not make the words of its schema secret.
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
