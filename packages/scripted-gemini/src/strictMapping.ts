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

/** The known keys, with the one that starts like the unknown key. */
function describeKnownKeys(found: string, known: readonly string[]): string {
  const close = known.find((key) => countCommonStart(key, found) * 2 > found.length);
  return `expected one of ${known.join(', ')}${close === undefined ? '' : `; did you mean "${close}"?`}`;
}

function countCommonStart(a: string, b: string): number {
  const [left, right] = [a.toLowerCase(), b.toLowerCase()];
  const end = [...left].findIndex((letter, index) => letter !== right[index]);
  return end === -1 ? left.length : end;
}
