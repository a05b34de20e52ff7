// The order of strings.

/** Strings by their UTF-8 bytes, which is the order of their code points. */
export function compareStrings(left: string, right: string): number {
  const length = Math.min(left.length, right.length);
  for (let index = 0; index < length; index++) {
    const [a, b] = [left.charCodeAt(index), right.charCodeAt(index)];
    if (a === b) continue;
    // A surrogate stands for a code point above all that one unit can hold.
    const [aPaired, bPaired] = [isSurrogate(a), isSurrogate(b)];
    return aPaired === bPaired ? a - b : aPaired ? 1 : -1;
  }
  return left.length - right.length;
}

const isSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdfff;
