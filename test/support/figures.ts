// Reads the figures and times in a text, with their units, so that `256Mi` and `256 MiB`, or `6h` and `6 hours`, are equal.

/** A figure or a time of day, and where it stands. */
export interface Value {
  kind: 'figure' | 'time';
  text: string;
  start: number;
  end: number;
  /** As written. */
  number: number;
  /** Digits after the point. */
  decimals: number;
  /** What its unit measures; empty without a unit. */
  measures: string;
  /** In bytes, seconds, per cent or euros, or as written without a unit. */
  base: number;
}

type Unit = [words: string, measures: string, factor: number];

const UNITS: Unit[] = [
  ['%|per cent', 'share', 1],
  ['€|EUR|euros?', 'money', 1],
  ['ms|milliseconds?', 'time', 0.001],
  ['s|seconds?', 'time', 1],
  ['m|min|minutes?', 'time', 60],
  ['h|hours?', 'time', 3600],
  ['d|days?', 'time', 86_400],
  ['bytes?|B', 'size', 1],
  ['kB', 'size', 1e3],
  ['MB', 'size', 1e6],
  ['GB', 'size', 1e9],
  ['KiB?', 'size', 1024],
  ['MiB?', 'size', 1024 ** 2],
  ['GiB?', 'size', 1024 ** 3],
];
const UNIT = `(?:${UNITS.map(([words]) => words).join('|')})(?![A-Za-z0-9])`;

const NUMBER_WORDS = [
  'two',
  'three',
  'four',
  'five',
  'six',
  'seven',
  'eight',
  'nine',
  'ten',
  'eleven',
  'twelve',
];
/** Number words count with a unit only: whether `three pods` are three, a reader sees in a list. */
const WORDED = `(?:${NUMBER_WORDS.join('|')})(?=[ -]${UNIT})`;
const DIGITS = String.raw`(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?`;
/** In `192 of 200 GB` and `95 to 246 MiB` the unit belongs to both figures. */
const SHARED_UNIT = `(?= (?:of|to) ${DIGITS} ?(${UNIT}))`;
const FIGURE = new RegExp(
  String.raw`(?<![\w.:-])(${DIGITS}|${WORDED})(?:[\s-]?(${UNIT})|${SHARED_UNIT}|(?![\w:]|\.\d|-\d|,\d))`,
  'g',
);
const TIME = /(?<![\d:.-])(\d{1,2}):(\d{2})(?::(\d{2}))?(?![\d:])/g;

/** The figures of a text, in its order. Parts of times, dates, versions and names are none, nor are the numbers of a list. */
export function figuresIn(text: string): Value[] {
  const isListNumber = ({ index, 1: digits = '' }: RegExpExecArray): boolean =>
    /(?:^|\n) *$/.test(text.slice(0, index)) && text.startsWith('. ', index + digits.length);
  const matches = [...text.matchAll(FIGURE)].filter((match) => !isListNumber(match));
  return matches.map((match) => {
    const [whole, digits = '', own, shared] = match;
    const word = NUMBER_WORDS.indexOf(digits);
    const number = word >= 0 ? word + 2 : Number(digits.replaceAll(',', ''));
    const [, measures = '', factor = 1] = UNITS.find(([words]) => isOneOf(words, own ?? shared)) ?? [];
    return {
      kind: 'figure',
      text: whole,
      start: match.index,
      end: match.index + whole.length,
      number,
      decimals: digits.split('.')[1]?.length ?? 0,
      measures,
      base: number * factor,
    };
  });
}

/** The times of day in a text, in its order. */
export function timesIn(text: string): Value[] {
  return [...text.matchAll(TIME)].map((match) => {
    const [whole, hours, minutes, seconds = 0] = match;
    const base = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
    const place = { text: whole, start: match.index, end: match.index + whole.length };
    return { kind: 'time', ...place, number: base, decimals: 0, measures: 'time', base };
  });
}

/** Whether a figure is among those shown. Without a unit it may stand there with any; a share may stand there as a ratio. */
export function figureIsShown(figure: Value, shown: readonly Value[]): boolean {
  return shown.some(
    (other) =>
      sameFigure(figure, other) ||
      (figure.measures === '' && figure.number === other.number) ||
      (figure.measures === 'share' && other.measures === '' && isClose(figure.number, other.number * 100)),
  );
}

/** Whether two figures are the same amount of the same thing. */
export function sameFigure(a: Value, b: Value): boolean {
  return a.kind === b.kind && a.measures === b.measures && isClose(a.base, b.base);
}

const isClose = (a: number, b: number): boolean =>
  Math.abs(a - b) <= 1e-9 * Math.max(Math.abs(a), Math.abs(b));

const isOneOf = (words: string, word: string | undefined): boolean =>
  word !== undefined && new RegExp(`^(?:${words})$`).test(word);
