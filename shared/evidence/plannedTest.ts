// A test that was stated before its call: whether it counts, and whether it passed. Code compares, no model.

import { documentsOf, pointTo } from './pointer.ts';
import { findQuote, prepareQuote } from './quote.ts';
import { searchedText } from './searchText.ts';
import { tokensOf } from './tokens.ts';
import { isSameValue, type NumberValue, type Value } from './values.ts';

/** A test as an agent states it. */
export interface PlannedTest {
  id: string;
  /** The hypothesis that expects the comparison to hold. */
  hypothesis: string;
  /** The hypothesis that expects the opposite. */
  against: string;
  /** A text or JSON pointer in the result. */
  find: string;
  is: 'present' | 'absent' | 'above' | 'below' | 'equals';
  /** The value to compare with the one after `find`, or at the pointer. */
  value?: string | undefined;
}

/** The course of a session around a test. */
export interface TestCourse {
  /** The text of the result; undefined while there is none, and where no tool answered. */
  result: string | undefined;
  /** Whether the test was stated before its call was made. */
  isStatedFirst: boolean;
  /** Whether an equal call was answered before the test was stated. */
  isAnsweredEarlier: boolean;
  /** Texts that the agent was shown before it stated the test. */
  shown: readonly string[];
  /** Whether the two hypotheses have different causes that are not linked. */
  areRivals: boolean;
  /** The other tests. */
  others: readonly PlannedTest[];
}

/** The outcome of a test, with the reason of a void one. */
export type TestOutcome =
  | { outcome: 'passed' | 'failed' | 'unanswered' }
  | { outcome: 'void'; why: 'stated_late' | 'answered_earlier' | 'already_shown' | 'no_opposite' };

/** Decides a test. */
export function decideTest(test: PlannedTest, course: TestCourse): TestOutcome {
  const { result, isStatedFirst, isAnsweredEarlier, shown, areRivals, others } = course;
  if (!areRivals || others.some((other) => expectsTheSame(test, other))) {
    return { outcome: 'void', why: 'no_opposite' };
  }
  if (isAnsweredEarlier) return { outcome: 'void', why: 'answered_earlier' };
  if (test.is !== 'absent' && shown.some((text) => compareText(test, text) === true)) {
    return { outcome: 'void', why: 'already_shown' };
  }
  if (result === undefined) return { outcome: 'unanswered' };
  if (!isStatedFirst) return { outcome: 'void', why: 'stated_late' };
  const holds = compareText(test, result);
  if (holds === undefined) return { outcome: 'unanswered' };
  return { outcome: holds ? 'passed' : 'failed' };
}

/** Whether a test states for the rival that it expects the same. */
function expectsTheSame(test: PlannedTest, other: PlannedTest): boolean {
  return (
    other.hypothesis === test.against &&
    other.find === test.find &&
    other.is === test.is &&
    other.value === test.value
  );
}

/** Whether a text is as a test expects; undefined where it has no value to compare, or several that disagree. */
export function compareText(
  { find, is, value }: Pick<PlannedTest, 'find' | 'is' | 'value'>,
  text: string,
): boolean | undefined {
  if (is === 'present' || is === 'absent') {
    const isThere = find.startsWith('/')
      ? pointTo(documentsOf(text), find) !== undefined || isQuoted(find, text)
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
  const pointed = find.startsWith('/') ? pointTo(documentsOf(text), find) : undefined;
  if (pointed !== undefined) {
    const value = firstValue(String(pointed.value));
    return value === undefined ? [] : [value];
  }
  const searched = searchedText(text);
  return findQuote(prepareQuote(find), searched).flatMap(({ end }) => {
    const lineEnd = searched.text.indexOf('\n', end);
    const rest = searched.text.slice(end, lineEnd === -1 ? undefined : lineEnd);
    return tokensOf(rest).tokens.find((token) => token.value !== undefined)?.value ?? [];
  });
}

const firstValue = (text: string): Value | undefined =>
  tokensOf(text).tokens.find((token) => token.value !== undefined)?.value;

function compareValues(found: Value, is: 'above' | 'below' | 'equals', expected: Value): boolean | undefined {
  if (is === 'equals') return isSameValue(expected, found);
  const [a, b] = [amountOf(found, expected), amountOf(expected, found)];
  if (a === undefined || b === undefined) return undefined;
  return is === 'above' ? a > b : a < b;
}

/** The amount in base units; in those of the other value where this one has no unit. Undefined where they measure other things. */
function amountOf(value: Value, other: Value): number | undefined {
  if (value.kind !== other.kind) return undefined;
  if (value.kind === 'time') return value.ms;
  const { measure, number, factors } = value;
  const { measure: otherMeasure } = other as NumberValue;
  return measure === otherMeasure || measure === '' || otherMeasure === ''
    ? number * (factors[0] ?? 1)
    : undefined;
}
