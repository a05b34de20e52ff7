// Cuts an event to what fits a document and a commit. What is cut here stands whole in the conversation.

import type { EventDraft } from '../../../schema/timelineEvent.ts';
import { jsonBytes } from '../../../text/json.ts';
import { limitText } from '../../../text/limitText.ts';
import { rangeMover } from '../../../text/moveRange.ts';

/** UTF-8 bytes of an event's content, and of its metadata. A tool result of the largest limit passes. */
export const MAX_EVENT_BYTES = 400_000;

/**
 * The events of one commit, cut as little as `maxBytes` for all of them allows: the largest lose first.
 * @param maxBytes UTF-8 bytes of all contents and metadata together.
 */
export function fitEvents<E extends EventDraft>(drafts: readonly E[], maxBytes: number): E[] {
  const sizes = drafts.map(({ content, metadata }) => Buffer.byteLength(content) + jsonBytes(metadata));
  let room = maxBytes;
  let left = drafts.length;
  for (const size of sizes.toSorted((a, b) => a - b)) {
    // From here on each is larger than its equal share of what the smaller ones leave.
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

/** The event with content and metadata of at most `maxBytes` each. A cut text says so; cut arguments are a JSON text of their beginning. */
export function fitEvent<E extends EventDraft>(draft: E, maxBytes = MAX_EVENT_BYTES): E {
  const { content } = limitText(draft.content, maxBytes);
  const metadata = fitMetadata(withMovedCitations(draft, content), maxBytes);
  const note = metadata.isListCut ? LISTS_CUT : '';
  return { ...draft, content: `${content}${note}`, metadata: metadata.value };
}

/** The metadata of an event whose text was cut to `after`: citations behind the cut follow it, or lose their offsets. */
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
    // A structured answer that is cut is none; those that are taken are small.
    if (key === 'output') return [key, undefined];
    if (typeof value === 'string') return [key, cutJson(value, share)];
    if (!Array.isArray(value)) return [key, value];
    isListCut = true;
    return [key, firstOf(value, share)];
  });
  return { value: Object.fromEntries(fitted) as M, isListCut };
}

/** The beginning and end of a JSON text, as a JSON text of at most `maxBytes`: quoting at most doubles what is JSON already. */
export function cutJson(json: string, maxBytes: number): string {
  return JSON.stringify(limitText(json, Math.floor(maxBytes / 2)).content);
}

function firstOf(list: readonly unknown[], maxBytes: number): unknown[] {
  let bytes = 0;
  const end = list.findIndex((entry) => {
    bytes += jsonBytes(entry) + 1;
    return bytes > maxBytes;
  });
  return list.slice(0, end === -1 ? list.length : end);
}
