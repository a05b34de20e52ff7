// Where characters of a rewritten text were before. Only replacements are kept.

/** Replacements in a text, in its order. */
export interface Edits {
  /** Number of replacements. */
  readonly count: number;
  /** Three numbers each: start and end in the new text, and the end of the replaced part before. */
  readonly places: Int32Array;
}

/** Collects the replacements of a text from its start to its end. */
interface EditList {
  /** Adds the replacement of the characters from `start` to `end` by `length` others. */
  add(start: number, end: number, length: number): void;
  /** The collected replacements. */
  done(): Edits;
}

const WIDTH = 3;
const FIRST_COUNT = 64;

/** A list without replacements. */
export function createEdits(): EditList {
  let places = new Int32Array(FIRST_COUNT * WIDTH);
  let size = 0;
  /** How much farther than now a character behind the last replacement stood before. */
  let shift = 0;
  return {
    add(start, end, length) {
      if (size === places.length) {
        const larger = new Int32Array(size * 2);
        larger.set(places);
        places = larger;
      }
      const at = start - shift;
      places[size] = at;
      places[size + 1] = at + length;
      places[size + 2] = end;
      size += WIDTH;
      shift = end - at - length;
    },
    done: () => ({ count: size / WIDTH, places }),
  };
}

/** Where a range of the new text stood before: of a part that was replaced, all that it replaced. */
export function placeBefore(edits: Edits, start: number, end: number): [start: number, end: number] {
  return [placeOfCharacter(edits, start)[0], placeOfCharacter(edits, end - 1)[1]];
}

function placeOfCharacter(edits: Edits, index: number): [start: number, end: number] {
  const edit = editBefore(edits, index);
  const before = index + shiftBehind(edits, edit);
  if (edit < 0 || index >= (edits.places[edit * WIDTH + 1] ?? 0)) return [before, before + 1];
  const newStart = edits.places[edit * WIDTH] ?? 0;
  return [newStart + shiftBehind(edits, edit - 1), edits.places[edit * WIDTH + 2] ?? 0];
}

/** The last replacement that starts at or before a character of the new text; -1 if none does. */
function editBefore({ count, places }: Edits, index: number): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((places[middle * WIDTH] ?? 0) <= index) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** How much farther than now the characters behind a replacement stood before. */
function shiftBehind({ places }: Edits, edit: number): number {
  return edit < 0 ? 0 : (places[edit * WIDTH + 2] ?? 0) - (places[edit * WIDTH + 1] ?? 0);
}
