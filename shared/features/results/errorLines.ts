// The first line of each kind of error in a text, with how often that kind occurs.

import { quoteText } from '../../text/cut.ts';
import { type ErrorSign, errorSign, toLineShape } from '../../text/largeText/errorShape.ts';
import { runAllSteps } from '../../text/yieldingSteps.ts';
import { walkLines } from './lines.ts';

/** Characters of a line that are compared and can be shown. */
const MAX_EXCERPT = 400;
/** Characters before the first sign of an error that are part of it. */
const BEFORE_SIGN = 160;
/** A line of fewer characters carries no information: `err`. */
const SHORTEST = 4;
/** Maximum number of kinds, and of lines compared with them. Further lines are only counted. */
const MAX_KINDS = 500;
const MAX_COMPARED = 100_000;

/** A kind of error line. */
export interface ErrorKind {
  /** The severity that the sign of an error implies. */
  level: ErrorSign['level'];
  /** The number of its first line. */
  line: number;
  /** Offset of that line in the text. */
  start: number;
  /** The first line, at most 400 characters of it. */
  excerpt: string;
  /** How many lines are of this kind. */
  count: number;
}

/** The result of `findErrors`. */
interface FoundErrors {
  /** In the order of their first lines. */
  kinds: ErrorKind[];
  /** Lines that look like errors and are counted with none of these kinds. */
  others: number;
  /** Number of character reads. Proves that the work grows only with the text. */
  steps: number;
}

/** Characters that are read in a step. */
const STEP = 128 * 1024;

/** The kinds of error lines of a text. @internal */
export const findErrors = (text: string): FoundErrors => runAllSteps(errorSteps(text));

/** Finds the kinds of error lines of a text in steps of some milliseconds. */
export function* errorSteps(text: string): Generator<undefined, FoundErrors> {
  const kinds = new Map<string, ErrorKind>();
  let others = 0;
  let compared = 0;
  let steps = 0;
  const read = (start: number, end: number, number: number): void => {
    steps += end - start + 1;
    if (end - start < SHORTEST) return;
    const line = text.slice(start, end);
    const sign = errorSign(line);
    if (sign === undefined) return;
    if (++compared > MAX_COMPARED) {
      others++;
      return;
    }
    const whole = cutErrorExcerpt(line, sign.at);
    steps += whole.length;
    const shape = toLineShape(whole);
    const known = kinds.get(shape);
    if (known !== undefined) known.count++;
    else if (kinds.size >= MAX_KINDS) others++;
    else kinds.set(shape, { level: sign.level, line: number, start, excerpt: whole, count: 1 });
  };
  let from = { start: 0, number: 0 };
  while (from.start < text.length) {
    const stepEnd = from.start + STEP;
    walkLines(
      text,
      ({ start, end, number }) => {
        read(start, end, number);
        from = { start: text[end] === '\n' ? end + 1 : end, number };
        return end < stepEnd;
      },
      from,
    );
    if (from.start < text.length) yield undefined;
  }
  return { kinds: [...kinds.values()], others, steps };
}

function cutErrorExcerpt(line: string, at: number): string {
  const from = at > BEFORE_SIGN ? at - BEFORE_SIGN : 0;
  const prefix = from === 0 ? '' : '…';
  return prefix + quoteText(line.slice(from).trimEnd(), MAX_EXCERPT).toWellFormed();
}
