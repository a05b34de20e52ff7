// Counts the characters that code reads with methods of strings and regular expressions: a measure of its
// work that is the same on every machine.

const PATCHED = ['indexOf', 'lastIndexOf', 'slice', 'includes'] as const;
/** A search for a string reads so many characters in the time of one that a pattern reads. */
const FAST = 8;

/**
 * Runs `action` and returns how many characters it read. A search counts the characters up to its match, or
 * to the end of the text, and a part of a text is a view of it, which costs one. Backtracking within a match
 * does not count.
 */
export function countOperations(action: () => void): number {
  const text = String.prototype;
  const pattern = RegExp.prototype;
  const original = {
    exec: pattern.exec,
    ...Object.fromEntries(PATCHED.map((name) => [name, text[name]])),
  } as Pick<string, (typeof PATCHED)[number]> & Pick<RegExp, 'exec'>;
  let count = 0;
  const patch = (owner: object, name: string, value: unknown): void =>
    void Object.defineProperty(owner, name, { value, writable: true, configurable: true });
  patch(text, 'indexOf', function (this: string, searched: string, from = 0) {
    const found = original.indexOf.call(this, searched, from);
    count += ((found < 0 ? this.length : found) - from) / FAST + 1;
    return found;
  });
  patch(text, 'lastIndexOf', function (this: string, searched: string, from = this.length) {
    const found = original.lastIndexOf.call(this, searched, from);
    count += (Math.min(from, this.length) - Math.max(found, 0)) / FAST + 1;
    return found;
  });
  patch(text, 'includes', function (this: string, searched: string, from = 0) {
    const found = original.indexOf.call(this, searched, from);
    count += ((found < 0 ? this.length : found) - from) / FAST + 1;
    return found >= 0;
  });
  patch(text, 'slice', function (this: string, start?: number, end?: number) {
    const part = original.slice.call(this, start, end);
    count++;
    return part;
  });
  patch(pattern, 'exec', function (this: RegExp, searched: string) {
    const from = this.global || this.sticky ? this.lastIndex : 0;
    const found = original.exec.call(this, searched);
    if (found !== null) count += found.index + found[0].length - from + 1;
    else count += this.sticky ? 1 : Math.max(searched.length - from, 0) + 1;
    return found;
  });
  try {
    action();
  } finally {
    for (const name of PATCHED) patch(text, name, original[name]);
    patch(pattern, 'exec', original.exec);
  }
  return count;
}
