// Answers of earlier questions, as they are repeated to a model: whole in the store, shortened in the conversation.

/** The longest answer that is repeated whole, in characters. */
const MAX_WHOLE = 400;
/** Characters that are left of a longer one at each end. */
const KEPT = 200;

/** The answer, or its beginning and end with the number of characters between them. Characters are code points. */
export function compressAnswer(text: string): string {
  const characters = [...text];
  if (characters.length <= MAX_WHOLE) return text;
  const omitted = characters.length - 2 * KEPT;
  const mark = `\n\n... [Message truncated - ${omitted} characters omitted] ...\n\n`;
  return `${characters.slice(0, KEPT).join('')}${mark}${characters.slice(-KEPT).join('')}`;
}
