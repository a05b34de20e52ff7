// Patterns in which `*` matches any text, as in `shop-*` or `*-prod-*`.

/**
 * Whether the whole text matches. The work is linear in the text for each piece between the stars: nothing is tried
 * twice, so a text of hostile length costs no more than reading it.
 */
export function matchesGlob(text: string, pattern: string): boolean {
  const [head = '', ...rest] = pattern.split('*');
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
