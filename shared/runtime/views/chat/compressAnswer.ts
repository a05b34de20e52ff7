// Shortens answers of earlier questions for the conversation with a model. The store keeps the whole.

/** The longest answer that is repeated whole, in characters. */
const MAX_WHOLE = 400;
/** Characters of a longer answer that are kept at each end. */
const KEPT = 200;

/** An answer in its repeated form. */
export interface RepeatedAnswer {
  /** The whole answer, or its two ends around the mark. */
  text: string;
  /** How the answer was shortened; null if it is whole. The length is in characters. */
  compressed: { originalLength: number; key: string | null } | null;
}

/**
 * Returns the answer, or its start and end around a mark for the omitted part. Characters are code points.
 * @param key for looking up the whole answer; null if that is not possible.
 */
export function compressAnswer(text: string, key: string | null): RepeatedAnswer {
  const characters = [...text];
  if (characters.length <= MAX_WHOLE) return { text, compressed: null };
  const what =
    key === null
      ? `${characters.length - 2 * KEPT} characters omitted`
      : `REM LOOKUP ${key} to recover full content`;
  const mark = `\n\n... [Message truncated - ${what}] ...\n\n`;
  return {
    text: `${characters.slice(0, KEPT).join('')}${mark}${characters.slice(-KEPT).join('')}`,
    compressed: { originalLength: characters.length, key },
  };
}
