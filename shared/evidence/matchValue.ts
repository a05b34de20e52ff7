// Whether a value or name of an analysis stands in the results.

import { createRarity, DISTINCTIVE, digitsOf, partOf } from './rarity.ts';
import { type Indexed, joinParts, type Occurrence } from './sourceIndex.ts';
import { instantOf, isSameValue, type NumberValue, type Value } from './values.ts';

/** Factors of the units that a key names: a number can stand in a result in any of them. */
const FACTORS: Readonly<Record<NumberValue['measure'], readonly number[]>> = {
  '': [],
  count: [1],
  share: [1, 100],
  time: [1e-9, 1e-6, 1e-3, 1, 60, 3600, 86_400],
  size: [1, 1e3, 1e6, 1e9, 1024, 1024 ** 2, 1024 ** 3],
};

/** The values of results by their size. */
export interface Lookup {
  /** The results that have a value beside one of the words, or where it cannot be by chance; the first of them. */
  findValue(value: Value, stems: ReadonlySet<string>): Indexed | undefined;
  /** Whether a result has such a value in any unit, also where no word shows that it is the same. */
  has(value: Value): boolean;
}

/** @param sources the results, and the alert as the last. */
export function createLookup(sources: readonly Indexed[]): Lookup {
  const order = new Map(sources.map((source, index) => [source, index]));
  const times: Occurrence[] = [];
  const numbers = new Map<number, Occurrence[]>();
  const values = sources.flatMap((source) => source.values);
  for (const one of values) {
    const { written } = one;
    if (written.kind === 'time' || instantOf(written) !== undefined) times.push(one);
    if (written.kind === 'time') continue;
    for (const amount of new Set([1, ...written.factors].map((factor) => written.number * factor))) {
      const part = partOf(amount);
      const known = numbers.get(part);
      if (known === undefined) numbers.set(part, [one]);
      else known.push(one);
    }
  }

  /** The values that can be equal to one, in any unit. */
  function* candidates(value: Value): Iterable<Occurrence> {
    if (value.kind === 'time' || value.measure === 'time' || instantOf(value) !== undefined) yield* times;
    if (value.kind === 'time') return;
    const parts = new Set<number>();
    for (const scale of [...scalesOf(value), ...value.factors]) {
      const [amount, half] = [
        value.number * scale,
        Math.max(value.half * scale, value.measure === '' ? 1 : 0),
      ];
      const last = partOf(amount + half);
      for (let part = partOf(amount - half); part <= last; part++) parts.add(part);
    }
    for (const part of parts) yield* numbers.get(part) ?? [];
  }

  const isRare = createRarity(values, times, numbers);
  const isFound = (
    value: Value,
    scales: readonly number[],
    one: Occurrence,
    stems: ReadonlySet<string>,
  ): boolean => {
    const { written, source } = one;
    const isWritten = isUnitless(value) && isSameValue(value, written);
    const named = isWritten ? written : source.readUnit(one);
    const isNamed = (names: ReadonlySet<string>): boolean => [...stems].some((stem) => names.has(stem));
    const isSame = isPlain(value, named) && (isWritten || isSameValue(value, named));
    const hasNoUnit = named.kind === 'number' && named.measure === '' && isInUnit(value, scales, named);
    if (!isSame && !hasNoUnit) return false;
    if (isRare(value, one, named)) return true;
    return isSame ? source.readAround(one).some(isNamed) : isNamed(source.readKey(one));
  };

  return {
    findValue(value, stems) {
      const scales = scalesOf(value);
      let best: Indexed | undefined;
      for (const one of candidates(value)) {
        const isEarlier = best === undefined || (order.get(one.source) ?? 0) < (order.get(best) ?? 0);
        if (isEarlier && isFound(value, scales, one, stems)) best = one.source;
      }
      return best;
    },
    has(value) {
      const scales = scalesOf(value);
      for (const one of candidates(value)) {
        const { written, source } = one;
        if (isSameValue(value, written) || isInUnit(value, scales, written)) return true;
        if (isSameValue(value, source.readUnit(one))) return true;
      }
      return false;
    },
  };
}

const isUnitless = (value: Value): boolean => value.kind === 'time' || /^(?:count)?$/.test(value.measure);

/** Whether a number with a unit equals another number, in any unit. */
const isInUnit = (value: Value, scales: readonly number[], other: Value): boolean =>
  value.kind === 'number' &&
  other.kind === 'number' &&
  value.measure !== '' &&
  scales.some((scale) => Math.abs(value.number * scale - other.number) <= value.half * scale);

/** Factors that convert a value to the units of its measure. */
const scalesOf = (value: Value): number[] =>
  value.kind === 'time'
    ? []
    : [1, ...value.factors.flatMap((factor) => FACTORS[value.measure].map((other) => factor / other))];

/** A number without a unit is the written one, or its thousands or thousandths: `30 connections` are not 30 s. */
const isPlain = (value: Value, other: Value): boolean =>
  value.kind !== 'number' ||
  other.kind !== 'number' ||
  value.measure !== '' ||
  other.measure === 'count' ||
  other.factors.length > 1 ||
  digitsOf(value) >= DISTINCTIVE ||
  Math.abs(value.number - other.number) <= value.half;

/** The first of the sources that has a name. */
export const findName = (sources: readonly Indexed[], word: string): Indexed | undefined =>
  sources.find(({ names }) => hasName(names, word.toLowerCase()));

/** Characters of a name that can have another ending: `postgres` is in `PostgreSQL`. */
const LONG_NAME = 8;

/** A word as written, or, without digits, with other signs and in the singular: `time-outs` is `timeout`. */
function hasName(names: ReadonlySet<string>, word: string): boolean {
  if (names.has(word)) return true;
  const name = joinParts(word);
  if (/\d/.test(name)) return false;
  if (names.has(name) || (name.endsWith('s') && names.has(name.slice(0, -1)))) return true;
  return name.length > LONG_NAME && names.has(name.slice(0, -2));
}
