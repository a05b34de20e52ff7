// Splits a query into words. Quotation marks around words make them one; inside of a word they are text.

/** A word of a query. */
export interface Token {
  /** The word without its quotation marks. */
  text: string;
  /** Such a word is never a keyword. */
  isQuoted: boolean;
}

/** A quotation can end before a blank, a comma or the end of the query. */
const AFTER = /[\s,]/;

/** The words of a query. A quotation mark that no other one closes is text, as in `it's`. */
export function tokenizeQuery(query: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < query.length) {
    const character = query[at] ?? '';
    if (/\s/.test(character)) {
      at += 1;
      continue;
    }
    const end = quotationEnd(query, at);
    if (end !== undefined) {
      tokens.push({ text: query.slice(at + 1, end), isQuoted: true });
      at = end + 1;
      continue;
    }
    const [word = character] = /^\S+/.exec(query.slice(at)) ?? [];
    tokens.push({ text: word, isQuoted: false });
    at += word.length;
  }
  return tokens;
}

/** The index of the closing mark of the quotation that starts at `at`; undefined when none starts there. */
function quotationEnd(query: string, at: number): number | undefined {
  const mark = query[at];
  if (mark !== "'" && mark !== '"') return undefined;
  for (let end = query.indexOf(mark, at + 1); end !== -1; end = query.indexOf(mark, end + 1)) {
    const next = query[end + 1];
    if (next === undefined || AFTER.test(next)) return end;
  }
  return undefined;
}
