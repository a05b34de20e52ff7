// Whether a value or name of an analysis stands in the results.

import { DISTINCTIVE, digitsOf } from './derivedNumbers.ts';
import { createRarity, decadePart, type SizePart } from './rarity.ts';
import { type Indexed, joinParts, makeOnce, type Occurrence } from './sourceIndex.ts';
import { isSameValue, type NumberValue, toInstant, type Value } from './values.ts';

/** Factors of the units that a key names: a number can stand in a result in any of them. */
const FACTORS: Readonly<Record<NumberValue['measure'], readonly number[]>> = {
  '': [],
  count: [1],
  share: [1, 100],
  time: [1e-9, 1e-6, 1e-3, 1, 60, 3600, 86_400],
  size: [1, 1e3, 1e6, 1e9, 1024, 1024 ** 2, 1024 ** 3],
};

/** The values of results by their size. */
interface Lookup {
  /** The results with a value beside one of the words, or where it cannot be chance; the first of them. */
  findValue(value: Value, stems: ReadonlySet<string>): Indexed | undefined;
  /** Whether a result has such a value in any unit, also where no word shows that it is the same. */
  has(value: Value): boolean;
}

/** @param sources the results, and the alert as the last. */
export function createLookup(sources: readonly Indexed[]): Lookup {
  const order = new Map(sources.map((source, index) => [source, index]));
  const values = sources.flatMap((source) => source.values);
  const times = values.filter(({ written }) => written.kind === 'time' || toInstant(written) !== undefined);
  const seconds = bySecond(times);
  const numbers = byPart(values);

  /** The values that can be equal to one, in any unit. */
  function* candidates(value: Value): Iterable<Occurrence> {
    for (const second of secondsNear(value, seconds)) yield* seconds.get(second) ?? [];
    if (value.kind === 'time') return;
    for (const scale of new Set([...listUnitScales(value), ...value.factors])) {
      const amount = value.number * scale;
      const half = Math.max(value.half * scale, value.measure === '' ? 1 : 0) + CLOSE * Math.abs(amount);
      const last = decadePart(amount + half);
      for (let part = decadePart(amount - half); part <= last; part++) {
        const { amounts, ones } = numbers.get(part) ?? NONE;
        for (let at = 0; at < amounts.length; at++)
          if (Math.abs((amounts[at] as number) - amount) <= half) yield ones[at] as Occurrence;
      }
    }
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
      const scales = listUnitScales(value);
      let best: Indexed | undefined;
      for (const one of candidates(value)) {
        const isEarlier = best === undefined || (order.get(one.source) ?? 0) < (order.get(best) ?? 0);
        if (isEarlier && isFound(value, scales, one, stems)) best = one.source;
      }
      return best;
    },
    has(value) {
      const scales = listUnitScales(value);
      for (const one of candidates(value)) {
        const { written, source } = one;
        if (isSameValue(value, written) || isInUnit(value, scales, written)) return true;
        if (isSameValue(value, source.readUnit(one))) return true;
      }
      return false;
    },
  };
}

/** Wider than the comparison of two amounts. */
const CLOSE = 1e-6;
const NONE: SizePart = { amounts: [], ones: [] };

function byPart(values: readonly Occurrence[]): Map<number, SizePart> {
  const parts = new Map<number, SizePart>();
  const add = (amount: number, one: Occurrence): void => {
    const part = decadePart(amount);
    const known = parts.get(part);
    if (known === undefined) parts.set(part, { amounts: [amount], ones: [one] });
    else {
      known.amounts.push(amount);
      known.ones.push(one);
    }
  };
  for (const one of values) {
    const { written } = one;
    if (written.kind === 'time') continue;
    const { number, factors } = written;
    if (!factors.includes(1)) add(number, one);
    for (const factor of factors) add(number * factor, one);
  }
  return parts;
}

/** Times by the second of the day, in both zones where one has an offset. */
function bySecond(times: readonly Occurrence[]): Map<number, Occurrence[]> {
  const seconds = new Map<number, Occurrence[]>();
  const add = (second: number, one: Occurrence): void => {
    const known = seconds.get(second);
    if (known === undefined) seconds.set(second, [one]);
    else known.push(one);
  };
  for (const one of times) {
    const { written } = one;
    const ms = written.kind === 'time' ? written.ms : (toInstant(written) ?? 0);
    add(secondInDay(ms), one);
    if (written.kind === 'time' && written.offset !== 0) add(secondInDay(ms + written.offset), one);
  }
  return seconds;
}

const DAY_SECONDS = 86_400;
const secondInDay = (ms: number): number =>
  ((Math.floor(ms / 1000) % DAY_SECONDS) + DAY_SECONDS) % DAY_SECONDS;

/**
 * The seconds of the day of times that can be equal to a value: of a time, of a number since 1970, of a
 * duration as a clock.
 * @param known the seconds that times have.
 */
function* secondsNear(value: Value, known: ReadonlyMap<number, unknown>): Iterable<number> {
  let [ms, near] = [toInstant(value), 1000];
  if (value.kind === 'time') {
    const isDate = value.form === 'date' || value.form === 'monthday';
    [ms, near] = [value.ms, isDate ? DAY_SECONDS * 1000 : value.unit];
  } else if (value.measure === 'time') {
    const [factor = 1] = value.factors;
    [ms, near] = [value.number * factor * 1000, 2 * value.half * factor * 1000];
  }
  if (ms === undefined) return;
  const first = Math.floor((ms - near) / 1000);
  const last = Math.floor((ms + near) / 1000);
  if (last - first >= known.size) yield* known.keys();
  else for (let second = first; second <= last; second++) yield secondInDay(second * 1000);
}

const isUnitless = (value: Value): boolean => value.kind === 'time' || /^(?:count)?$/.test(value.measure);

/** Whether a number with a unit equals another number, in any unit. */
const isInUnit = (value: Value, scales: readonly number[], other: Value): boolean =>
  value.kind === 'number' &&
  other.kind === 'number' &&
  value.measure !== '' &&
  scales.some((scale) => Math.abs(value.number * scale - other.number) <= value.half * scale);

/** Factors that convert a value to the units of its measure. */
const listUnitScales = (value: Value): number[] =>
  value.kind === 'time'
    ? []
    : [1, ...value.factors.flatMap((factor) => FACTORS[value.measure].map((other) => factor / other))];

/** A number without unit is as written, or its thousands or thousandths: `30 connections` are not 30 s. */
const isPlain = (value: Value, other: Value): boolean =>
  value.kind !== 'number' ||
  other.kind !== 'number' ||
  value.measure !== '' ||
  other.measure === 'count' ||
  other.factors.length > 1 ||
  digitsOf(value) >= DISTINCTIVE ||
  Math.abs(value.number - other.number) <= value.half;

/** Finds the results that have a word or a number of a sentence, given as the results write names. */
export type Find = (name: string) => readonly Indexed[];

/** @param results without the alert. */
export function createFind(results: readonly Indexed[]): Find {
  const values = makeOnce(() => {
    const [numbers, seconds] = [new Map<number, Set<Indexed>>(), new Map<number, Set<Indexed>>()];
    for (const one of results.flatMap((result) => result.values)) {
      const { written, source } = one;
      const [known, key] =
        written.kind === 'number'
          ? [numbers, written.number]
          : [seconds, secondInDay(written.ms + written.offset)];
      const having = known.get(key);
      if (having === undefined) known.set(key, new Set([source]));
      else having.add(source);
    }
    return { numbers, seconds };
  });
  const find: Find = (name) => {
    const [, hour, minute, second] = /^(\d\d):(\d\d):(\d\d)$/.exec(name) ?? [];
    const time = Number(hour) * 3600 + Number(minute) * 60 + Number(second);
    const having = hour === undefined ? values().numbers.get(Number(name)) : values().seconds.get(time);
    return having === undefined ? results.filter(({ names }) => names.has(name)) : [...having];
  };
  const known = new Map<string, readonly Indexed[]>();
  return (name) => {
    const found = known.get(name) ?? find(name);
    known.set(name, found);
    return found;
  };
}

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
