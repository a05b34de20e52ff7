// Finds the place of a piece of text after parts of the text changed.

/** UTF-16 offsets, the end exclusive; both or neither. */
interface Range {
  /** The first unit. Absent: the item has no place in the text. */
  startIndex?: number | undefined;
  /** After the last unit. Absent as `startIndex`. */
  endIndex?: number | undefined;
}

/** Maximum length of pieces to search for, in UTF-16 units. */
const MAX_PIECE = 10_000;

/** How a text was changed. */
interface TextChange {
  /** The text that the offsets refer to. */
  before: string;
  /** The changed text. */
  after: string;
  /** The change that turned `before` into `after`, applied to a piece. */
  change: (piece: string) => string;
}

/**
 * Moves items with offsets in `before` to their places in `after`. Removes offsets when the new place is
 * ambiguous.
 */
export function rangeMover({ before, after, change }: TextChange): <T extends Range>(item: T) => T {
  if (before === after) return (item) => item;
  const head = commonHead(before, after);
  const tail = commonTail(before, after);
  const shift = after.length - before.length;
  const place = (startIndex: number, endIndex: number): Range => {
    if (startIndex > endIndex || endIndex > before.length) return {};
    // Before the first change and after the last, only the offset differs.
    if (endIndex <= head) return { startIndex, endIndex };
    if (before.length - startIndex <= tail)
      return { startIndex: startIndex + shift, endIndex: endIndex + shift };
    if (endIndex - startIndex > MAX_PIECE) return {};
    const piece = change(before.slice(startIndex, endIndex));
    const at = after.indexOf(piece);
    if (piece === '' || at === -1 || after.indexOf(piece, at + 1) !== -1) return {};
    return { startIndex: at, endIndex: at + piece.length };
  };
  return <T extends Range>(item: T): T => {
    const { startIndex, endIndex, ...rest } = item;
    if (startIndex === undefined || endIndex === undefined) return item;
    // Absent, not undefined: the store would refuse that.
    return { ...rest, ...place(startIndex, endIndex) } as T;
  };
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
