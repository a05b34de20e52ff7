// The mappings of a script: an unknown key is refused with the known ones.

import * as z from 'zod';

/** A mapping that refuses unknown keys. Its message has one line for each unknown key, in their order. */
export function strictMapping<T extends z.ZodRawShape>(shape: T) {
  const known = Object.keys(shape);
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? issue.keys.map((key) => describeKnownKeys(key, known)).join('\n')
        : undefined,
  });
}

/** The known keys, with the one that needs the fewest edits, at most 40 % of its length. */
function describeKnownKeys(found: string, known: readonly string[]): string {
  const distances = known.map((key) => ({
    key,
    distance: editDistance(found.toLowerCase(), key.toLowerCase()),
  }));
  const [close] = distances
    .filter(({ key, distance }) => distance <= Math.ceil(key.length * 0.4))
    .sort((a, b) => a.distance - b.distance);
  return `expected one of ${known.join(', ')}${close === undefined ? '' : `; did you mean "${close.key}"?`}`;
}

/** How many letters are added, removed or replaced. A key above 100 letters is not mistyped. */
function editDistance(found: string, key: string): number {
  if (found.length > 100) return Number.POSITIVE_INFINITY;
  let row = Array.from({ length: key.length + 1 }, (_, index) => index);
  for (const [i, letter] of [...found].entries()) {
    const next = [i + 1];
    for (const [j, other] of [...key].entries()) {
      const replaced = (row[j] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
