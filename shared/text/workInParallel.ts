// Works on many entries, a few of them at a time.

/**
 * Starts work on each entry, in order, as soon as fewer than `count` entries are worked on.
 * @throws the first error of `work`, at once: entries that are worked on continue, and so do the other lanes. Work that
 *   must stop the rest, or must end first, handles its errors itself.
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
