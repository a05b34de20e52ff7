// The numbers of an analysis that follow from others in it. Pure.

import type { NumberValue, Value } from './values.ts';

/** Digits of a number that is in few places by chance. */
export const DISTINCTIVE = 4;
/** Numbers of a paragraph from which others are derived. */
const MAX_OPERANDS = 14;

/** Behind a ratio: `42 times as much`. */
const IS_RATIO = /^ ?(?:times|x|×) (?:(?:as|more|the)\b|\w+er\b)/;

/** Behind a difference: `80 more than`. */
const IS_MORE = /^ (?:more|less|fewer) than\b/;

/** A number of an analysis, by its place. */
interface Placed {
  start: number;
  end: number;
  state: string;
}

/** Whether neither a result nor the alert is known to have a value. */
export function isMissing({ state }: { state: string }): boolean {
  return state === 'absent' || state === 'unchecked';
}

/** The digits of a number that are not zeros of its end; a time has all. */
export function digitsOf(value: Value): number {
  if (value.kind === 'time') return value.unit === 60_000 ? 3 : 5;
  return (value.number / (value.half * 2)).toFixed(0).replace(/0+$/, '').length;
}

/** Marks the numbers that follow from held numbers of their paragraph. */
export function deriveNumbers(
  text: string,
  values: readonly Placed[],
  numbers: ReadonlyMap<Placed, Value>,
): void {
  for (const one of values) {
    const value = numbers.get(one);
    if (!isMissing(one) || value?.kind !== 'number') continue;
    const before = text.slice(Math.max(0, one.start - 12), one.start);
    const isSpelledOut = /=\s*(?:about\s*|~\s*|≈\s*)?$/.test(before);
    const isChange = /\bby $/.test(before) || IS_MORE.test(text.slice(one.end, one.end + 15));
    const isRatio = IS_RATIO.test(text.slice(one.end, one.end + 15));
    if (!isSpelledOut && !isChange && !isRatio && digitsOf(value) < DISTINCTIVE && value.measure === '')
      continue;
    const from = text.lastIndexOf('\n\n', one.start);
    const end = text.indexOf('\n\n', one.end);
    const operands = values
      .filter(
        (other) =>
          other !== one && !isMissing(other) && other.start > from && (end === -1 || other.end < end),
      )
      .sort((a, b) => Math.abs(a.start - one.start) - Math.abs(b.start - one.start))
      .slice(0, MAX_OPERANDS)
      .flatMap((other) => numbers.get(other) ?? []);
    if (followsFrom(value, operands, isSpelledOut)) one.state = 'derived';
  }
}

/** Whether a number is the same in another unit, or a sum, difference, ratio, percentage, spelled product. */
function followsFrom(value: NumberValue, operands: readonly Value[], isSpelledOut: boolean): boolean {
  const factor = value.factors[0] ?? 1;
  const isResult = (result: number, measure: NumberValue['measure']): boolean => {
    const isOther = measure !== value.measure && value.measure !== '' && measure !== '';
    if (!Number.isFinite(result) || (isOther && !(measure === 'count' && value.measure === 'size')))
      return false;
    const scale = measure === '' ? 1 : factor;
    return Math.abs(Math.abs(result) / scale - value.number) <= value.half * 1.001;
  };
  return operands.some(
    (a, index) =>
      isResult(toBaseAmount(a), valueMeasure(a)) ||
      operands.some((b, other) => {
        if (index === other) return false;
        const [x, y] = [toBaseAmount(a), toBaseAmount(b)];
        const measure = a.kind === 'time' ? 'time' : a.measure;
        if (valueMeasure(a) !== valueMeasure(b))
          return isSpelledOut && (isResult(x / y, valueMeasure(a)) || isResult(x * y, valueMeasure(a)));
        if (isResult(x - y, measure) || (a.kind === 'number' && isResult(x + y, measure))) return true;
        if (a.kind === 'time') return false;
        const ratio = x / y;
        if (value.measure === 'share')
          return isResult(ratio * 100, 'share') || isResult((ratio - 1) * 100, 'share');
        return value.measure === '' && (isResult(ratio, '') || (isSpelledOut && isResult(x * y, measure)));
      }),
  );
}

const valueMeasure = (value: Value): NumberValue['measure'] =>
  value.kind === 'time' ? 'time' : value.measure;

/** In base units, seconds for a time. */
export function toBaseAmount(value: Value): number {
  return value.kind === 'time' ? value.ms / 1000 : value.number * (value.factors[0] ?? 1);
}
