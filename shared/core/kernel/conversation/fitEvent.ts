// Cuts events to the limits of a document and a commit. The conversation keeps the whole text.

import { jsonBytes } from '../../../text/json.ts';
import { limitText } from '../../../text/limitText.ts';
import { rangeMover } from '../../../text/moveRange.ts';
import type { EventDraft } from '../../schema/timelineEvent.ts';

/** Limit of an event's content, and of its metadata, in UTF-8 bytes. The largest allowed tool result fits. */
export const MAX_EVENT_BYTES = 400_000;

/**
 * Cuts the events of one commit to `maxBytes` in total. Cuts as little as possible, the largest first.
 * @param maxBytes limit of all contents and metadata together, in UTF-8 bytes.
 */
export function fitEvents<E extends EventDraft>(drafts: readonly E[], maxBytes: number): E[] {
  const sizes = drafts.map(({ content, metadata }) => Buffer.byteLength(content) + jsonBytes(metadata));
  let room = maxBytes;
  let left = drafts.length;
  for (const size of sizes.toSorted((a, b) => a - b)) {
    // From here on, each event is larger than its equal share of the remaining space.
    if (size > room / left) break;
    room -= size;
    left -= 1;
  }
  const share = left === 0 ? maxBytes : Math.floor(room / left);
  // Content and metadata get half each.
  return drafts.map((draft, index) =>
    (sizes[index] ?? 0) > share ? fitEvent(draft, Math.min(MAX_EVENT_BYTES, Math.floor(share / 2))) : draft,
  );
}

const LISTS_CUT = '\n[Sources and citations are too many to be kept whole.]';

/** Cuts content and metadata to `maxBytes` each, with a note; cut arguments become JSON of their start. */
export function fitEvent<E extends EventDraft>(draft: E, maxBytes = MAX_EVENT_BYTES): E {
  const { content } = limitText(draft.content, maxBytes);
  const metadata = fitMetadata(withMovedCitations(draft, content), maxBytes);
  const note = metadata.isListCut ? LISTS_CUT : '';
  return { ...draft, content: `${content}${note}`, metadata: metadata.value };
}

/** An event's metadata after a cut to `after`: citations of removed text move, or lose their offsets. */
function withMovedCitations<E extends EventDraft>(event: E, after: string): E['metadata'] {
  const { content: before, metadata } = event;
  if (!('citations' in metadata)) return metadata;
  const move = rangeMover({ before, after, change: (piece) => piece });
  return { ...metadata, citations: metadata.citations.map(move) };
}

function fitMetadata<M extends EventDraft['metadata']>(
  metadata: M,
  maxBytes: number,
): { value: M; isListCut: boolean } {
  if (jsonBytes(metadata) <= maxBytes) return { value: metadata, isListCut: false };
  const fields = Object.entries(metadata);
  const share = Math.floor(maxBytes / fields.length);
  let isListCut = false;
  const fitted = fields.map(([key, value]): [string, unknown] => {
    if (jsonBytes(value) <= share) return [key, value];
    // A cut structured answer is useless, so it is dropped; complete ones are small.
    if (key === 'output') return [key, undefined];
    if (typeof value === 'string') return [key, cutJson(value, share)];
    if (!Array.isArray(value)) return [key, value];
    isListCut = true;
    return [key, takeFirstItems(value, share)];
  });
  return { value: Object.fromEntries(fitted) as M, isListCut };
}

/** Start and end of a JSON text, as JSON of at most `maxBytes`: quoting doubles it at most. */
export function cutJson(json: string, maxBytes: number): string {
  return JSON.stringify(limitText(json, Math.floor(maxBytes / 2)).content);
}

function takeFirstItems(list: readonly unknown[], maxBytes: number): unknown[] {
  let bytes = 0;
  const end = list.findIndex((entry) => {
    bytes += jsonBytes(entry) + 1;
    return bytes > maxBytes;
  });
  return list.slice(0, end === -1 ? list.length : end);
}
