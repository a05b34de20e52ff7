// Whether results hold so few values of one size that another value of it does not stand there by chance.

import { DISTINCTIVE, digitsOf, toBaseAmount } from './derivedNumbers.ts';
import { makeOnce, type Occurrence } from './sourceIndex.ts';
import { toInstant, type Value } from './values.ts';

/** The share of all values of one size above which an altered one stands in the results by chance. */
const MOST_BY_CHANCE = 0.1;
/** Values of one kind, of which an altered value is one by chance. */
const MOST_OF_KIND = 12;
/** Parts of a decade of numbers that are looked up together. */
const PARTS = 500;

/** The amounts of a part of a decade, and the values that have them. */
export interface SizePart {
  amounts: number[];
  ones: Occurrence[];
}

/** Whether a stored value with its unit is one of few of its kind, or of its size with other digits. */
type Rarity = (value: Value, stored: Occurrence, named: Value) => boolean;

/**
 * @param times those of the values that are times.
 * @param numbers the others, by `decadePart`.
 */
export function createRarity(
  values: readonly Occurrence[],
  times: readonly Occurrence[],
  numbers: ReadonlyMap<number, SizePart>,
): Rarity {
  const kinds = makeOnce(() => {
    const found = new Map<string, Set<string>>();
    for (const one of values) {
      const unit = one.source.readUnit(one);
      const amounts = found.get(valueKind(unit)) ?? new Set();
      if (amounts.size <= MOST_OF_KIND) amounts.add(toBaseAmount(unit).toPrecision(3));
      found.set(valueKind(unit), amounts);
    }
    return found;
  });
  const known = new Map<string, boolean>();
  function isRare(value: Value, { written }: Occurrence, named: Value): boolean {
    if (isExact(value, written)) return true;
    const kind = valueKind(named);
    if (kind !== '' && (kinds().get(kind)?.size ?? 0) <= MOST_OF_KIND) return true;
    const digits = digitsOf(value);
    const decade = written.kind === 'time' ? kind : Math.floor(Math.log10(Math.abs(written.number)));
    const key = `${decade} ${digits}`;
    const isFew = known.get(key) ?? areFew(decade, digits);
    known.set(key, isFew);
    return isFew;
  }
  function areFew(decade: number | string, digits: number): boolean {
    const found = new Set<number>();
    if (typeof decade === 'string') {
      if (digits >= DISTINCTIVE) return true;
      for (const { written } of times)
        found.add(Math.floor(((toInstant(written) ?? toBaseAmount(written) * 1000) / 60_000) % 1440));
      return found.size <= 1440 * MOST_BY_CHANCE;
    }
    const most = 0.9 * 10 ** digits * MOST_BY_CHANCE;
    for (let part = decade * PARTS; part < (decade + 1) * PARTS; part++)
      for (const { written } of numbers.get(part)?.ones ?? []) {
        if (written.kind === 'number') found.add(Math.round(written.number / 10 ** (decade + 1 - digits)));
        if (found.size > most) return false;
      }
    return Number.isFinite(decade);
  }

  return isRare;
}

/** Whether a number with many digits is one in a unit, to its last digit: `4294967296` is 4 GiB. */
const isExact = (value: Value, written: Value): boolean =>
  value.kind === 'number' &&
  written.kind === 'number' &&
  digitsOf(written) >= DISTINCTIVE &&
  value.factors.some((factor) => value.number * factor === written.number);

/** The smallest amount with a part of its own. */
const SMALLEST = 1e-9;

/** The part of its decade that an amount is in. */
export const decadePart = (amount: number): number =>
  Math.floor(Math.log10(Math.max(amount, SMALLEST)) * PARTS);

/** The kind of a value: its measure, `share` also for a number below one, `clock`; empty for others. */
function valueKind(value: Value): string {
  if (value.kind === 'time' || toInstant(value) !== undefined) return 'clock';
  if (value.measure === '' && value.number > 0 && value.number < 1) return 'share';
  return value.measure === 'count' ? '' : value.measure;
}
