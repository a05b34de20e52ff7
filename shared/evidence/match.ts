// Whether evidence stands in the stored results of a session. No model takes part.

import { isObject, parseJson } from '../text/json.ts';
import { parseTextDocuments } from './documents.ts';
import { pointTo, TIME_KEYS, timeOfItem } from './pointer.ts';
import { findDifferent, findQuote, prepareQuote, type Quote } from './quote.ts';
import { type Place, type SearchedText, searchedText } from './searchText.ts';
import { tokenizeText } from './tokens.ts';
import { isSameValue, toInstant } from './values.ts';

/** A stored result of a server's tool that answered. */
export interface StoredText {
  /** `r5`. */
  id: string;
  /** The whole stored text: never a summary, never the part that was shown. */
  text: string;
  /** JSON text of the call's arguments. */
  arguments: string;
  /** Its observation; calls that read the same thing have the same key. */
  key: string;
  /** Texts that agents wrote before the call. */
  earlierTexts: readonly string[];
}

interface NamedEvidence {
  /** The id of a result; without one all results are searched. */
  result?: string | undefined;
  /** A quote, for a text. */
  quote?: string | undefined;
  /** A JSON pointer and the value there, for JSON. */
  pointer?: string | undefined;
  value?: string | undefined;
}

/** The states of evidence; only `held` counts. */
export type EvidenceState = 'held' | 'differs' | 'absent' | 'ambiguous' | 'echoed' | 'outside_window';

/** The outcome of a search for evidence. */
export interface Match {
  state: EvidenceState;
  /** The result in which it was found. */
  result?: string;
  /** Its line there, from 1. Absent for a pointer. */
  line?: number;
  /** The text that stands there in place of a differing quote or value. */
  found?: string;
  /** Whether the quote holds the mark of a masked secret. */
  isMasked?: true;
}

/** Where evidence is searched. */
export interface MatchContext {
  /** The results that can support a hypothesis. */
  results: readonly StoredText[];
  /** The name of the result whose text a call of `read_result` showed, by the name of that call. */
  readings?: ReadonlyMap<string, string>;
  /** The alert as agents were shown it. */
  alert: string;
  /** Milliseconds since 1970, both included. Absent: times are not checked. */
  window?: { from: number; to: number };
}

/** Finds evidence in the results of one context, whose texts are split once. */
export type Matcher = (evidence: NamedEvidence) => Match;

/** A short quote in more lines is not specific; so is it on the page. */
const MAX_LINES = 5;
const FEW_WORDS = 3;
/** Tokens before which the time of a line stands. */
const TIME_WITHIN = 4;

interface Found {
  source: StoredText;
  match: Pick<Match, 'line'>;
  isEchoed: boolean;
  isOutside: boolean;
  /** Whether it stands in too many lines to mean one of them. */
  isVague: boolean;
}

/** The search for one piece of evidence, which goes on where results were added. */
interface Search {
  quote: Quote;
  /** The results that were searched, and those of them with the quote or another value at the pointer. */
  searched: number;
  found: Found[];
  others: { source: StoredText; found: string }[];
  /** The results that were searched for a line that differs in values only. */
  compared: number;
  near: NearLine[];
}

/** A line that is equal to a quote but for its values. */
interface NearLine {
  source: StoredText;
  line: number;
  found: string;
}

/** Searches that are remembered; the oldest ones are left out. */
const MAX_SEARCHES = 500;

/** Texts that were split and parsed. */
export interface ReadTexts {
  searched(text: string): SearchedText;
  documents(text: string): unknown[];
}

/** Remembers texts. @param maxCharacters of each kind; the oldest ones are left out. Default: no limit. */
export const readTexts = (maxCharacters?: number): ReadTexts => ({
  searched: cacheOutcomes(searchedText, maxCharacters),
  documents: cacheOutcomes(parseTextDocuments, maxCharacters),
});

/**
 * Prepares the search in the results of a session, to which results can be added.
 * @param texts can be shared by several sessions. Default: its own.
 */
export function createMatcher(
  context: MatchContext,
  { searched, documents }: ReadTexts = readTexts(),
): Matcher {
  const { results } = context;
  const searchFor = rememberSearches();
  const isOutside = (ms: number | undefined): boolean => {
    const { window } = context;
    return ms !== undefined && window !== undefined && (ms < window.from || ms > window.to);
  };

  function findQuoted(quote: Quote, source: StoredText): Found | undefined {
    const text = searched(source.text);
    const places = findQuote(quote, text);
    const [first] = places;
    if (first === undefined) return undefined;
    const inside = places.filter((place) => !isOutside(timeOfLine(text, place)));
    const echoes = [source.arguments, context.alert, ...source.earlierTexts];
    return {
      source,
      match: { line: (inside[0] ?? first).line },
      isEchoed: echoes.some((echo) => findQuote(quote, searched(echo)).length > 0),
      isOutside: inside.length === 0,
      isVague: quote.words < FEW_WORDS && new Set(places.map(({ line }) => line)).size > MAX_LINES,
    };
  }

  function findPointed(pointer: string, value: string, source: StoredText): Found | string | undefined {
    const pointed = pointTo(documents(source.text), pointer);
    if (pointed === undefined || isObject(pointed.value) || Array.isArray(pointed.value)) return undefined;
    const actual = String(pointed.value);
    if (!isSameText(value, actual)) return actual;
    return {
      source,
      match: {},
      isEchoed: isArgument(source.arguments, pointed.key, pointed.value),
      isOutside: isOutside(timeOfItem(pointed)),
      isVague: false,
    };
  }

  return ({ result = '', quote = '', pointer = '', value = '' }) => {
    const id = context.readings?.get(result) ?? result;
    const search = searchFor(JSON.stringify([id, quote, pointer, value]), quote);
    const isQuoted = pointer === '';
    if (isQuoted && search.quote.isTrivial) return { state: 'ambiguous' };
    for (const source of candidates(results, id, search.searched)) {
      const at = isQuoted ? findQuoted(search.quote, source) : findPointed(pointer, value, source);
      if (typeof at === 'string') search.others.push({ source, found: at });
      else if (at !== undefined) search.found.push(at);
    }
    search.searched = results.length;
    if (!isQuoted) return search.found.length > 0 ? summarizeMatch(search.found) : differingValue(search);
    if (search.found.length === 0) {
      for (const source of candidates(results, id, search.compared)) {
        search.near.push(...findNearLine(search.quote, source, searched(source.text)));
      }
      search.compared = results.length;
    }
    const match = search.found.length > 0 ? summarizeMatch(search.found) : differingLine(search);
    return search.quote.isMasked ? { ...match, isMasked: true } : match;
  };
}

/** The results from an index on that evidence means. @param id empty for all. */
const candidates = (results: readonly StoredText[], id: string, from: number): readonly StoredText[] =>
  from === results.length ? [] : results.slice(from).filter((result) => id === '' || result.id === id);

function rememberSearches(): (key: string, quote: string) => Search {
  const searches = new Map<string, Search>();
  return (key, text) => {
    const known = searches.get(key);
    if (known !== undefined) return known;
    const quote = prepareQuote(text);
    const search = { quote, searched: 0, found: [], others: [], compared: 0, near: [] };
    if (searches.size >= MAX_SEARCHES) searches.delete(searches.keys().next().value ?? '');
    searches.set(key, search);
    return search;
  };
}

/** The state of evidence that was found, in one result or in several. */
function summarizeMatch(found: readonly Found[]): Match {
  const best = found.find((one) => stateOfOne(one) === 'held') ?? found[0];
  if (best === undefined) return { state: 'absent' };
  const at = { result: best.source.id, ...best.match };
  const usable = found.filter((one) => !one.isEchoed && !one.isOutside);
  if (new Set(usable.map(({ source }) => source.key)).size > 1) return { state: 'ambiguous', ...at };
  return { state: stateOfOne(best), ...at };
}

function stateOfOne({ isEchoed, isVague, isOutside }: Found): EvidenceState {
  if (isEchoed) return 'echoed';
  if (isVague) return 'ambiguous';
  return isOutside ? 'outside_window' : 'held';
}

/** The one other value at a pointer. */
function differingValue({ others: [other, ...more] }: Search): Match {
  if (other === undefined || more.length > 0) return { state: 'absent' };
  return { state: 'differs', result: other.source.id, found: other.found };
}

/** The one line of all results that is equal but for its values. */
function differingLine({ near: [first, ...others] }: Search): Match {
  if (first === undefined || others.some(({ source }) => source.key !== first.source.key)) {
    return { state: 'absent' };
  }
  return { state: 'differs', result: first.source.id, line: first.line, found: first.found };
}

function findNearLine(quote: Quote, source: StoredText, text: SearchedText): NearLine[] {
  const place = findDifferent(quote, text);
  return place === undefined
    ? []
    : [{ source, line: place.line, found: withQuotationMark(text.text, place) }];
}

function withQuotationMark(text: string, { start, end }: Place): string {
  const found = text.slice(start, end);
  const isOpen = (mark: string): boolean =>
    text.charAt(start - 1) === mark && found.split(mark).length % 2 === 0;
  return isOpen('"') ? `"${found}` : found;
}

/** Whether a named value is a stored one: equal tokens. */
function isSameText(named: string, stored: string): boolean {
  const [a, b] = [tokenizeText(named).tokens, tokenizeText(stored).tokens];
  if (a.length !== b.length) return false;
  return a.every(({ word, value }, index) => {
    const other = b[index];
    if (value === undefined || other?.value === undefined)
      return word === other?.word && value === other.value;
    return isSameValue(value, other.value);
  });
}

/** Whether a value was an argument of the call: a text of any name, another value of the same name. */
function isArgument(json: string, key: string, value: unknown): boolean {
  const isSame = (argument: unknown, name: string): boolean => {
    if (typeof argument === 'object' && argument !== null) {
      return Object.entries(argument).some(([inner, one]) => isSame(one, inner));
    }
    return argument === value && (typeof value === 'string' || name === key);
  };
  return isSame(parseJson(json), '');
}

/** The time with which a line starts, or that a key of its JSON names. */
function timeOfLine(text: SearchedText, place: Place): number | undefined {
  const { tokens } = tokenizeText(text.linesOf(place));
  for (const [index, { value }] of tokens.entries()) {
    const instant = value === undefined ? undefined : toInstant(value);
    if (instant === undefined) continue;
    const key = tokens[index - 2]?.word ?? '';
    if (index < TIME_WITHIN && value?.kind === 'time') return instant;
    if (TIME_KEYS.has(key)) return instant;
  }
  return undefined;
}

/**
 * Remembers the outcomes of a function of texts.
 * @param maxCharacters of the remembered texts; the oldest ones are left out. Default: no limit.
 */
function cacheOutcomes<T>(
  make: (text: string) => T,
  maxCharacters = Number.POSITIVE_INFINITY,
): (text: string) => T {
  const known = new Map<string, T>();
  let characters = 0;
  return (text) => {
    const found = known.get(text);
    if (found !== undefined) return found;
    const made = make(text);
    known.set(text, made);
    characters += text.length;
    for (const oldest of known.keys()) {
      if (characters <= maxCharacters) break;
      known.delete(oldest);
      characters -= oldest.length;
    }
    return made;
  };
}
