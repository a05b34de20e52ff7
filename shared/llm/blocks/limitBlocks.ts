// Limits the size of a message's blocks: large data that is also in raw parts or text is left out.

import { type Block, type Citation, isProviderRunUse } from '../../core/schema/block.ts';
import { cutText } from '../../text/cut.ts';
import { readProviderData } from './portableMessage.ts';

/**
 * Most bytes of one message's blocks, not counting texts, thoughts and our own calls. Signatures of
 * one recorded search turn pass 160 kB; with 300 kB of raw parts and the text, a message stays below the 900
 * kB of a document.
 */
const MAX_EXTRA_BYTES = 200_000;

/** Smaller copies of raw parts are kept: half of all recorded signatures have fewer than 1 kB. */
const SMALL_COPY_BYTES = 2_000;

const CUT = '\n[The rest was too long to be kept.]';

/** A field that counts, and a function that cuts the block when only `room` bytes are left for that field. */
interface Extra {
  /** Index of the block. */
  block: number;
  /** UTF-8 bytes of the field. */
  bytes: number;
  /** Whether the message's raw parts hold the same. */
  isCopy: boolean;
  /** The block with at most `room` bytes in this field. */
  cut(block: Block, room: number): Block;
}

/**
 * The blocks with as much as fits of provider data, media, citations, sources, and inputs and results of
 * tools that a provider ran. The first to go, the largest first and only as far as needed, are raw provider
 * data and media above 2 kB: they stand in the message's raw parts, from which an answer is replayed. Next go
 * the metadata of grounding, the words that citations repeat, and the addresses of citations whose source is
 * in a result. Of the rest small fields stay before large ones; of a large list or text its start stays.
 */
export function limitBlocks(blocks: readonly Block[], maxBytes = MAX_EXTRA_BYTES): Block[] {
  let kept = withoutCopies(blocks, maxBytes);
  for (const lighten of [withoutGrounding, withoutCitedText, withoutSources]) {
    if (totalBytes(kept) <= maxBytes) return kept;
    kept = kept.map(lighten);
  }
  let room = maxBytes;
  for (const { block: at, bytes, cut } of kept.flatMap(listBlockExtras).sort((a, b) => a.bytes - b.bytes)) {
    const block = kept[at];
    if (block === undefined) continue;
    const left = bytes > room ? cut(block, room) : block;
    kept[at] = left;
    room = Math.max(0, room - bytes + totalBytes([block]) - totalBytes([left]));
  }
  return kept;
}

/** The blocks without as many large copies of raw parts, the largest first, as must go to fit. */
function withoutCopies(blocks: readonly Block[], maxBytes: number): Block[] {
  const kept = [...blocks];
  const copies = kept
    .flatMap(listBlockExtras)
    .filter((extra) => extra.isCopy && extra.bytes > SMALL_COPY_BYTES);
  let bytes = totalBytes(kept);
  for (const { block: at, cut } of copies.sort((a, b) => b.bytes - a.bytes)) {
    const block = kept[at];
    if (bytes <= maxBytes || block === undefined) break;
    const left = cut(block, 0);
    bytes += totalBytes([left]) - totalBytes([block]);
    kept[at] = left;
  }
  return kept;
}

function totalBytes(blocks: readonly Block[]): number {
  return blocks.flatMap(listBlockExtras).reduce((sum, { bytes }) => sum + bytes, 0);
}

function listBlockExtras(block: Block, index: number): Extra[] {
  const extras: Extra[] = [];
  const add = (value: unknown, cut: Extra['cut'], isCopy = false) => {
    if (value !== undefined) extras.push({ block: index, bytes: countStoredBytes(value), isCopy, cut });
  };
  const { grounding_metadata: metadata, ...raw } = readProviderData(block) ?? {};
  if (metadata === undefined) add(block.providerData, ({ providerData: _, ...rest }) => rest, true);
  else {
    add(JSON.stringify(metadata), withoutGrounding);
    if (Object.keys(raw).length > 0) add(JSON.stringify(raw), withGroundingAlone, true);
  }
  add(block.citations, (cited, room) => ({
    ...cited,
    citations: takeWithinBytes(cited.citations ?? [], room),
  }));
  if (block.blockType === 'image' || block.blockType === 'document') {
    const withoutData: Extra['cut'] = (media) => {
      if (!('data' in media)) return media;
      const { data: _, ...rest } = media;
      return rest;
    };
    add(block.data, withoutData, true);
  }
  if (isProviderRunUse(block)) add(block.input, (use) => ('input' in use ? { ...use, input: '{}' } : use));
  if (block.blockType === 'tool_result' && block.executionSide === 'provider') {
    add(block.textContent, (result, room) =>
      'textContent' in result ? { ...result, textContent: startOfText(result.textContent, room) } : result,
    );
    add(block.results, (result, room) =>
      'results' in result ? { ...result, results: takeWithinBytes(result.results ?? [], room) } : result,
    );
  }
  return extras;
}

/** As the limit of a document counts: Firestore's way, rounded up. */
function countStoredBytes(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value) + 1;
  if (typeof value !== 'object' || value === null) return 8;
  return Object.entries(value).reduce(
    (sum, [key, entry]) => sum + Buffer.byteLength(key) + 1 + countStoredBytes(entry),
    32,
  );
}

function takeWithinBytes<T>(list: readonly T[], room: number): T[] {
  let left = room - countStoredBytes([]);
  const end = list.findIndex((entry, index) => {
    left -= countStoredBytes(entry) + countStoredBytes(String(index));
    return left < 0;
  });
  return list.slice(0, end === -1 ? list.length : end);
}

function startOfText(text: string, room: number): string {
  return cutText(text, room - Buffer.byteLength(CUT), 'bytes') + CUT;
}

function withoutGrounding(block: Block): Block {
  const { grounding_metadata: metadata, ...data } = readProviderData(block) ?? {};
  if (metadata === undefined) return block;
  const { providerData: _, ...rest } = block;
  return Object.keys(data).length === 0 ? rest : { ...rest, providerData: JSON.stringify(data) };
}

function withGroundingAlone(block: Block): Block {
  const { grounding_metadata } = readProviderData(block) ?? {};
  return { ...block, providerData: JSON.stringify({ grounding_metadata }) };
}

function withoutCitedText(block: Block): Block {
  return withCitations(block, ({ citedText, ...citation }) =>
    // Without offsets only the words identify the cited text.
    citation.startIndex === undefined && citedText !== undefined ? { ...citation, citedText } : citation,
  );
}

function withoutSources(block: Block): Block {
  return withCitations(block, (citation) => {
    if (citation.resultIndex === undefined) return citation;
    const { url: _, title: __, ...rest } = citation;
    return rest;
  });
}

function withCitations(block: Block, change: (citation: Citation) => Citation): Block {
  return block.citations === undefined ? block : { ...block, citations: block.citations.map(change) };
}
