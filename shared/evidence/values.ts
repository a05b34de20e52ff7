// Numbers with units and times, as they are written in results and in quotes, and when two of them are equal.

import { MONTHS } from '../text/times.ts';

/** A number, or a point in time. */
export type Value = NumberValue | TimeValue;

/** A number with its unit. */
export interface NumberValue {
  kind: 'number';
  /** As written, without its unit. */
  number: number;
  /** Half a unit of the last written digit, as written. */
  half: number;
  /** The measure of its unit; empty without one. */
  measure: '' | 'size' | 'time' | 'share' | 'count';
  /** Factors to bytes, seconds, per cent or one. Several where the unit has several meanings (`512M`). */
  factors: readonly number[];
}

interface TimeValue {
  kind: 'time';
  /** Milliseconds since 1970, or since midnight for a time of day. */
  ms: number;
  /** The last written unit, in milliseconds: 60,000 for `09:31`. */
  unit: number;
  /**
   * `clock` for a time of day, `zoned` for one with a zone; `date` for a date without a time; `yearless` and
   * `monthday` for those without a year, whose year is 1970.
   */
  form: 'instant' | 'yearless' | 'clock' | 'zoned' | 'date' | 'monthday';
  /** The offset of its zone, in milliseconds; 0 where none is written. */
  offset: number;
}

/** Milliseconds of a day. */
const DAY = 86_400_000;
const KI = 1024;

type Unit = readonly [words: string, measure: NumberValue['measure'], factors: readonly number[]];

/** Longer words stand before their beginnings. */
const UNITS: readonly Unit[] = [
  ['%|percentage points?|percent|per cent', 'share', [1]],
  ['nanoseconds?|ns', 'time', [1e-9]],
  ['microseconds?|us|µs|μs', 'time', [1e-6]],
  ['milliseconds?|msec|ms', 'time', [1e-3]],
  ['minutes?|mins?', 'time', [60]],
  ['seconds?|secs?|s', 'time', [1]],
  ['hours?|hrs?|h', 'time', [3600]],
  ['days?|d', 'time', [86_400]],
  ['weeks?|w', 'time', [604_800]],
  ['bytes?|B', 'size', [1]],
  // Of 1,024 bytes in the messages of Linux.
  ['kB|KB', 'size', [1e3, KI]],
  // Of 1,024 bytes in Elasticsearch.
  ['kb', 'size', [1e3, KI]],
  ['mb', 'size', [1e6, KI ** 2]],
  ['gb', 'size', [1e9, KI ** 3]],
  ['tb', 'size', [1e12, KI ** 4]],
  ['MB', 'size', [1e6]],
  ['GB', 'size', [1e9]],
  ['TB', 'size', [1e12]],
  ['KiB?', 'size', [KI]],
  ['MiB?', 'size', [KI ** 2]],
  ['GiB?', 'size', [KI ** 3]],
  ['TiB?', 'size', [KI ** 4]],
  ['thousand', 'count', [1e3]],
  ['million|mio|mn', 'count', [1e6]],
  ['billion|bn', 'count', [1e9]],
  // Bytes in the output of df, thousands in a count.
  ['k|K', 'count', [1e3, KI]],
  ['M', 'count', [1e6, KI ** 2]],
  ['G', 'count', [1e9, KI ** 3]],
  ['T', 'count', [1e12, KI ** 4]],
  // Minutes, or thousandths of a processor.
  ['m', 'time', [60, 1e-3]],
];
const UNIT_WORDS = UNITS.map(([words]) => words).join('|');
const END = String.raw`(?![\p{L}\p{N}_]|[-.:][\p{L}\p{N}_])`;
const GROUPS = String.raw`(?<![\p{L}\p{N}_],)\d{1,3}(?:[,'\u00a0\u2009\u202f]\d{3})+(?!,?\d)`;
const DIGITS = String.raw`(?:${GROUPS}|\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,3}))?`;
const DURATION_WORD = '(?:d(?:ays?)?|h(?:ours?|rs?)?|m(?:in(?:ute)?s?)?|s(?:ec(?:ond)?s?)?)(?![A-Za-z])';
const COMPOUND = String.raw`(?:\d+w)?(?:\d+d)?(?:\d+h)?(?:\d+m)?(?:\d+(?:\.\d+)?s)?`;

/** A number with an optional unit, from the position of `lastIndex`. */
const NUMBER = new RegExp(`(${DIGITS})(?:[ \\u00a0\\u202f]?(${UNIT_WORDS}))?${END}`, 'uy');
/** `1m30s`, `1h 5m` or `1 hour 5 minutes`, of at least two parts; `PT1H5M`. */
const DURATION = new RegExp(
  [
    `(?=\\d+[wdhm]\\d)${COMPOUND}${END}`,
    `(?:\\d+ ?${DURATION_WORD}(?:,? (?:and )?)){1,4}\\d+(?:\\.\\d+)? ?${DURATION_WORD}${END}`,
    `P(?=T?\\d)(?:\\d+D)?(?:T(?:\\d+H)?(?:\\d+M)?(?:\\d+(?:\\.\\d+)?S)?)?${END}`,
  ].join('|'),
  'uy',
);

const NUMERALS = 'two three four five six seven eight nine ten eleven twelve'.split(' ');
/** `two weeks`. */
const SPELLED_OUT = new RegExp(`(${NUMERALS.join('|')})(?= (?:second|minute|hour|day|week)s\\b)`, 'iuy');

/** Of a digit, a numeral, or `PT1H`. */
const NUMBER_START = /[\dPtfsen]/i;

/** The number at a position of a text, with the end of its text. Undefined where none starts. */
export function numberAt(text: string, at: number): { value: NumberValue; end: number } | undefined {
  if (!NUMBER_START.test(text.charAt(at))) return undefined;
  return durationAt(text, at) ?? spelledOutAt(text, at) ?? digitsAt(text, at);
}

/** Of the parts of a duration. */
const SECONDS: Readonly<Record<string, number>> = { w: 604_800, d: 86_400, h: 3600, m: 60, s: 1 };

function durationAt(text: string, at: number): { value: NumberValue; end: number } | undefined {
  DURATION.lastIndex = at;
  const duration = DURATION.exec(text)?.[0];
  if (duration === undefined || duration === '') return undefined;
  const parts = [...duration.matchAll(/(\d+(?:\.\d+)?) ?([wdhms])/gi)].map(
    ([, digits, unit = 's']) => [Number(digits), SECONDS[unit.toLowerCase()] ?? 1] as const,
  );
  // `32 days, 768 h` are two of one length.
  if (parts.some(([amount, unit], index) => index > 0 && amount * unit > (parts[index - 1]?.[1] ?? 0)))
    return undefined;
  const number = parts.reduce((sum, [amount, unit]) => sum + amount * unit, 0);
  const half = (parts.at(-1)?.[1] ?? 1) / 2;
  return {
    value: { kind: 'number', number, half, measure: 'time', factors: [1] },
    end: at + duration.length,
  };
}

function spelledOutAt(text: string, at: number): { value: NumberValue; end: number } | undefined {
  SPELLED_OUT.lastIndex = at;
  const spelled = SPELLED_OUT.exec(text)?.[0];
  if (spelled === undefined) return undefined;
  const digits = String(NUMERALS.indexOf(spelled.toLowerCase()) + 2);
  const rest = numberAt(`${digits}${text.slice(at + spelled.length, at + spelled.length + 10)}`, 0);
  return rest && { value: rest.value, end: at + spelled.length + rest.end - digits.length };
}

function digitsAt(text: string, at: number): { value: NumberValue; end: number } | undefined {
  NUMBER.lastIndex = at;
  const match = NUMBER.exec(text);
  if (match === null) return undefined;
  const [whole, digits = '', decimals = '', exponent = '0', unit = ''] = match;
  const [, measure, factors] = UNIT_FORMS.get(unit) ?? NO_UNIT;
  const value: NumberValue = {
    kind: 'number',
    number: Number(digits.replace(/[,'\u00a0\u2009\u202f]/g, '')),
    half: 0.5 * 10 ** (Number(exponent) - decimals.length),
    measure,
    factors,
  };
  return { value, end: at + whole.length };
}

const NO_UNIT: Unit = ['', '', [1]];
/** Units by each of their words. */
const UNIT_FORMS = new Map(
  UNITS.flatMap((unit) =>
    unit[0]
      .split('|')
      .flatMap((word) => [word.replace(/.\?$/, ''), word.replace('?', '')])
      .map((form) => [form, unit] as const),
  ),
);

const NAME = `(?<name>${MONTHS.join('|')})`;
/** `November`, `Nov`. */
const LONG_NAME =
  '(?<name>Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)(?:uary|ruary|ch|il|e|y|ust|t|tember|ober|ember)?';
const [YEAR, MONTH, DAY_OF_MONTH] = [
  '(?<year>(?:19|20)\\d\\d)',
  '(?<month>0[1-9]|1[0-2])',
  '(?<day>0[1-9]|[12]\\d|3[01])',
];
const CLOCK = String.raw`(?<hour>[01]?\d|2[0-3]):(?<minute>[0-5]\d)(?::(?<second>[0-5]\d)(?:(?:\.|,(?=\d{3}(?![\d.,])))(?<fraction>\d{1,9}))?)?`;
const ZONE = String.raw`(?: ?(?<zone>Z|UTC|GMT|[+-]\d\d:?\d\d))?`;
const WEEKDAY = '(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? +)?';

/** Forms of a date with a time, and of a time of day. */
const TIMES: readonly RegExp[] = [
  String.raw`(?<year>\d{4})[-/](?<month>\d\d)[-/](?<day>\d\d)[T ]{1,2}${CLOCK}${ZONE}`,
  `${WEEKDAY}(?<day>\\d{1,2}) ${NAME} (?<year>\\d{4}) ${CLOCK}${ZONE}`,
  `(?<day>\\d{1,2})/${NAME}/(?<year>\\d{4}):${CLOCK}${ZONE}`,
  `${WEEKDAY}${NAME} {1,2}(?<day>\\d{1,2}) ${CLOCK} (?<year>\\d{4})${ZONE}`,
  `${NAME} {1,2}(?<day>\\d{1,2}) ${CLOCK}`,
  `${CLOCK}(?: ?(?<half>[AaPp])\\.?[Mm]\\b\\.?)?${ZONE}`,
  `${YEAR}-${MONTH}-${DAY_OF_MONTH}(?![-/])`,
  `${WEEKDAY}(?<day>\\d{1,2})(?:st|nd|rd|th)? ${LONG_NAME}(?:,? (?<year>\\d{4}))?(?! \\d)`,
  `${WEEKDAY}${LONG_NAME} (?<day>\\d{1,2})(?:st|nd|rd|th)?(?:,? (?<year>\\d{4}))?(?! \\d)`,
].map((form) => new RegExp(`${form}(?![\\p{L}\\p{N}_]|[.:]\\d)`, 'uy'));
/** The start of a time: its first two parts, or the name of a day or month. */
const TIME_START =
  /\d{1,4}[-/:]\d|\d{1,2}(?:st|nd|rd|th)? ?[/ ][A-Z]|\d{1,2}\/[A-Z]|(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun|Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)/y;

/** The time at a position of a text, with the end of its text. Undefined where none starts. */
export function timeAt(text: string, at: number): { value: TimeValue; end: number } | undefined {
  TIME_START.lastIndex = at;
  if (!TIME_START.test(text)) return undefined;
  for (const form of TIMES) {
    form.lastIndex = at;
    const match = form.exec(text);
    if (match !== null) return { value: parseTimeValue(match.groups ?? {}), end: at + match[0].length };
  }
  return undefined;
}

function parseTimeValue(groups: Record<string, string | undefined>): TimeValue {
  const { year, month, day, name, hour, minute, second, fraction, zone, half } = groups;
  const hours = half === undefined ? Number(hour ?? 0) : (Number(hour) % 12) + (/p/i.test(half) ? 12 : 0);
  const seconds = hours * 3600 + Number(minute ?? 0) * 60 + Number(second ?? 0);
  const clock = seconds * 1000 + Number(`0.${fraction ?? 0}`) * 1000;
  const unit = second === undefined ? 60_000 : 1000 / 10 ** (fraction?.length ?? 0);
  if (day === undefined) {
    const form = zone === undefined ? 'clock' : 'zoned';
    return { kind: 'time', ms: clock - parseZoneOffset(zone), unit, form, offset: 0 };
  }
  const monthIndex = name === undefined ? Number(month) - 1 : MONTHS.indexOf(name);
  const date = Date.UTC(Number(year ?? 1970), monthIndex, Number(day));
  const offset = parseZoneOffset(zone);
  if (hour === undefined) {
    return { kind: 'time', ms: date, unit: DAY, form: year === undefined ? 'monthday' : 'date', offset };
  }
  const form = year === undefined ? 'yearless' : 'instant';
  return { kind: 'time', ms: date + clock - offset, unit, form, offset };
}

function parseZoneOffset(zone: string | undefined): number {
  const [, sign, hours, minutes] = /^([+-])(\d\d):?(\d\d)$/.exec(zone ?? '') ?? [];
  const offset = (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * 60_000;
  return sign === '-' ? -offset : offset;
}

/**
 * Whether a quoted value is the stored one: equal amounts, within half a unit of the last quoted digit; a
 * time also where its smaller units were left out. A stored value without a unit is in bytes, seconds, per
 * cent or a share of one.
 */
export function isSameValue(quoted: Value, stored: Value): boolean {
  if (quoted.kind === 'number') {
    if (stored.kind === 'number') return isSameNumber(quoted, stored);
    if (stored.form === 'clock' && quoted.measure === 'time') {
      const [factor = 1] = quoted.factors;
      return isWithinRounding(stored.ms / 1000 - quoted.number * factor, 2 * quoted.half * factor);
    }
    const ms = epochMs(quoted);
    return stored.form === 'instant' && ms !== undefined && isWithinRounding(stored.ms - ms, 1000);
  }
  if (stored.kind === 'time') return isSameTime(quoted, stored);
  const ms = epochMs(stored);
  return ms !== undefined && isSameTime(quoted, { ...quoted, ms, form: 'instant', offset: 0 });
}

function isSameNumber(quoted: NumberValue, stored: NumberValue): boolean {
  // An amount of base units was rounded to a whole one.
  const isRounded = quoted.measure === '' && stored.measure !== '' && quoted.half >= 0.5;
  const isShare = quoted.measure === 'share' && stored.measure === '';
  // Loops: a long session compares millions of numbers.
  for (const factor of quoted.factors) {
    const amount = quoted.number * factor;
    const half = Math.max(quoted.half * factor, isRounded ? 1 : 0);
    if (isShare && isClose(amount, stored.number * 100, half)) {
      if (stored.half < 0.5) return true;
      continue;
    }
    if (!areComparable(quoted, stored)) continue;
    for (const other of stored.factors) if (isClose(amount, stored.number * other, half)) return true;
  }
  return false;
}

const isClose = (amount: number, other: number, half: number): boolean =>
  Math.abs(amount - other) <= half + 1e-9 * Math.max(Math.abs(amount), Math.abs(other));

/** A missing unit can be any; `512M` can be bytes. */
function areComparable(a: NumberValue, b: NumberValue): boolean {
  if (a.measure === b.measure || a.measure === '' || b.measure === '') return true;
  return (a.measure === 'count' && b.measure === 'size') || (a.measure === 'size' && b.measure === 'count');
}

function isSameTime(quoted: TimeValue, stored: TimeValue): boolean {
  const { form } = quoted;
  if (form === 'date' || form === 'monthday') {
    if (stored.form === 'clock' || stored.form === 'zoned') return false;
    const isShort = form === 'monthday' || stored.form === 'yearless' || stored.form === 'monthday';
    const [date, other] = [quoted, stored].map((one) => (isShort ? withoutYear(one) : one.ms)) as [
      number,
      number,
    ];
    return [other, other + stored.offset].some((ms) => ms >= date && ms < date + DAY);
  }
  if (form === 'clock' || form === 'zoned') {
    if (stored.unit === DAY) return false;
    const time = dayTime(quoted.ms);
    if (isWithinRounding(dayTime(stored.ms) - time, quoted.unit)) return true;
    return form === 'clock' && isWithinRounding(dayTime(stored.ms + stored.offset) - time, quoted.unit);
  }
  if (stored.form === 'clock' || stored.form === 'zoned' || stored.unit === DAY) return false;
  if (form === stored.form) return isWithinRounding(stored.ms - quoted.ms, quoted.unit);
  return isWithinRounding(withoutYear(stored) - withoutYear(quoted), quoted.unit);
}

function withoutYear({ ms }: TimeValue): number {
  return new Date(ms).setUTCFullYear(1970);
}

/** Milliseconds since midnight. */
const dayTime = (ms: number): number => ((ms % DAY) + DAY) % DAY;

/** Whether a stored time is within a quoted unit, or rounds to it. */
const isWithinRounding = (difference: number, unit: number): boolean =>
  difference >= -unit / 2 && difference < unit;

/** A number of today's seconds, milliseconds, microseconds or nanoseconds since 1970. */
function epochMs({ number, measure }: NumberValue): number | undefined {
  if (measure !== '' || number < 1e9) return undefined;
  for (const factor of [1000, 1, 1e-3, 1e-6]) {
    const ms = number * factor;
    if (ms >= 1e12 && ms < 4e12) return ms;
  }
  return undefined;
}

/** The time of a value since 1970, in milliseconds; undefined where it is none. */
export function toInstant(value: Value): number | undefined {
  if (value.kind === 'number') return epochMs(value);
  return value.form === 'instant' ? value.ms : undefined;
}
