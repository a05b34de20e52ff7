// Closes JSON that was cut, behind its last whole item of a list. Pure.

/** The text up to that item, with closing brackets; unchanged if it ends with its own. */
export function completeJson(text: string): string {
  const start = Math.max(0, text.search(/[[{]/));
  const open: string[] = [];
  let end = 0;
  for (const { at, sign } of brackets(text, start, text.length)) {
    if (!follow(open, sign)) continue;
    if (open.length === 0) return text;
    if (open.at(-1) === '[') end = at + 1;
  }
  open.length = 0;
  for (const { sign } of brackets(text, start, end)) follow(open, sign);
  const closing = open.toReversed().map((sign) => (sign === '[' ? ']' : '}'));
  return text.slice(0, end) + closing.join('');
}

/** Keeps the brackets that are open. @returns whether the bracket closes one. */
function follow(open: string[], sign: string): boolean {
  const isClosing = sign === ']' || sign === '}';
  if (isClosing) open.pop();
  else open.push(sign);
  return isClosing;
}

/** The brackets outside of strings, between two places of a text. */
function* brackets(text: string, from: number, to: number): Generator<{ at: number; sign: string }> {
  for (let at = from; at < to; at++) {
    const sign = text[at] ?? '';
    if (sign === '"') at = endOfString(text, at);
    else if ('[]{}'.includes(sign)) yield { at, sign };
  }
}

/** The place of the quote that ends a string; the end of the text where none does. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === '"') return at;
  }
  return text.length;
}
