// Works on many entries, a few of them at a time.

/**
 * Works on all entries, in order, on up to `count` at a time. @throws the first error at once; the others
 * continue.
 */
export async function workInParallel<T>(
  entries: Iterable<T>,
  count: number,
  work: (entry: T) => Promise<void>,
): Promise<void> {
  const remaining = [...entries][Symbol.iterator]();
  const workOnRemaining = async (): Promise<void> => {
    for (const entry of remaining) await work(entry);
  };
  await Promise.all(Array.from({ length: count }, workOnRemaining));
}
