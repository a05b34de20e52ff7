// Results over lists that only grow: a longer list continues the result of its start.

/**
 * Wraps a fold, so that the items of a list are read once while the list grows. Items must not change.
 * @param start makes the result of an empty list.
 * @param read adds an item to a result, in place.
 * @returns the result of a list with a key, whose other values read the list again. The same object is
 *   returned for longer lists: callers read it at once, and do not change it.
 */
export function incrementalFold<Item extends object, Result, Key extends readonly unknown[] = []>(
  start: () => Result,
  read: (result: Result, item: Item, ...key: Key) => void,
): (items: readonly Item[], ...key: Key) => Result {
  /** By the first item, so that a result lives as long as its list. */
  const known = new WeakMap<Item, { items: Item[]; key: Key; result: Result }>();
  return (items, ...key) => {
    const [first] = items;
    const found = first && known.get(first);
    const isContinued = found !== undefined && startsWith(items, found.items) && startsWith(key, found.key);
    const fold = isContinued ? found : { items: [], key, result: start() };
    if (first !== undefined) known.set(first, fold);
    for (let index = fold.items.length; index < items.length; index++) {
      const item = items[index] as Item;
      fold.items.push(item);
      read(fold.result, item, ...key);
    }
    return fold.result;
  };
}

function startsWith(items: readonly unknown[], begin: readonly unknown[]): boolean {
  for (let index = 0; index < begin.length; index++) if (begin[index] !== items[index]) return false;
  return true;
}
