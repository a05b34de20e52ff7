// The pinned arguments and blocks of the providers, for checks of resources without a provider.

import { readFileSync } from 'node:fs';
import type { Value } from './expand.ts';

/** A block: its arguments and blocks by name. */
interface BlockSchema {
  arguments: Record<string, { isRequired: boolean; values: string[] | null }>;
  blocks: Record<string, BlockSchema>;
}

/** The resources of providerSchema.txt by type. */
export function readProviderSchema(): Record<string, BlockSchema> {
  const text = readFileSync(new URL('providerSchema.txt', import.meta.url), 'utf8');
  const root: BlockSchema = { arguments: {}, blocks: {} };
  const open = [root];
  for (const line of text.split('\n')) {
    const match = /^( *)([a-z0-9_]+)(:|!)?(?: = (\S+))?$/.exec(line);
    if (match === null) continue;
    const [, indent = '', name = '', mark, values] = match;
    const depth = indent.length / 2;
    const parent = open[depth] ?? root;
    if (mark !== ':') {
      parent.arguments[name] = { isRequired: mark === '!', values: values?.split('|') ?? null };
      continue;
    }
    const block = { arguments: {}, blocks: {} };
    parent.blocks[name] = block;
    open[depth + 1] = block;
  }
  return root.blocks;
}

/** Faults of a block's arguments: unknown names, missing ones, and refused values. */
export function faultsOf(contents: Record<string, Value>, schema: BlockSchema, place: string): string[] {
  const missing = Object.entries(schema.arguments)
    .filter(([name, { isRequired }]) => isRequired && (contents[name] ?? null) === null)
    .map(([name]) => `${place}: ${name} is missing`);
  const others = Object.entries(contents).flatMap(([name, value]) => {
    const block = schema.blocks[name];
    if (block !== undefined) {
      const items = Array.isArray(value) ? value : [value];
      return items.flatMap((item) => faultsOf(item as Record<string, Value>, block, `${place}.${name}`));
    }
    const argument = schema.arguments[name];
    if (argument === undefined) return [`${place}: ${name} is unknown`];
    if (argument.values === null || value === null || argument.values.includes(String(value))) return [];
    return [`${place}: ${name} is ${JSON.stringify(value)}, expected one of ${argument.values.join(', ')}`];
  });
  return [...missing, ...others];
}
