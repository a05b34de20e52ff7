// Patterns in which `*` matches any text, as in `shop-*`, `*-prod-*` or `get_*`. The only place that
// interprets a `*`.

/** Where a `*` is a wildcard. Elsewhere it is an ordinary character. */
type Wildcards = 'anywhere' | 'at the end';

/**
 * Whether the whole text matches. The work is linear in the text for each piece between the stars: nothing is
 * tried twice, so a text of hostile length costs no more than reading it.
 */
export function matchesPattern(text: string, pattern: string, wildcards: Wildcards = 'anywhere'): boolean {
  const [head = '', ...rest] = wildcards === 'anywhere' ? pattern.split('*') : splitAtEnd(pattern);
  const tail = rest.pop();
  if (tail === undefined) return text === pattern;
  if (!text.startsWith(head) || !text.endsWith(tail)) return false;
  let from = head.length;
  const end = text.length - tail.length;
  for (const piece of rest) {
    // The earliest place leaves the most room for the pieces after it.
    const at = text.indexOf(piece, from);
    if (at === -1 || at + piece.length > end) return false;
    from = at + piece.length;
  }
  return from <= end;
}

const splitAtEnd = (pattern: string): string[] =>
  pattern.endsWith('*') ? [pattern.slice(0, -1), ''] : [pattern];

/** Whether a text matches one of the patterns. */
export function matchesAny(text: string, patterns: readonly string[], wildcards?: Wildcards): boolean {
  return patterns.some((pattern) => matchesPattern(text, pattern, wildcards));
}

/** The most specific pattern for a name: the name, else the longest prefix. Undefined without match. */
export function closestPattern(name: string, patterns: readonly string[]): string | undefined {
  if (patterns.includes(name)) return name;
  const [longest] = patterns
    .filter((pattern) => matchesPattern(name, pattern))
    .sort((one, other) => other.length - one.length);
  return longest;
}
