// Keeps the blocks of a message small: what they repeat of the raw parts is left out when it grows too large.

import type { Block } from '../../schema/block.ts';

/**
 * UTF-8 bytes that provider data and media of one message's blocks may take together. Signatures of one recorded
 * search turn pass 160 kB; with 300 kB of raw parts and the text, a message stays below the 900 kB of a document.
 */
export const MAX_PROVIDER_DATA_BYTES = 200_000;

/**
 * The blocks with as much of `providerData` and media `data` as fits, small ones first. What is left out stands in the
 * message's raw parts, from which an answer is replayed.
 */
export function withinBudget(blocks: readonly Block[], maxBytes = MAX_PROVIDER_DATA_BYTES): Block[] {
  const sizes = blocks.flatMap((block, index) => {
    const data = block.blockType === 'image' || block.blockType === 'document' ? block.data : undefined;
    return [
      { index, key: 'providerData' as const, bytes: Buffer.byteLength(block.providerData ?? '') },
      { index, key: 'data' as const, bytes: Buffer.byteLength(data ?? '') },
    ];
  });
  const kept = [...blocks];
  let left = maxBytes;
  for (const { index, key, bytes } of sizes.sort((a, b) => a.bytes - b.bytes)) {
    left -= bytes;
    const block = kept[index];
    if (left >= 0 || block === undefined || bytes === 0) continue;
    kept[index] = without(block, key);
  }
  return kept;
}

function without(block: Block, key: 'providerData' | 'data'): Block {
  if (key === 'providerData') {
    const { providerData: _, ...rest } = block;
    return rest;
  }
  if (block.blockType !== 'image' && block.blockType !== 'document') return block;
  const { data: _, ...rest } = block;
  return rest;
}
