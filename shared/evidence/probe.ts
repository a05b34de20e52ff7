// Calls that are repeated after the end of an investigation, to see whether its problem is over. Pure.

import { isObject, parseJson } from '../text/json.ts';
import { parseTextDocuments } from './documents.ts';
import { readObservation } from './observation.ts';
import { pointTo } from './pointer.ts';
import { findQuote, prepareQuote } from './quote.ts';
import { searchedText } from './searchText.ts';
import { tokenizeText } from './tokens.ts';
import { isSameValue, type NumberValue, type Value } from './values.ts';

/** What a result is compared with. */
interface Comparison {
  /** A text or JSON pointer in the result. */
  find: string;
  is: 'present' | 'absent' | 'above' | 'below' | 'equals';
  /** The value to compare with the one after `find`, or at the pointer. */
  value?: string | undefined;
}

/** A call as an agent states it, with the comparison that holds once the problem is over. */
export interface ProbeCall extends Comparison {
  /** `server.tool` */
  tool: string;
  /** JSON text; `${now}` and `${now-15m}` in it are times. */
  arguments: string;
}

/** A result of the same conversation. */
interface EarlierResult {
  tool: string;
  /** JSON text of the call's arguments. */
  arguments: string;
  text: string;
  isError: boolean;
}

const TIME = /\$\{now(?:-(\d{1,5})([smhd]))?\}/g;
const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/**
 * Why a call cannot be a probe: only a call that its agent made, with other times at most, and whose result
 * showed the problem. Undefined if it can.
 */
export function probeFault(probe: ProbeCall, earlier: readonly EarlierResult[]): string | undefined {
  if (!isObject(parseJson(probe.arguments))) return 'its arguments are no JSON object';
  if (probe.arguments.replace(TIME, '').includes(`\${`)) return `its arguments hold "\${" that is no time`;
  if (probe.arguments.includes('[masked:')) return 'its arguments hold a masked value';
  const { resource } = readObservation(probe);
  const equal = earlier.filter(
    (result) =>
      result.tool === probe.tool && !result.isError && readObservation(result).resource === resource,
  );
  if (equal.length === 0) return 'you made no such call that was answered';
  const outcomes = equal.map(({ text }) => compareText(probe, text));
  if (outcomes.includes(false)) return undefined;
  return outcomes.includes(true)
    ? 'its result is already as if the problem were over'
    : 'its result has nothing to compare';
}

/** The arguments with their times filled in. */
export function argumentsAt({ arguments: json }: Pick<ProbeCall, 'arguments'>, now: Date): string {
  return json.replace(TIME, (_, amount: string | undefined, unit: string | undefined) => {
    const before = Number(amount ?? 0) * (UNITS[unit ?? 's'] ?? 0);
    return new Date(now.getTime() - before).toISOString();
  });
}

/** Whether a text is as expected; undefined without a value to compare, or with several that disagree. */
export function compareText({ find, is, value }: Comparison, text: string): boolean | undefined {
  if (is === 'present' || is === 'absent') {
    const isThere = find.startsWith('/')
      ? pointTo(parseTextDocuments(text), find) !== undefined || isQuoted(find, text)
      : isQuoted(find, text);
    return isThere === (is === 'present');
  }
  const expected = firstValue(value ?? '');
  if (expected === undefined) return undefined;
  const outcomes = new Set(valuesAfter(find, text).map((found) => compareValues(found, is, expected)));
  return outcomes.size === 1 ? [...outcomes][0] : undefined;
}

const isQuoted = (find: string, text: string): boolean =>
  findQuote(prepareQuote(find), searchedText(text)).length > 0;

/** The values that follow a text in its lines, or the one at a pointer. */
function valuesAfter(find: string, text: string): Value[] {
  const pointed = find.startsWith('/') ? pointTo(parseTextDocuments(text), find) : undefined;
  if (pointed !== undefined) {
    const value = firstValue(String(pointed.value));
    return value === undefined ? [] : [value];
  }
  const searched = searchedText(text);
  return findQuote(prepareQuote(find), searched).flatMap(({ end }) => {
    const lineEnd = searched.text.indexOf('\n', end);
    const rest = searched.text.slice(end, lineEnd === -1 ? undefined : lineEnd);
    return tokenizeText(rest).tokens.find((token) => token.value !== undefined)?.value ?? [];
  });
}

const firstValue = (text: string): Value | undefined =>
  tokenizeText(text).tokens.find((token) => token.value !== undefined)?.value;

function compareValues(found: Value, is: 'above' | 'below' | 'equals', expected: Value): boolean | undefined {
  if (is === 'equals') return isSameValue(expected, found);
  const [a, b] = [toComparableAmount(found, expected), toComparableAmount(expected, found)];
  if (a === undefined || b === undefined) return undefined;
  return is === 'above' ? a > b : a < b;
}

/** The amount in base units, else in the other's unit. Undefined where they measure other things. */
function toComparableAmount(value: Value, other: Value): number | undefined {
  if (value.kind !== other.kind) return undefined;
  if (value.kind === 'time') return value.ms;
  const { measure, number, factors } = value;
  const { measure: otherMeasure } = other as NumberValue;
  return measure === otherMeasure || measure === '' || otherMeasure === ''
    ? number * (factors[0] ?? 1)
    : undefined;
}

/** Words that name a kind of change: `restarted` and `restart` are one. */
const STEM = 4;
const WORD = /[\p{L}\p{N}][\p{L}\p{N}._/-]*/gu;

/**
 * Whether a recorded action is the one that an analysis named: it names the same thing (a word with a digit,
 * a sign or the name of the component) and the same kind of change.
 * @param component the name of the cause; undefined where it has none.
 */
export function isNamedAction(named: string, recorded: string, component?: string): boolean {
  const [a, b] = [splitProbeWords(named), splitProbeWords(recorded)];
  const name = /[^/:]+$/.exec(component ?? '')?.[0]?.toLowerCase();
  const isName = (word: string): boolean => /[\d._/-]/.test(word) || word === name;
  const stems = (words: readonly string[]) =>
    new Set(words.filter((word) => !isName(word) && word.length >= STEM).map((word) => word.slice(0, STEM)));
  const names = (words: readonly string[]) => new Set(words.filter(isName));
  const shares = (left: ReadonlySet<string>, right: ReadonlySet<string>) =>
    [...left].some((one) => right.has(one));
  return shares(names(a), names(b)) && shares(stems(a), stems(b));
}

const splitProbeWords = (text: string): string[] =>
  (text.toLowerCase().match(WORD) ?? []).map((word) => word.replace(/[._/-]+$/, ''));
