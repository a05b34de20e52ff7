// Patterns for names of tools: a name, `*`, or a prefix and `*` (`get_*`).

/** Whether a name matches a pattern. */
function matchesPattern(name: string, pattern: string): boolean {
  return pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}

/** Whether a name matches one of the patterns. */
export function matchesAny(name: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => matchesPattern(name, pattern));
}

/** The most specific pattern for a name: the name itself, else the longest prefix. Undefined when none matches. */
export function closestPattern(name: string, patterns: readonly string[]): string | undefined {
  if (patterns.includes(name)) return name;
  const [longest] = patterns
    .filter((pattern) => matchesPattern(name, pattern))
    .sort((one, other) => other.length - one.length);
  return longest;
}
