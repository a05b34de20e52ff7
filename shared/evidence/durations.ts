// Durations between two times of the results.

import { roughHalf } from './readValue.ts';
import { type Indexed, makeOnce } from './sourceIndex.ts';
import { type NumberValue, toInstant, type Value } from './values.ts';

/** Behind a duration between any two times: `two minutes earlier`. */
const RELATIVE = /^ (?:earlier|later|before|after|apart|behind)\b/;
/** Times that are compared with each other, and those near each other. */
const MOST_TIMES = 200;
const NEAR = 4;
/** Times of which few are as far from each other as a duration by chance. */
const FEW_TIMES = 24;
const SECOND = 1000;

/** Whether a value follows from two of a result. @param behind the text behind it. */
type Distances = (value: Value, behind: string) => boolean;

/** Prepares the distances of results. */
export function createDurations(results: readonly Indexed[]): Distances {
  const times = makeOnce(() => results.map(listResultTimes));
  const all = makeOnce(() => [...new Set(times().flat())]);
  return (value, behind) => {
    if (value.kind !== 'number' || value.measure !== 'time') return false;
    const isAny = RELATIVE.test(behind);
    const groups = isAny && all().length <= FEW_TIMES ? [all()] : times();
    return groups.some((one) => hasDuration(one, value, isAny));
  };
}

/** The times of a result, in the order of the text. */
const listResultTimes = ({ values }: Indexed): number[] =>
  [
    ...new Set(
      values.flatMap(
        ({ written: one }) =>
          toInstant(one) ?? (one.kind === 'time' && one.form === 'yearless' ? one.ms : []),
      ),
    ),
  ].slice(0, MOST_TIMES);

/** Whether two times, any or near each other, differ by a duration. Parts of a unit are ignored. */
function hasDuration(times: readonly number[], value: NumberValue, isAny: boolean): boolean {
  const [factor = 1] = value.factors;
  const [ms, half] = [value.number, roughHalf(value)].map((one) => one * factor * SECOND) as [number, number];
  const near = times.length <= FEW_TIMES ? NEAR : 1;
  const isSame = (a: number, b: number, unit: number): boolean => {
    const more = Math.abs(Math.floor(a / unit) - Math.floor(b / unit)) * unit - ms;
    return more > -half && more < 2 * half;
  };
  return times.some((a, index) => {
    const end = isAny ? times.length : Math.min(times.length, index + 1 + near);
    for (let at = index + 1; at < end; at++)
      if (isSame(a, times[at] as number, SECOND) || isSame(a, times[at] as number, 1)) return true;
    return false;
  });
}
