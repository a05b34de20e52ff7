// Takes secrets out of what servers say of their tools, before a model reads it.

import type { ToolDefinition } from '../../contract/tools.ts';
import type { Masker } from '../../masking/masker.ts';
import { asObject, isObject } from '../../text/json.ts';

/** Fields of a schema that hold text for its reader. Names of parameters and patterns are needed as they are. */
const PROSE = new Set(['title', 'description', 'default', 'examples', '$comment']);

/** Definitions are the same objects as long as a server's list is, so that they are masked once for each session. */
const cleaned = new WeakMap<Masker, WeakMap<ToolDefinition, ToolDefinition>>();

/** The definitions without secrets in descriptions, defaults and examples. */
export function cleanTools(tools: readonly ToolDefinition[], masker: Masker): ToolDefinition[] {
  const known = cleaned.get(masker) ?? new WeakMap<ToolDefinition, ToolDefinition>();
  cleaned.set(masker, known);
  return tools.map((tool) => {
    const clean = known.get(tool) ?? {
      ...tool,
      description: masker.mask(tool.description).text,
      inputSchema: asObject(cleanProse(tool.inputSchema, masker, false)),
    };
    known.set(tool, clean);
    return clean;
  });
}

function cleanProse(value: unknown, masker: Masker, isProse: boolean): unknown {
  if (typeof value === 'string') return isProse ? masker.mask(value).text : value;
  if (Array.isArray(value)) return value.map((entry) => cleanProse(entry, masker, isProse));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, entry]) => [
      key,
      // A parameter may be called `description`; what it holds is a schema again.
      cleanProse(entry, masker, PROSE.has(key) && !isObject(entry)),
    ]),
  );
}
