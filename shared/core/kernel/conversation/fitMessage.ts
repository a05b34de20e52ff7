// Decides how a message is stored: whole in its document, or with large parts in documents below it. Parts
// that exceed a commit are cut.

import { splitText } from '../../../text/cut.ts';
import { limitText } from '../../../text/limitText.ts';
import type { Block } from '../../schema/block.ts';
import { storedBytes } from '../../schema/documentType.ts';
import type { MessageDraft } from '../../schema/message.ts';
import { cutJson } from './fitEvent.ts';

/** Larger provider parts are stored below their message, so that it fits the document limit. */
export const INLINE_PARTS_BYTES = 300_000;
/** The same limit for blocks. A tool result of the largest limit (400 kB) stays in its message. */
const INLINE_BLOCKS_BYTES = 500_000;
/** Size of the abridged blocks that a message keeps for readers if its blocks are stored below it. */
const ABRIDGED_BYTES = 100_000;
/** Size of one document below a message. */
const PART_DOCUMENT_BYTES = 600_000;
/**
 * Limit of the bytes below one message: Firestore accepts 10 MiB in a commit and its emulator 4 MiB,
 * including the events, the execution and the interaction. No model has an output limit near it.
 */
const MAX_PARTS_BYTES = 3_100_000;
/** Limit of the texts of blocks that exceed even that: as JSON they have at most six times as many bytes. */
const CUT_BLOCKS_BYTES = 500_000;

interface FittedMessage {
  /** The whole blocks, or their start if `blockPieces` has the whole. */
  blocks: Block[];
  /** The JSON of all blocks in pieces that fit in a document; empty if `blocks` is whole. */
  blockPieces: string[];
  /** The provider's form; null if missing or too large. Then the answer is rebuilt from blocks. */
  parts: { inline: string | null; pieces: string[] } | null;
}

/** The stored form of a message. Blocks are cut only if they exceed 3.1 MB as JSON. */
export function fitMessage({ blocks, replay }: Pick<MessageDraft, 'blocks' | 'replay'>): FittedMessage {
  const whole = JSON.stringify(blocks);
  const blockBytes = Buffer.byteLength(whole);
  const replayBytes = replay === undefined ? 0 : Buffer.byteLength(replay.data);
  const parts =
    replay === undefined || replayBytes + blockBytes > MAX_PARTS_BYTES
      ? null
      : fitParts(replay.data, replayBytes);
  if (storedBytes(blocks) <= INLINE_BLOCKS_BYTES) return { blocks, blockPieces: [], parts };
  const kept = blockBytes > MAX_PARTS_BYTES ? JSON.stringify(cutBlocks(blocks, CUT_BLOCKS_BYTES)) : whole;
  return {
    blocks: cutBlocks(blocks, ABRIDGED_BYTES),
    blockPieces: splitText(kept, PART_DOCUMENT_BYTES),
    parts,
  };
}

/** Whether a message fits whole. If not, its calls' arguments can be cut, so they must not run. */
export function isStoredWhole({ blocks }: Pick<MessageDraft, 'blocks'>): boolean {
  return Buffer.byteLength(JSON.stringify(blocks)) <= MAX_PARTS_BYTES;
}

function fitParts(data: string, bytes: number): FittedMessage['parts'] {
  return bytes <= INLINE_PARTS_BYTES
    ? { inline: data, pieces: [] }
    : { inline: null, pieces: splitText(data, PART_DOCUMENT_BYTES) };
}

/** Cuts each block's text to an equal share of `maxBytes`, without references to positions in it. */
function cutBlocks(blocks: readonly Block[], maxBytes: number): Block[] {
  const share = Math.floor(maxBytes / Math.max(1, blocks.length));
  const kept: Block[] = [];
  let bytes = 0;
  for (const block of blocks) {
    const cut = cutBlock(block, share);
    bytes += Buffer.byteLength(JSON.stringify(cut));
    // Many thousands of blocks, or data other than text.
    if (bytes > 6 * maxBytes) break;
    kept.push(cut);
  }
  return kept;
}

function cutBlock(block: Block, maxBytes: number): Block {
  if ('textContent' in block && Buffer.byteLength(block.textContent) > maxBytes) {
    const { citations: _, providerData: __, ...rest } = block;
    return { ...rest, textContent: limitText(block.textContent, maxBytes).content };
  }
  if ('input' in block && Buffer.byteLength(block.input) > maxBytes) {
    // The signature covers the whole call.
    const { providerData: _, ...rest } = block;
    return { ...rest, input: cutJson(block.input, maxBytes) };
  }
  return block;
}
