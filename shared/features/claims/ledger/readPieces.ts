// Reads the pieces of large results of a cached conversation: evidence is searched in all bytes.

import type { RuntimeDeps } from '../../../core/kernel/deps.ts';
import type { ToolResultBlock } from '../../../core/schema/block.ts';
import type { Execution } from '../../../core/schema/execution.ts';
import { readPieces } from '../../../kits/views/readPieces.ts';

/** How many messages of a kept conversation were read, in the order of addition. */
const readMessages = new WeakMap<object, number>();

/**
 * Adds the pieces of results that are not known: one query each, once in a process. Evidence in a result with
 * missing pieces is not found.
 * @throws RetryableError when the store fails.
 */
export async function readKnownPieces(
  execution: Execution,
  { store, conversations }: Pick<RuntimeDeps, 'store' | 'conversations'>,
  pieces: WeakMap<ToolResultBlock, readonly string[]>,
): Promise<void> {
  const messages = conversations.get(execution);
  const { size } = messages;
  const known = readMessages.get(messages) ?? 0;
  if (known === size) return;
  for (const { blocks } of [...messages.values()].slice(known)) {
    for (const block of blocks) {
      if (block.blockType !== 'tool_result' || block.stored === undefined || pieces.has(block)) continue;
      pieces.set(block, await readPieces(execution, block.stored, store));
    }
  }
  readMessages.set(messages, size);
}
