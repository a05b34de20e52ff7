// Ids of tool calls in the alphabet that strict providers demand.

import type { Block } from '../../core/schema/block.ts';
import type { PortableMessage } from './portableMessage.ts';

/** OpenAI's chat API refuses longer ones. */
const MAX_LENGTH = 40;

/** The id with everything but letters, digits, `_` and `-` replaced by `_`, cut to 40 characters. */
export function sanitizeToolId(id: string): string {
  return id.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, MAX_LENGTH);
}

/**
 * Sanitises the ids of all calls and results, alike on both sides. Ids that become equal get a number;
 * ids that are clean already never change.
 */
export function sanitizeToolIds(messages: readonly PortableMessage[]): PortableMessage[] {
  const ids = new Set(
    messages.flatMap(({ blocks }) => blocks.flatMap((block) => readToolUseId(block) ?? [])),
  );
  const taken = new Set([...ids].filter((id) => sanitizeToolId(id) === id));
  const sanitized = new Map<string, string>();
  for (const id of ids) {
    if (taken.has(id) && sanitizeToolId(id) === id) continue;
    const plain = sanitizeToolId(id);
    let free = plain;
    for (let number = 2; taken.has(free); number += 1) {
      free = `${plain.slice(0, MAX_LENGTH - `_${number}`.length)}_${number}`;
    }
    taken.add(free);
    sanitized.set(id, free);
  }
  return messages.map(({ role, blocks }) => ({
    role,
    blocks: blocks.map((block) =>
      'toolUseId' in block
        ? { ...block, toolUseId: sanitized.get(block.toolUseId) ?? block.toolUseId }
        : block,
    ),
  }));
}

function readToolUseId(block: Block): string | undefined {
  return 'toolUseId' in block ? block.toolUseId : undefined;
}
