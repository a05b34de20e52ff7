// Where a piece of a text stands after the text was changed in places.

/** UTF-16 offsets, the end exclusive; both or neither. */
export interface Range {
  startIndex?: number | undefined;
  endIndex?: number | undefined;
}

/** Longer pieces are not looked for. In UTF-16 units. */
const MAX_PIECE = 10_000;

/**
 * `item` with its offsets in `after` instead of `before`; without them when it cannot be said for sure where the piece
 * stands now.
 * @param change what made `after` of `before`, for a piece of it.
 */
export function moveRange<T extends Range>(
  item: T,
  { before, after, change }: { before: string; after: string; change: (piece: string) => string },
): T {
  const { startIndex, endIndex, ...rest } = item;
  if (startIndex === undefined || endIndex === undefined || before === after) return item;
  const moved = placeAfter(startIndex, endIndex, { before, after, change });
  // Absent, not undefined: the store would refuse that.
  return (moved === undefined ? rest : { ...rest, ...moved }) as T;
}

function placeAfter(
  start: number,
  end: number,
  { before, after, change }: { before: string; after: string; change: (piece: string) => string },
): { startIndex: number; endIndex: number } | undefined {
  if (start > end || end > before.length) return undefined;
  const piece = before.slice(start, end);
  // Ahead of the first change, and behind the last, nothing but the offset differs.
  if (end <= commonHead(before, after)) return { startIndex: start, endIndex: end };
  const shift = after.length - before.length;
  if (before.length - start <= commonTail(before, after))
    return { startIndex: start + shift, endIndex: end + shift };
  if (piece.length > MAX_PIECE) return undefined;
  const changed = change(piece);
  const at = after.indexOf(changed);
  if (changed === '' || at === -1 || after.indexOf(changed, at + 1) !== -1) return undefined;
  return { startIndex: at, endIndex: at + changed.length };
}

function commonHead(a: string, b: string): number {
  const most = Math.min(a.length, b.length);
  let length = 0;
  while (length < most && a.charCodeAt(length) === b.charCodeAt(length)) length++;
  return length;
}

function commonTail(a: string, b: string): number {
  const most = Math.min(a.length, b.length);
  let length = 0;
  while (length < most && a.charCodeAt(a.length - 1 - length) === b.charCodeAt(b.length - 1 - length))
    length++;
  return length;
}
