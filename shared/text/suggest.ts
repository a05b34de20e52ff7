// Suggests the known name that is closest to a mistyped one.

/** `expected one of a, b` and, when one of them is close to `found`, `; did you mean "a"?`. */
export function describeExpected(found: string, known: readonly string[]): string {
  if (known.length === 0) return 'none is defined';
  const closest = closestTo(found, known);
  return `expected one of ${known.join(', ')}${closest === undefined ? '' : `; did you mean "${closest}"?`}`;
}

/**
 * The candidate with the fewest edits from `found`, at most 40 % of its length, without regard to letter
 * case; undefined when there is none.
 */
export function closestTo(found: string, candidates: readonly string[]): string | undefined {
  // The comparison is quadratic, and a text this long is not a mistyped name.
  if (found.length > 100) return undefined;
  let best: string | undefined;
  let bestDistance = Number.POSITIVE_INFINITY;
  for (const candidate of candidates) {
    const distance = editDistance(found.toLowerCase(), candidate.toLowerCase());
    const limit = Math.ceil(candidate.length * 0.4);
    if (distance <= limit && distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** Levenshtein distance, one row of its table at a time. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitution = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(substitution, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
