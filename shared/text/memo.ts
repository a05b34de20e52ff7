// Results that are remembered as long as the object lives that they were made from.

/**
 * Wraps a pure function of one object, so that it runs once for each object. The object must not change
 * afterwards.
 * @returns a function with the same results; repeated calls return the same value.
 */
export function memoized<K extends object, V extends NonNullable<unknown>>(
  make: (key: K) => V,
): (key: K) => V {
  const known = new WeakMap<K, V>();
  return (key) => {
    const found = known.get(key);
    if (found !== undefined) return found;
    const made = make(key);
    known.set(key, made);
    return made;
  };
}
