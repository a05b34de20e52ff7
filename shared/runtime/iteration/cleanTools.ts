// Takes secrets and hidden characters out of what servers say of their tools, before a model reads it.

import type { ToolDefinition } from '../../contract/tools.ts';
import type { Masker } from '../../masking/masker.ts';
import { asObject, isObject } from '../../text/json.ts';
import { visible } from '../../text/visible.ts';

/** Definitions are the same objects as long as a server's list is, so that they are masked once for each session. */
const cleaned = new WeakMap<Masker, WeakMap<ToolDefinition, ToolDefinition | 'withheld'>>();

/**
 * The definitions without secrets in descriptions, schemas and what parameters are bound to. A tool whose own name is a
 * secret, or holds one, is left out: it cannot be called by another name.
 */
export function cleanTools(tools: readonly ToolDefinition[], masker: Masker): ToolDefinition[] {
  const known = cleaned.get(masker) ?? new WeakMap<ToolDefinition, ToolDefinition | 'withheld'>();
  cleaned.set(masker, known);
  return tools.flatMap((tool) => {
    const clean = known.get(tool) ?? cleanTool(tool, masker);
    known.set(tool, clean);
    return clean === 'withheld' ? [] : [clean];
  });
}

function cleanTool(tool: ToolDefinition, masker: Masker): ToolDefinition | 'withheld' {
  if (masker.wouldChange(tool.name)) return 'withheld';
  // In this order: masking sees through what is hidden, and not through what stands in its place.
  const mask = (text: string): string => visible(masker.mask(text).text);
  const bound = Object.entries(tool.bound ?? {}).map(([name, text]) => [name, mask(text)]);
  return {
    ...tool,
    description: mask(tool.description),
    inputSchema: asObject(cleanTexts(tool.inputSchema, mask)),
    ...(tool.bound !== undefined && { bound: Object.fromEntries(bound) }),
  };
}

/** Each text by itself: what a parameter is called says nothing of the words of its schema. */
function cleanTexts(value: unknown, mask: (text: string) => string): unknown {
  if (typeof value === 'string') return mask(value);
  if (Array.isArray(value)) return value.map((entry) => cleanTexts(entry, mask));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, entry]) => [mask(key), cleanTexts(entry, mask)]),
  );
}
