// Whether a value or name of an analysis stands in a result.

import { amountOf, isDistinctive } from './derivedNumbers.ts';
import { canHaveAmount, type Indexed, joinParts, type Occurrence } from './sourceIndex.ts';
import type { Token } from './tokens.ts';
import { instantOf, isSameValue, type Value } from './values.ts';

/** Values of one kind, of which an altered value is one by chance. */
const MOST_RARE = 12;

/** Whether a result has a token. @param stems of the words around it. @param rare kinds of `rareKinds`. */
export function isIn(
  result: Indexed,
  { stems, token, rare }: { stems: ReadonlySet<string>; token: Token; rare: ReadonlySet<string> },
): boolean {
  const { word, value } = token;
  if (value === undefined) return hasName(result, word.toLowerCase()) || hasJoined(result.joined, word);
  const values = value.kind === 'time' ? result.times : result.values;
  if (!canHaveAmount(result, value)) return false;
  const isNamed = (names: ReadonlySet<string>): boolean =>
    [...stems].some(
      (stem) => names.has(stem) || ABBREVIATED.some((length) => names.has(stem.slice(0, length))),
    );
  const isSame = (one: Occurrence): boolean =>
    isSameValue(value, one.value) ||
    (value.kind === 'number' && /^(?:count)?$/.test(value.measure) && isSameValue(value, one.written));
  if (isDistinctive(value))
    return values.some(
      (one) => isSame(one) || isWithoutUnit(value, one.value) || hasNoUnit(value, one, isNamed),
    );
  return values.some(
    (one) =>
      hasNoUnit(value, one, isNamed) ||
      (isSame(one) &&
        ((isZoned(value) && isZoned(one.value)) ||
          isRare(value, one.value, rare) ||
          isRare(value, one.written, rare) ||
          (isPlain(value, one.value) && isNamed(one.around)))),
  );
}

/** Whether a result has a number or time in any unit, also where no word shows that it is the same value. */
export function canHave(result: Indexed, value: Value): boolean {
  if (!canHaveAmount(result, value)) return false;
  return (value.kind === 'time' ? result.times : result.values).some(
    ({ value: named, written }) =>
      isSameValue(value, named) ||
      isSameValue(value, written) ||
      (value.kind === 'number' &&
        written.kind === 'number' &&
        Math.abs(value.number - written.number) <= value.half),
  );
}

/** Whether the results have few values of the kind of a stored one that equals a value. */
function isRare(value: Value, stored: Value, rare: ReadonlySet<string>): boolean {
  const [own, kind] = [measured(value), measured(stored)];
  if (!rare.has(kind)) return false;
  if (own === kind || value.kind === 'time') return own === kind;
  return kind === 'large' ? /size|count/.test(value.measure) : kind === 'clock' && own === 'time';
}

/** Letters of the words of a result that stand for longer ones: `req`, `conn`. */
const ABBREVIATED = [4, 3];

/** Whether a number with a unit stands in a result without one. */
const isWithoutUnit = (value: Value, other: Value): boolean =>
  value.kind === 'number' &&
  other.kind === 'number' &&
  value.measure !== '' &&
  other.measure === '' &&
  Math.abs(value.number - other.number) <= value.half;

/** Whether it stands so behind a key, or in a short line, with a word of its sentence. */
const hasNoUnit = (
  value: Value,
  { key, value: other }: Occurrence,
  isNamed: (names: ReadonlySet<string>) => boolean,
): boolean => isWithoutUnit(value, other) && isNamed(key);

/** A small number without a unit is the written one, or its thousands or thousandths: `30 connections` are not 30 s. */
const isPlain = (value: Value, other: Value): boolean =>
  value.kind !== 'number' ||
  other.kind !== 'number' ||
  value.measure !== '' ||
  other.measure === 'count' ||
  other.factors.length > 1 ||
  Math.abs(value.number - other.number) <= value.half;

/** Whether a name is a word of a text, or the start of one up to a hyphen: the name of a workload in that of its pod. */
const hasName = ({ words, parts }: Indexed, name: string): boolean =>
  words.has(name) ||
  parts.has(name) ||
  parts.has(`.${name}`) ||
  (name.length >= LONG_PART && /\d/.test(name) && parts.has(`-${name}`));

/** Characters of a part of a name that stands for the whole: `vmss000004`; and of `postgres` in `PostgreSQL`. */
const LONG_PART = 6;

/** The kind of a value: `size`, `time`, `share`, `clock`, or `large` for a number that can be bytes; empty for others. */
function measured(value: Value): string {
  if (value.kind === 'time') return 'clock';
  const { measure, number } = value;
  if (measure !== '') return measure === 'count' ? '' : measure;
  if (instantOf(value) !== undefined) return 'clock';
  if (number > 0 && number < 1) return 'share';
  return number >= MOST_SMALL ? 'large' : '';
}

/** The largest plain number that is no `large` one. */
const MOST_SMALL = 1_000_000;

/** The measures of which the results have few values. */
export function rareKinds(results: readonly Indexed[]): ReadonlySet<string> {
  const found = new Map<string, Set<string>>();
  for (const { value } of results.flatMap(({ values }) => values)) {
    const amounts = found.get(measured(value)) ?? new Set();
    amounts.add(amountOf(value).toPrecision(3));
    found.set(measured(value), amounts);
  }
  return new Set([...found].flatMap(([kind, { size }]) => (kind !== '' && size <= MOST_RARE ? [kind] : [])));
}

/** Whether a value is a time of day with its zone, which few texts have. */
const isZoned = (value: Value): boolean => value.kind === 'time' && value.form === 'zoned';

/** `OOM-killed` is `OOMKilled`, `time-outs` is `timeout`; a word with digits is a name, letter by letter. */
function hasJoined(joined: ReadonlySet<string>, word: string): boolean {
  const name = joinParts(word.toLowerCase());
  if (/\d/.test(name)) return false;
  if (joined.has(name) || (name.endsWith('s') && joined.has(name.slice(0, -1)))) return true;
  return name.length > LONG_PART + 2 && !/[-_.]/.test(word) && joined.has(name.slice(0, -2));
}
