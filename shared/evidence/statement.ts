// The values and assertions of an analysis: which stand in the results, in the alert, or follow from those that do.

import { type Assertion, readAssertions, readLater } from './assertions.ts';
import { deriveNumbers, isMissing } from './derivedNumbers.ts';
import { canHave, isIn, rareKinds } from './matchValue.ts';
import { NAME_FORM } from './quote.ts';
import { type CheckedSource, type Indexed, indexOf, isNear, stemsAround } from './sourceIndex.ts';
import { type Token, tokensOf } from './tokens.ts';
import { instantOf, type NumberValue, type Value } from './values.ts';

/** A number, time or name of an analysis, or an assertion with a mark. */
export interface CheckedValue {
  /** As it is written. */
  text: string;
  kind: 'number' | 'time' | 'name' | Assertion['kind'];
  /** Its positions in the analysis, in UTF-16 units; -1 where the analysis has it in another form. */
  start: number;
  end: number;
  /**
   * `derived`: a sum, difference, ratio or percentage of values that are held. `absent`: no result has it. `unchecked`: a
   * result has such a value, but nothing shows that it is this one; or there are no results, or some could not be read.
   * `contradicted`: the results state the opposite. `claim`: a cause that the verdict does not cover.
   */
  state: 'held' | 'alert' | 'derived' | 'absent' | 'unchecked' | 'contradicted' | 'claim';
  /** The result that has it. */
  result?: string;
}

/** Checks the values of texts against the results of one session. */
export type StatementCheck = (analysis: string) => CheckedValue[];

/** A heading, or a bold start of a line, that starts a part. */
const HEADING = /^\s*(?:#{1,6}\s+(.*)|(?:[-*]\s+)?\*\*([^*\n]+?):?\*\*.*)$/;
const PROPOSALS =
  /\b(?:what to do|do now|next steps?|recommend\w*|remediation|mitigation|proposed|actions?|how to fix|follow[- ]?ups?)\b/i;
/** A command with an option, as code: an action, and no statement. */
const COMMAND = /`[^`\n]*\s--?\p{L}[^`\n]*`/gu;
/** Between two numbers with one unit: `95 to 246 MiB`, `118 of 192 GB`. */
const SHARES_UNIT = /^(?:of|to|and|or|-)$/;
/** `1.42.0`, `10.8.2.41`. */
const VERSION = /^\d+(?:\.\d+){2,}$/;

/** `95th`, `p95`. */
const ORDINAL = /^(?:\d+(?:st|nd|rd|th)|p\d{2,3})$/i;

/**
 * Prepares the check of analyses against the results and the alert of a session.
 * @param areComplete whether `sources` are all results. Default: true.
 * @param covered the causes that the verdict names, in words. Default: none.
 */
export function createStatementCheck(
  sources: readonly CheckedSource[],
  alert: string,
  areComplete = true,
  covered: readonly string[] = [],
): StatementCheck {
  const results = sources.map(indexOf);
  const read = sources.map(readLater);
  const rare = rareKinds(results);
  const ofAlert = indexOf({ id: 'alert', text: alert });
  const canDecide = areComplete && results.length > 0;
  const missingState = ({ value }: Token): 'absent' | 'unchecked' => {
    const isRound = value?.kind === 'number' && value.number % 10 === 0;
    const rough = isRound ? { ...value, half: roughHalf(value) } : value;
    const hasSuch = rough !== undefined && [...results, ofAlert].some((one) => canHave(one, rough));
    return canDecide && !hasSuch ? 'absent' : 'unchecked';
  };
  return (analysis) => {
    const { text: prepared, tokens } = tokensOf(withoutUnchecked(analysis));
    const values: CheckedValue[] = [];
    const numbers = new Map<CheckedValue, NumberValue | Value>();
    for (const [index, token] of tokens.entries()) {
      const kind = kindOf(token);
      const { start, end } = token;
      const isOption = prepared.slice(Math.max(0, start - 2), start) === '--';
      if (kind === undefined || isOption) continue;
      const text = prepared.slice(start, end);
      const context = {
        stems: stemsAround(tokens, index, prepared),
        token: roundedToken(withUnitOfNext(tokens, index), prepared),
        rare,
      };
      const source =
        results.find((one) => isIn(one, context)) ?? (isIn(ofAlert, context) ? ofAlert : undefined);
      const state = source === undefined ? missingState(token) : source === ofAlert ? 'alert' : 'held';
      const checked: CheckedValue = {
        text,
        kind,
        start,
        end,
        state,
        ...(state === 'held' && source && { result: source.id }),
      };
      values.push(checked);
      if (token.value !== undefined) numbers.set(checked, token.value);
    }
    deriveNumbers(prepared, values, numbers as ReadonlyMap<CheckedValue, Value>);
    for (const one of values) {
      const value = numbers.get(one);
      if (!isMissing(one) || value === undefined) continue;
      const isRelative = RELATIVE.test(prepared.slice(one.end, one.end + 10));
      const isDerived = (result: Indexed): boolean =>
        hasDistance(result, value, isRelative) || hasDifference(result, value);
      if (results.some(isDerived)) one.state = 'derived';
    }
    for (const [index, one] of values.entries()) {
      const [from, to] = [one, values[index + 1]].map((number) => number && numbers.get(number));
      const between = prepared.slice(one.start - 5, values[index + 1]?.start).replace(one.text, '');
      if (!/^from \S{0,6} to $/.test(between) || from?.kind !== 'number' || to?.kind !== 'number') continue;
      if (!results.some((result) => canHave(result, from) && canHave(result, to))) continue;
      for (const number of values.slice(index, index + 2)) if (isMissing(number)) number.state = 'held';
    }
    const assertions = readAssertions(prepared, read, covered).map((one) => ({
      ...one,
      text: prepared.slice(one.start, one.end),
    }));
    const blanked = withoutUnchecked(analysis, (part) => ' '.repeat(part.length));
    return [values, assertions]
      .flatMap((ones) => placeValues(ones, blanked))
      .sort((a, b) => a.start - b.start);
  };
}

/** The analysis with blanks where nothing is checked: headings, numbers of lists, commands, proposals. */
function withoutUnchecked(analysis: string, blank: (part: string) => string = () => ''): string {
  let isProposal = false;
  const lines = analysis.split('\n').map((line) => {
    const [, heading, bold] = HEADING.exec(line) ?? [];
    const title = heading ?? bold;
    if (title !== undefined) isProposal = PROPOSALS.test(title);
    if (isProposal || heading !== undefined) return blank(line);
    return line.replace(/^\s*\d+[.)]\s/, blank).replace(COMMAND, blank);
  });
  return lines.join('\n');
}

/** The values with their positions in the analysis. @param blanked the analysis with as many blanks where nothing is checked. */
function placeValues(values: readonly CheckedValue[], blanked: string): CheckedValue[] {
  let from = 0;
  return values.map((one) => {
    const start = blanked.indexOf(one.text, from);
    if (start === -1) return { ...one, start: -1, end: -1 };
    from = start + one.text.length;
    return { ...one, start, end: from };
  });
}

/** A number without a unit has that of the next one, with which it is a range or a part. */
function withUnitOfNext(tokens: readonly Token[], index: number): Token {
  const [token, between, next] = tokens.slice(index, index + 3) as [Token, Token?, Token?];
  const [own, other] = [token.value, next?.value];
  if (own?.kind !== 'number' || own.measure !== '' || other?.kind !== 'number' || other.measure === '')
    return token;
  if (!SHARES_UNIT.test(between?.word ?? '')) return token;
  const { measure, factors } = other;
  return { ...token, value: { ...own, measure, factors } };
}

/** Before a number that is rounded to its last digit but zeros: `about 40,000`. */
const ABOUT =
  /(?:\b(?:about|around|roughly|approximately|approx\.?|almost|nearly|over|some|more than|circa|ca\.?) |[~≈] ?)$/i;
/** The share of a number by which `about` can be wrong. */
const ABOUT_SHARE = 0.05;

function roundedToken(token: Token, text: string): Token {
  const { value, start } = token;
  if (value?.kind !== 'number' || !ABOUT.test(text.slice(Math.max(0, start - 15), start))) return token;
  return { ...token, value: { ...value, half: roughHalf(value) } };
}

function roughHalf({ number, half }: NumberValue): number {
  const zeros = /0*$/.exec(number.toFixed(0))?.[0].length ?? 0;
  return Math.max(half, Math.min(0.5 * 10 ** zeros, number * ABOUT_SHARE));
}

function kindOf({ word, value }: Token): CheckedValue['kind'] | undefined {
  if (value !== undefined) return value.kind;
  if (ORDINAL.test(word)) return undefined;
  return NAME_FORM.test(word) || VERSION.test(word) ? 'name' : undefined;
}

/** Behind a duration that is the distance of two times: `two minutes earlier`. */
const RELATIVE = /^ (?:earlier|later|before|after|apart)\b/;
/** Times of a result that are compared with each other. */
const MOST_TIMES = 100;

/** Whether two times of a result are as far from each other as a duration: any two, or two that follow each other. */
function hasDistance(result: Indexed, value: Value, isAny: boolean): boolean {
  if (value.kind !== 'number' || value.measure !== 'time') return false;
  const times = timesIn(result);
  const [factor = 1] = value.factors;
  const [ms, half] = [value.number * factor * 1000, roughHalf(value) * factor * 1000];
  return times.some((a, index) => {
    const others = isAny ? times : [times[index + 1] ?? times[0] ?? a];
    return others.some((b) => Math.abs(Math.abs(a - b) - ms) <= half);
  });
}

const timesOf = new WeakMap<Indexed, readonly number[]>();

/** The first different times of a result. */
function timesIn(result: Indexed): readonly number[] {
  const found =
    timesOf.get(result) ??
    [
      ...new Set(
        result.values.flatMap(
          ({ value: one }) =>
            instantOf(one) ?? (one.kind === 'time' && one.form === 'yearless' ? one.ms : []),
        ),
      ),
    ].slice(0, MOST_TIMES);
  timesOf.set(result, found);
  return found;
}

/** Values of one unit in a line whose differences are compared. */
const MOST_IN_LINE = 4;

/** Whether a value with a unit is the difference of two values of one line: the free part of a total. */
function hasDifference(result: Indexed, value: Value): boolean {
  if (value.kind !== 'number' || value.measure === '' || value.measure === 'count') return false;
  const differences = differencesIn(result).get(value.measure) ?? new Float64Array();
  return value.factors.some((factor) =>
    isNear(differences, value.number * factor, value.half * 1.001 * factor),
  );
}

const differencesOf = new WeakMap<Indexed, ReadonlyMap<string, Float64Array>>();

/** The differences of two numbers of one line, in order, by their unit; not of lines with many. */
function differencesIn(result: Indexed): ReadonlyMap<string, Float64Array> {
  const known = differencesOf.get(result);
  if (known !== undefined) return known;
  const lines = Map.groupBy(result.values, ({ line }) => line);
  const found = new Map<string, number[]>();
  for (const line of lines.values()) {
    const numbers = line.flatMap(({ value }) =>
      value.kind === 'number' && value.measure !== '' ? value : [],
    );
    for (const [measure, amounts] of Map.groupBy(numbers, (one) => one.measure)) {
      if (amounts.length < 2 || amounts.length > MOST_IN_LINE) continue;
      const own = amounts.flatMap((a) => amounts.flatMap((b) => (a === b ? [] : differencesBetween(a, b))));
      const all = found.get(measure) ?? [];
      all.push(...own);
      found.set(measure, all);
    }
  }
  const ordered = new Map(
    [...found].map(([measure, amounts]) => [measure, Float64Array.from(amounts).sort()]),
  );
  differencesOf.set(result, ordered);
  return ordered;
}

const differencesBetween = (a: NumberValue, b: NumberValue): number[] =>
  a.factors.map((own, index) => a.number * own - b.number * (b.factors[index] ?? b.factors[0] ?? 1));
