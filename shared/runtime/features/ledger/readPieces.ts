// Reads the pieces of the large results of a conversation, so that evidence is searched in all of their bytes.

import type { ToolResultBlock } from '../../../schema/block.ts';
import { paths, resultPartId, resultPartType } from '../../../schema/documents.ts';
import type { Execution } from '../../../schema/execution.ts';
import type { RuntimeDeps } from '../../kernel/deps.ts';

/**
 * Adds the texts of the pieces of results that are not known: one query each, once in a process. A result with missing pieces
 * stays unknown, and evidence in it is not found.
 * @throws RetryableError when the store fails.
 */
export async function readPieces(
  execution: Execution,
  { store, conversations }: Pick<RuntimeDeps, 'store' | 'conversations'>,
  pieces: WeakMap<ToolResultBlock, readonly string[]>,
): Promise<void> {
  const { sessionId, executionId } = execution;
  const messages = [...conversations.get(execution).values()];
  for (const block of messages.flatMap(({ blocks }) => blocks)) {
    if (block.blockType !== 'tool_result' || block.stored === undefined || pieces.has(block)) continue;
    const { id, firstPart, parts } = block.stored;
    const message = Number(id.slice(1));
    const from = resultPartId(executionId, message, firstPart);
    const to = resultPartId(executionId, message, firstPart + parts - 1);
    const found = await store.list(
      { collection: paths.results(sessionId), idRange: { from, to } },
      resultPartType,
    );
    pieces.set(
      block,
      found.map(({ value }) => value.text),
    );
  }
}
