// Finds the recorded answer to a call: exact arguments, else the nearest larger one, cut to the request.

import { isDeepStrictEqual } from 'node:util';
import { parseJson } from '../text/json.ts';

interface RecordedAnswer {
  arguments: Readonly<Record<string, unknown>>;
  text: string;
}

/** How a value of a parameter covers another, by the name of the parameter. */
type Cover = 'last' | 'first' | 'span' | 'start' | 'end';

const COVERS: readonly [Cover, RegExp][] = [
  ['last', /^(?:tail|tail_?lines|last)$/i],
  ['first', /^(?:limit|max|max_?results|max_?items|max_?lines|head|top|first|count|page_?size)$/i],
  ['span', /^(?:minutes|hours|seconds|days|since_?seconds|lookback|range|time_?range|window|duration)$/i],
  ['start', /^(?:start|from|since|after|start_?time)$/i],
  ['end', /^(?:end|to|until|before|end_?time)$/i],
];

const findCover = (name: string): Cover | undefined => COVERS.find(([, names]) => names.test(name))?.[0];

/** Whether a larger value of this parameter usually covers a smaller one: numbers of lines and times. */
export const isCovering = (name: string): boolean => findCover(name) !== undefined;

/**
 * The recorded answer to a call; undefined if there is none.
 * @param covers parameters of which a larger recorded value covers a smaller one. A call that leaves one out
 * takes any value.
 * @param at the end of time ranges without one.
 * @param nth how often these arguments were asked for before: recorded calls with equal arguments answer in
 *   their order, and the last of them answers all later ones.
 */
export function findAnswer<A extends RecordedAnswer>(
  recorded: readonly A[],
  asked: Readonly<Record<string, unknown>>,
  { covers, at, nth = 0 }: { covers: readonly string[]; at: Date; nth?: number },
): { answer: A; text: string } | undefined {
  const exact = recorded.filter((one) => isSameArgument(one.arguments, asked));
  const own = exact[Math.min(nth, exact.length - 1)];
  if (own !== undefined) return { answer: own, text: own.text };
  const wider = recorded.flatMap((answer) => {
    const text = cutTo(answer, asked, covers, at);
    return text === undefined ? [] : [{ answer, text }];
  });
  return wider.toSorted((a, b) => a.answer.text.length - b.answer.text.length)[0];
}

/** Equal arguments: in any order, numbers also as texts, without white space around texts. */
function isSameArgument(one: RecordedAnswer['arguments'], other: RecordedAnswer['arguments']): boolean {
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => isEqualArgument(one[name], other[name]))
  );
}

const isEqualArgument = (one: unknown, other: unknown): boolean =>
  isDeepStrictEqual(plain(one), plain(other));

const plain = (value: unknown): unknown =>
  typeof value === 'object' && value !== null
    ? value
    : value === undefined
      ? undefined
      : String(value).trim();

/** The part of a recorded answer that a call asks for; undefined if it is not contained, or cannot be cut. */
function cutTo(
  recorded: RecordedAnswer,
  asked: RecordedAnswer['arguments'],
  covers: readonly string[],
  at: Date,
): string | undefined {
  let text: string | undefined = recorded.text;
  for (const name of new Set([...Object.keys(recorded.arguments), ...Object.keys(asked)])) {
    const [has, wants] = [recorded.arguments[name], asked[name]];
    if (isEqualArgument(has, wants)) continue;
    if (!covers.includes(name)) return undefined;
    if (wants === undefined) continue;
    text = cutBy(name, has, wants, text, at);
    if (text === undefined) return undefined;
  }
  return text;
}

function cutBy(name: string, has: unknown, wants: unknown, text: string, at: Date): string | undefined {
  const cover = findCover(name) ?? 'span';
  const [recorded, asked] = [parseAmount(has, at), parseAmount(wants, at)];
  if (asked === undefined) return undefined;
  if (cover === 'last' || cover === 'first') {
    const lines = splitAnswerLines(text);
    if (lines === undefined || (recorded ?? lines.all.length) < asked) return undefined;
    return lines.join(cover === 'last' ? lines.all.slice(-asked) : lines.all.slice(0, asked));
  }
  if (recorded === undefined) return undefined;
  if (cover === 'end') return asked <= recorded ? withinTimes(text, -Infinity, asked, at) : undefined;
  // Of a start, the earlier one covers the later one; a span and a start like `1h` count back from the end.
  const isTime = cover === 'start' && Number.isNaN(parseSpanSeconds(wants));
  if (isTime && !Number.isNaN(parseSpanSeconds(has))) return undefined;
  if (isTime) return recorded <= asked ? withinTimes(text, asked, Infinity, at) : undefined;
  if (!(parseSpanSeconds(wants) <= parseSpanSeconds(has))) return undefined;
  const unit = { minutes: 60, hours: 3_600, days: 86_400 }[name.toLowerCase()] ?? 1;
  return withinTimes(text, at.getTime() - parseSpanSeconds(wants) * unit * 1_000, Infinity, at);
}

/** Larger numbers are times since 1970, in seconds or milliseconds. */
const EPOCH_FROM = 1e8;

/** A span in seconds, or in the unit of its parameter; NaN for a time. */
function parseSpanSeconds(value: unknown): number {
  if (Number(value) >= EPOCH_FROM) return Number.NaN;
  const found = /^\s*(\d+(?:\.\d+)?)\s*(s|m|h|d|)\s*$/.exec(String(value));
  if (found === null) return Number.NaN;
  return Number(found[1]) * ({ s: 1, m: 60, h: 3_600, d: 86_400 }[found[2] ?? ''] ?? 1);
}

/** A number, a span, or a time in milliseconds. */
function parseAmount(value: unknown, at: Date): number | undefined {
  const span = parseSpanSeconds(value);
  if (!Number.isNaN(span)) return span;
  const epoch = Number(value);
  if (epoch >= EPOCH_FROM) return epoch < 1e11 ? epoch * 1_000 : epoch;
  const time = value === 'now' ? at.getTime() : Date.parse(String(value));
  return Number.isNaN(time) ? undefined : time;
}

/** The lines of a text, or the entries of a JSON array; undefined for other JSON, which cannot be cut. */
function splitAnswerLines(text: string) {
  const json = /^\s*[[{]/.test(text) ? parseJson(text) : undefined;
  if (json === undefined)
    return { all: text.trimEnd().split('\n') as unknown[], join: (some: unknown[]) => some.join('\n') };
  return Array.isArray(json) ? { all: json, join: (some: unknown[]) => JSON.stringify(some) } : undefined;
}

const STAMP = /\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?/;
const CLOCK = /^\W*(\d\d):(\d\d)(?::(\d\d))?\b/;

/** The lines whose first time is in a range; lines without a time stay. Undefined for JSON. */
function withinTimes(text: string, from: number, to: number, at: Date): string | undefined {
  if (/^\s*[[{]/.test(text) && parseJson(text) !== undefined) return undefined;
  const isWithin = (line: string) => {
    const time = parseLineTime(line, at);
    return time === undefined || (time >= from && time <= to);
  };
  const kept = text.split('\n').filter(isWithin).join('\n');
  return kept.trim() === '' ? 'No data.' : kept;
}

function parseLineTime(line: string, at: Date): number | undefined {
  const stamp = STAMP.exec(line)?.[0].replace(' ', 'T');
  if (stamp !== undefined) {
    const time = Date.parse(/(?:Z|[+-]\d\d:?\d\d)$/.test(stamp) ? stamp : `${stamp}Z`);
    return Number.isNaN(time) ? undefined : time;
  }
  const clock = CLOCK.exec(line);
  if (clock === null) return undefined;
  const [hours = 0, minutes = 0, seconds = 0] = clock.slice(1).map((one) => Number(one ?? 0));
  const time = new Date(at).setUTCHours(hours, minutes, seconds, 0);
  // A clock time later than the end is of the day before.
  return time > at.getTime() + 60_000 ? time - 86_400_000 : time;
}
