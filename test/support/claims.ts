// Finds what a text states as fact (figures, times, names) and does not find in what its writer was shown.
// A figure that was computed has to be spelled out, such as `200 GB − 192 GB = 8 GB`: the sum is checked, and its parts.

import { figureIsShown, figuresIn, sameFigure, timesIn, type Value } from './figures.ts';

/**
 * The claims of `text` that do not occur in `shown`, as they are written; wrong sums too.
 * @param knownNames plain words that are names of resources, such as `payments`; other names are known by their form
 */
export function unsupportedClaims(text: string, shown: string, knownNames: readonly string[] = []): string[] {
  const figures = figuresIn(shown);
  const isShown = (value: Value) =>
    value.kind === 'time' ? occurs(value.text, shown) : figureIsShown(value, figures);
  const values = [...figuresIn(text), ...timesIn(text)].sort((a, b) => a.start - b.start);
  const computed = new Map(sumsIn(text, values).map((sum) => [sum.result, sum]));

  const faults = values.flatMap((value) => {
    const sum = computed.get(value);
    if (sum !== undefined) return isRight(sum) ? [] : [`${sum.text} is wrong`];
    const repeated = [...computed.keys()].some((result) => sameFigure(value, result));
    return repeated || isShown(value) ? [] : [value.text];
  });
  const names = namesIn(text, knownNames).filter((name) => !occurs(name, shown));
  return [...new Set([...faults, ...names])];
}

/** Whether `word` stands in `text`, not as a part of a longer word. Dates and times may be parts of a timestamp. */
function occurs(word: string, text: string): boolean {
  const part = /^\d+[:-]/.test(word) ? '[0-9]' : '[A-Za-z0-9]';
  return new RegExp(`(?<!${part})${word.replaceAll('.', '\\.')}(?!${part})`, 'i').test(text);
}

/** Dates, and letters with digits, underscores, capitals inside, dots between letters, or a region: `x2kqp`, `get_logs`, `eu-west`. */
const NAME_FORM =
  /^\d{4}-\d{2}-\d{2}$|_|(?=.*\d)(?=.*[A-Za-z])|[a-z][A-Z]|[A-Z]{2}[a-z]|[a-z]\.[a-z]|\d\.\d+\.\d|^[a-z]{2}-(?:east|west|north|south|central)/;
/** Figures with their unit, and units alone. */
const NO_NAME = /^[\d.,]*(?:[kKMGT]i?B?|ms|s|m|h|d)$/;

/** The names of resources, hosts, versions, settings and tools in a text. */
function namesIn(text: string, knownNames: readonly string[]): string[] {
  const words = text.match(/[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?/g) ?? [];
  const formed = words.filter((word) => NAME_FORM.test(word) && !NO_NAME.test(word));
  return [...formed, ...knownNames.filter((name) => occurs(name, text))];
}

interface Sum {
  operands: Value[];
  operators: string[];
  result: Value;
  text: string;
}

/** Between a figure and an operator: what is counted, and per what. */
const COUNTED = `(?: [a-z]+)?(?: (?:an?|per) [a-z]+)?`;
const OPERATOR = new RegExp(`^${COUNTED} ([+−×÷]) $`);
const EQUALS = new RegExp(`^${COUNTED} = (?:about )?$`);

/** The sums in a text: values with an operator between them, then an equals sign and the result. */
function sumsIn(text: string, values: readonly Value[]): Sum[] {
  const sums: Sum[] = [];
  let operands: Value[] = [];
  let operators: string[] = [];
  for (const [index, value] of values.entries()) {
    const next = values[index + 1];
    const between = text.slice(value.end, next?.start).replace(/\s+/g, ' ');
    operands.push(value);
    const operator = OPERATOR.exec(between)?.[1];
    if (next !== undefined && operator !== undefined) {
      operators.push(operator);
      continue;
    }
    if (next !== undefined && operators.length > 0 && EQUALS.test(between)) {
      const start = operands[0]?.start ?? value.start;
      sums.push({ operands, operators, result: next, text: text.slice(start, next.end) });
    }
    operands = [];
    operators = [];
  }
  return sums;
}

/** Whether a sum is right to the last digit that its result shows, in the units as written or in base units. */
function isRight({ operands, operators, result }: Sum): boolean {
  const written = compute(
    operands.map(({ number }) => number),
    operators,
  );
  const inBaseUnits = compute(
    operands.map(({ base }) => base),
    operators,
  );
  const half = 0.5 * 10 ** -result.decimals * 1.001;
  return (
    Math.abs(written - result.number) <= half ||
    Math.abs(inBaseUnits - result.base) <= half * (result.base / result.number)
  );
}

/** From left to right, products before sums. */
function compute(numbers: readonly number[], operators: readonly string[]): number {
  const [first = Number.NaN, ...others] = numbers;
  const terms = [first];
  for (const [index, number] of others.entries()) {
    const operator = operators[index];
    if (operator === '+') terms.push(number);
    else if (operator === '−') terms.push(-number);
    else terms.push((terms.pop() ?? Number.NaN) * (operator === '×' ? number : 1 / number));
  }
  return terms.reduce((sum, term) => sum + term, 0);
}
