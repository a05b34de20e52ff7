// Answers of earlier questions, as they are repeated to a model: whole in the store, shortened in the conversation.

/** The longest answer that is repeated whole, in characters. */
const MAX_WHOLE = 400;
/** Characters that are left of a longer one at each end. */
const KEPT = 200;

/** An answer as it is repeated. */
export interface RepeatedAnswer {
  text: string;
  /** What was done to it; null for one that is whole. The length is in characters. */
  compressed: { originalLength: number; key: string | null } | null;
}

/**
 * The answer, or its beginning and end with what stands between them named. Characters are code points.
 * @param key by which the whole can be looked up; null where it cannot.
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
