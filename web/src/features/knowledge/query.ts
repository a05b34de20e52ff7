// Turns the input of the search field into a query of the knowledge base.

/** A query, and how it came to be. */
export interface TypedQuery {
  query: string;
  /** `written`: a whole query was typed. */
  kind: 'written' | 'key' | 'spelling' | 'meaning';
}

const VERB = /^(?:LOOKUP|FUZZY|SEARCH|TRAVERSE)(?:\s|$)/i;
/** Words that are parameters behind a text. */
const PARAMETER = /(?:^|\s)(?:LIMIT|THRESHOLD|IN|MIN_SIMILARITY)(?:[\s=]|$)/i;
const KEY = /^[\p{L}\p{N}\p{M}]+(?:-[\p{L}\p{N}\p{M}]+)+$/u;
/** So few words are compared as they are spelled; more of them are a sentence with a meaning. */
const FEW_WORDS = 2;

interface KnownKeys {
  keys: ReadonlySet<string>;
  /** Whether there are no others. */
  isWhole: boolean;
}

/** The query for an input: keys are looked up, few words by spelling, sentences by meaning. */
export function readTyped(typed: string, { keys, isWhole }: KnownKeys): TypedQuery {
  const text = typed.trim().replace(/\s+/g, ' ');
  if (VERB.test(text)) return { query: text, kind: 'written' };
  const key = text.toLowerCase();
  if (keys.has(key) || (!isWhole && KEY.test(key))) return { query: `LOOKUP ${key}`, kind: 'key' };
  return splitQueryWords(text).length > FEW_WORDS ? byMeaning(text) : bySpelling(text);
}

/** A query for entries that are written like the text. */
export function bySpelling(text: string): TypedQuery {
  return { query: `FUZZY ${plainWords(text)}`, kind: 'spelling' };
}

/** A query for entries that mean the like. */
export function byMeaning(text: string): TypedQuery {
  return { query: `SEARCH ${plainWords(text)}`, kind: 'meaning' };
}

/** The words of a text that are no part of the query's language. */
export function searchedWords(query: string): string[] {
  const [, text = ''] = /^\s*(?:FUZZY|SEARCH)\s+(.*)$/is.exec(query) ?? [];
  const end = text.search(
    /\s(?:LIMIT|THRESHOLD|MIN_SIMILARITY)[\s=]|\sIN[\s=](?:resources?|runbooks?|sessions?|messages?)\b/i,
  );
  return splitQueryWords(end === -1 ? text : text.slice(0, end)).map((word) => word.toLowerCase());
}

function splitQueryWords(text: string): string[] {
  return text.match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
}

/** In quotation marks where a word of it would be read as a parameter. */
function plainWords(text: string): string {
  return PARAMETER.test(text) ? `"${text.replaceAll('"', '')}"` : text;
}
