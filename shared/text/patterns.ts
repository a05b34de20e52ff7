// Long patterns as lists: alternatives with one a line, and words.

/**
 * A pattern that matches where one of the alternatives does; at one place the first of them.
 * @param flags those of the result; flags of the alternatives are ignored.
 */
export function anyPattern(alternatives: readonly RegExp[], flags = ''): RegExp {
  return new RegExp(alternatives.map(({ source }) => source).join('|'), flags);
}

/** A group of the words of some lines, which blanks separate. A word can be a pattern: `errors?`. */
export function anyWord(...lines: readonly string[]): string {
  return `(?:${lines.join(' ').split(' ').join('|')})`;
}
