// The words of a command, as a shell splits them: quotes, continued lines, lists in JSON and YAML.

/** A word with its quotes: UTF-16 offsets, the end not included. */
export interface Word {
  /** UTF-16 offset of the first character. */
  start: number;
  /** UTF-16 offset after the last character. */
  end: number;
}

/** Longest command that is read, in characters, and its most words. */
const MAX_COMMAND = 4000;
const MAX_WORDS = 200;
/** Blanks, continued lines of sh, cmd and PowerShell, and separators of a list in JSON or YAML. */
const SEPARATOR =
  /(?:[ \t]|[\\^`]\r?\n)+|(?<=["'])\s{0,20},\s{0,20}(?=["'])|,[ \t]+|\r?\n[ \t]{0,40}-[ \t]+/y;
/** A piece of a word: in quotes (also those of a string of JSON), escaped, or plain. */
const PIECE =
  /\\"(?:[^"\\\n]|\\[^"\n]){0,1000}\\"|\\(?!["'\r\n])[^\r\n]|"(?:[^"\\\n]|\\[^\n]){0,1000}"|'[^'\n]{0,1000}'|[^\s"'\\|;&<>()`,\]]{1,1000}|[,\]]/y;

/** The words behind `from`, up to the end of the command: a line break, `|`, `;`, `&`. */
export function wordsFrom(text: string, from: number): Word[] {
  const words: Word[] = [];
  const limit = Math.min(text.length, from + MAX_COMMAND);
  let at = from;
  while (at < limit && words.length < MAX_WORDS) {
    SEPARATOR.lastIndex = at;
    const separator = SEPARATOR.exec(text);
    at += separator?.[0].length ?? 0;
    const start = at;
    at = endOfWord(text, at, limit);
    if (at === start) break;
    words.push({ start, end: at });
  }
  return words;
}

function endOfWord(text: string, start: number, limit: number): number {
  let at = start;
  while (at < limit) {
    PIECE.lastIndex = at;
    const piece = PIECE.exec(text);
    if (piece === null) break;
    if (piece[0] === ',' && /[\s"']/.test(text[at + 1] ?? '') && at > start) break;
    if (piece[0] === ']' && /["']/.test(text[at - 1] ?? '')) break;
    // The end of a string of JSON: `"cmd":"… a:b","code":0`
    if (piece[0] === '","' && at > start) break;
    at += piece[0].length;
    // `"-u","a:b"`
    if (/["']$/.test(piece[0]) && /^\s{0,20},\s{0,20}["']/.test(text.slice(at, at + 42))) break;
  }
  return at;
}

/** The word without the quotes around it. */
export function withoutQuotes(text: string, { start, end }: Word): Word {
  if (end - start >= 4 && text.startsWith('\\"', start) && text.startsWith('\\"', end - 2))
    return { start: start + 2, end: end - 2 };
  const isQuoted = end - start >= 2 && /["']/.test(text[start] ?? '') && text[start] === text[end - 1];
  return isQuoted ? { start: start + 1, end: end - 1 } : { start, end };
}
