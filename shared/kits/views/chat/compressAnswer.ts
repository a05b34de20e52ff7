// Shortens answers of earlier questions for the conversation with a model. The store keeps the whole.

/** The longest answer that is repeated whole, in characters. */
const MAX_WHOLE = 400;
/** Characters of a longer answer that are kept at each end. */
const KEPT = 200;

/**
 * Returns the answer, or its start and end around a mark for the omitted part. Characters are code points.
 * @param key for looking up the whole answer.
 */
export function compressAnswer(text: string, key: string): string {
  const characters = [...text];
  if (characters.length <= MAX_WHOLE) return text;
  const mark = `\n\n... [Message truncated - REM LOOKUP ${key} to recover full content] ...\n\n`;
  return `${characters.slice(0, KEPT).join('')}${mark}${characters.slice(-KEPT).join('')}`;
}
