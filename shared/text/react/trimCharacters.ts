// Removes marks around a value.

/** `text` without the characters at its ends. A loop: patterns with `+$` take quadratic time. */
export function trimCharacters(text: string, atStart: string, atEnd: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && atStart.includes(text.charAt(start))) start += 1;
  while (end > start && atEnd.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(start, end);
}
