// The pins of a server's tools, stored when a session first sees them, and the changes since. Pure.

import { createHash } from 'node:crypto';
import type { ToolDefinition } from '../../core/contract/tools.ts';
import type { ChangedPart, ToolChange } from '../../core/kernel/tools/agentTools.ts';
import type { PinnedTool } from '../../kits/agents/pinnedTools.ts';
import { isObject } from '../../text/json.ts';

/** The pins of a server's tools, sorted by name. If a name occurs twice, the last one counts. */
export function createPins(tools: readonly ToolDefinition[]): PinnedTool[] {
  const pins = new Map(tools.map((tool) => [tool.name, pinTool(tool)]));
  return [...pins.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
}

/** The pin of a server's instructions; null if it has none. */
export function instructionsPin(instructions: string | undefined): string | null {
  return instructions === undefined ? null : digestOrderless(instructions);
}

/** The tools that differ from their pins, and those that the server lists no more. */
export function changesSince(
  pinned: ReadonlyMap<string, PinnedTool>,
  server: string,
  tools: readonly ToolDefinition[],
): ToolChange[] {
  const listed = createPins(tools);
  const names = new Set(listed.map(({ name }) => name));
  const gone = [...pinned.keys()].filter((name) => !names.has(name));
  return [
    ...listed.flatMap((pin): ToolChange[] => {
      const parts = changedParts(pinned.get(pin.name), pin);
      return parts.length === 0 ? [] : [{ server, name: pin.name, parts }];
    }),
    ...gone.map((name): ToolChange => ({ server, name, parts: ['gone'] })),
  ];
}

function changedParts(before: PinnedTool | undefined, now: PinnedTool): ChangedPart[] {
  if (before === undefined) return ['new'];
  return (['description', 'parameters', 'rights'] as const).filter((part) => before[part] !== now[part]);
}

/** A definition is the same object for as long as its server's list is. */
const pins = new WeakMap<ToolDefinition, PinnedTool>();

function pinTool(tool: ToolDefinition): PinnedTool {
  const known = pins.get(tool);
  if (known !== undefined) return known;
  const { name, description, inputSchema, readOnly, waits = null, recovery = null, bound = {} } = tool;
  const { external = null, version } = tool;
  const pin = {
    name,
    description: digestOrderless(description),
    parameters: digestOrderless(inputSchema),
    rights: digestOrderless([
      readOnly,
      waits,
      recovery,
      bound,
      external,
      ...(version === undefined ? [] : [version]),
    ]),
  };
  pins.set(tool, pin);
  return pin;
}

/** 64 bits, as hex. Does not depend on the order of keys. */
function digestOrderless(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value, sortKeys)).digest('hex').slice(0, 16);
}

function sortKeys(_key: string, value: unknown): unknown {
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}
