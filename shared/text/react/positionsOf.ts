// Finds every place of one text in another (Knuth, Morris and Pratt). `indexOf` takes quadratic time for
// repetitive texts, and logs are untrusted.

/** Start indexes of `pattern` in `text`, in order, overlaps included; none for an empty one. */
export function findPositions(text: string, pattern: string): number[] {
  const { length } = pattern;
  if (length === 0) return [];
  const fallback = computeFallbacks(pattern);
  const positions: number[] = [];
  let matched = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    while (matched > 0 && pattern.charCodeAt(matched) !== code) matched = fallback[matched - 1] ?? 0;
    if (pattern.charCodeAt(matched) === code) matched += 1;
    if (matched < length) continue;
    positions.push(index - length + 1);
    matched = fallback[matched - 1] ?? 0;
  }
  return positions;
}

/** For each prefix of the pattern, the length of its longest proper prefix that is also its end. */
function computeFallbacks(pattern: string): Int32Array {
  const fallback = new Int32Array(pattern.length);
  let matched = 0;
  for (let index = 1; index < pattern.length; index += 1) {
    const code = pattern.charCodeAt(index);
    while (matched > 0 && pattern.charCodeAt(matched) !== code) matched = fallback[matched - 1] ?? 0;
    if (pattern.charCodeAt(matched) === code) matched += 1;
    fallback[index] = matched;
  }
  return fallback;
}
