// Filters of subscriptions: https://cloud.google.com/pubsub/docs/subscription-message-filter#filtering_syntax

import { invalid } from './errors.ts';

type Attributes = Record<string, string>;
type Filter = (attributes: Attributes) => boolean;

const MAX_BYTES = 256;
/** Parsed filters by text. Each publish reads subscriptions from the database. */
const parsed = new Map<string, Filter>();
const TOKEN = /\s*(?:("(?:[^"\\]|\\.)*")|(!=|[=:.,()-])|([A-Za-z_][\w-]*))/y;

/**
 * Returns a valid filter.
 * @throws StatusError INVALID_ARGUMENT when it exceeds 256 bytes or has a syntax error.
 */
export function checkFilter(text: string): string {
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_BYTES) throw invalid(`The filter has ${bytes} bytes; the maximum is ${MAX_BYTES}`);
  if (text !== '') parseFilter(text);
  return text;
}

/**
 * Whether a message with these attributes passes a filter.
 * @param text a checked filter. Every message passes an empty or absent one.
 */
export function passesFilter(text: string | undefined, attributes: Attributes): boolean {
  if (!text) return true;
  let filter = parsed.get(text);
  if (filter === undefined) {
    filter = parseFilter(text);
    parsed.set(text, filter);
  }
  return filter(attributes);
}

function parseFilter(text: string): Filter {
  const tokens = tokenizeFilter(text);
  const syntaxError = () => {
    const found = tokens[0];
    return invalid(
      `Invalid filter: ${found === undefined ? 'it ends too early' : `${found} is not expected there`}`,
    );
  };
  const take = (token: string): boolean => {
    if (tokens[0] !== token) return false;
    tokens.shift();
    return true;
  };
  const expect = (token: string) => {
    if (!take(token)) throw syntaxError();
  };
  const matching = (pattern: RegExp): string => {
    if (!pattern.test(tokens[0] ?? '')) throw syntaxError();
    return tokens.shift() ?? '';
  };
  const value = (): string => unquoted(matching(/^"/));
  const key = (): string => unquoted(matching(/^["A-Za-z_]/));

  const all = (): Filter => {
    const terms = [term()];
    const joint = tokens[0] === 'AND' || tokens[0] === 'OR' ? tokens[0] : '';
    // Mixing AND and OR needs parentheses.
    while (joint !== '' && take(joint)) terms.push(term());
    return joint === 'OR'
      ? (attributes) => terms.some((each) => each(attributes))
      : (attributes) => terms.every((each) => each(attributes));
  };
  const term = (): Filter => {
    if (take('NOT') || take('-')) {
      const inner = term();
      return (attributes) => !inner(attributes);
    }
    if (take('(')) {
      const inner = all();
      expect(')');
      return inner;
    }
    if (take('hasPrefix')) {
      for (const token of ['(', 'attributes', '.']) expect(token);
      const name = key();
      expect(',');
      const prefix = value();
      expect(')');
      return (attributes) => readAttribute(attributes, name)?.startsWith(prefix) ?? false;
    }
    expect('attributes');
    if (take(':')) {
      const name = key();
      return (attributes) => Object.hasOwn(attributes, name);
    }
    expect('.');
    const name = key();
    const isEqual = tokens[0] !== '!=';
    if (!take('!=')) expect('=');
    const wanted = value();
    return (attributes) => (readAttribute(attributes, name) === wanted) === isEqual;
  };

  const filter = all();
  if (tokens.length > 0) throw syntaxError();
  return filter;
}

function tokenizeFilter(text: string): string[] {
  const tokens: string[] = [];
  const pattern = new RegExp(TOKEN);
  while (pattern.lastIndex < text.trimEnd().length) {
    const start = pattern.lastIndex;
    const found = pattern.exec(text);
    if (found === null) throw invalid(`Invalid filter: cannot read "${text.slice(start)}"`);
    tokens.push(found[1] ?? found[2] ?? found[3] ?? '');
  }
  return tokens;
}

const readAttribute = (attributes: Attributes, name: string): string | undefined =>
  Object.hasOwn(attributes, name) ? attributes[name] : undefined;

const unquoted = (token: string): string =>
  token.startsWith('"') ? token.slice(1, -1).replace(/\\(.)/g, '$1') : token;
