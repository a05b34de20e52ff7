// Whether the alert's own condition was read again, and whether it holds. It decides on samples only: no data is no answer.

import { asArray, asObject, isObject, parseJson } from '../text/json.ts';
import { documentsOf } from './pointer.ts';

/** The result of a second reading. */
export type Symptom = 'never_true' | 'recovered' | 'true_now' | 'incomplete';

/** A stored result of a tool that yields states. */
interface Reading {
  /** JSON text of the call's arguments. */
  arguments: string;
  text: string;
}

type Labels = Readonly<Record<string, string>>;

/** Samples: milliseconds since 1970, and their numbers. */
interface Series {
  labels: Labels;
  samples: [number, number][];
}

/** A condition: a query, and the comparison that makes it true. */
interface Condition {
  /** Without white space. */
  query: string;
  /** As it is written. */
  written: string;
  /** `>`, `==`; absent where the query itself is true or false. */
  operator?: string;
  threshold: number;
}

/** Milliseconds before the start of the alert that a reading must cover. */
const BEFORE_MS = 300_000;
/** The longest step between samples, in milliseconds: a longer one can miss an alert. */
const MAX_STEP_MS = 300_000;
/** How old the newest sample can be, in milliseconds. */
const NOW_MS = 600_000;
const COMPARISON = /^([\s\S]*?)\s*(==|!=|>=|<=|>|<)\s*(bool\s+)?(-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)\s*$/i;
const MONITORING_OPERATORS: Record<string, string> = {
  COMPARISON_GT: '>',
  COMPARISON_GE: '>=',
  COMPARISON_LT: '<',
  COMPARISON_LE: '<=',
  COMPARISON_EQ: '==',
  COMPARISON_NE: '!=',
};

/**
 * Reads the second reading of an alert's condition out of the results.
 * @param alert its pages, of which Prometheus puts the expression into `g0.expr`, its text and its labels.
 * @param at its start, and now, in milliseconds since 1970.
 * @returns undefined where no result answers the alert's own expression or policy.
 */
export function readSymptom(
  alert: { urls: readonly string[]; text: string; labels: Labels },
  results: readonly Reading[],
  at: { start: number; now: number },
): Symptom | undefined {
  const outcomes = conditionsOf(alert).map((condition) =>
    worst(
      results.flatMap((result) => {
        const texts = textsIn(parseJson(result.arguments)).map(compact);
        return outcomeOf(condition, texts, result.text, { ...at, labels: alert.labels }) ?? [];
      }),
    ),
  );
  const found = worst(outcomes.flatMap((outcome) => outcome ?? []));
  // A condition that was not read can be true.
  return found === 'never_true' && outcomes.includes(undefined) ? 'incomplete' : found;
}

/** Whether an alert states its own condition, without which no reading can prove that all is well. */
export const statesCondition = (alert: { urls: readonly string[]; text: string }): boolean =>
  conditionsOf(alert).length > 0;

/** The first query of an alert's condition, without the comparison; undefined where its pages have none. */
export const queryOfAlert = (urls: readonly string[]): string | undefined =>
  conditionsOf({ urls, text: '' })[0]?.written;

/** The outcome that is the furthest from an all-clear; undefined without any. */
function worst(outcomes: readonly Symptom[]): Symptom | undefined {
  const order: Symptom[] = ['true_now', 'recovered', 'incomplete', 'never_true'];
  return order.find((outcome) => outcomes.includes(outcome));
}

/** The conditions that an alert states: the expressions in its URLs; only without one those of its text, which anyone can write. */
function conditionsOf({ urls, text }: { urls: readonly string[]; text: string }): Condition[] {
  const ofUrls = urls.flatMap((url) => (URL.canParse(url) ? [...new URL(url).searchParams] : []));
  const expressions = ofUrls.flatMap(([name, value]) => (/^g\d+\.expr$/.test(name) ? [value] : []));
  const quoted = [...text.matchAll(/"(?:expr|expression|query)"\s*:\s*("(?:[^"\\]|\\.)*")/g)];
  const written = quoted.flatMap(([, json = '']) => {
    const value = parseJson(json);
    return typeof value === 'string' ? [value] : [];
  });
  const policies = documentsOf(text).flatMap(thresholdsOf);
  const stated = expressions.length > 0 ? [] : [...written.map(conditionOf), ...policies];
  return [...expressions.map(conditionOf), ...stated].filter(({ query }) => query !== '');
}

function conditionOf(expression: string): Condition {
  const [, query = '', operator = '', isBool, threshold = ''] = COMPARISON.exec(expression) ?? [];
  if (operator === '' || isBool !== undefined)
    return { query: compact(expression), written: expression, threshold: 0 };
  return { query: compact(query), written: query, operator, threshold: Number(threshold) };
}

/** The thresholds of a policy of Cloud Monitoring, at any depth. */
function thresholdsOf(value: unknown): Condition[] {
  if (Array.isArray(value)) return value.flatMap(thresholdsOf);
  if (!isObject(value)) return [];
  const { filter, comparison, thresholdValue } = asObject(value.conditionThreshold);
  const operator = MONITORING_OPERATORS[String(comparison)];
  const own =
    typeof filter === 'string' && operator !== undefined
      ? [{ query: compact(filter), written: filter, operator, threshold: Number(thresholdValue ?? 0) }]
      : [];
  return [...own, ...Object.values(value).flatMap(thresholdsOf)];
}

const compact = (text: string): string => text.replace(/\s+/g, '');

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(textsIn);
}

function outcomeOf(
  { query, operator, threshold }: Condition,
  texts: readonly string[],
  text: string,
  { start, now, labels }: { start: number; now: number; labels: Labels },
): Symptom | undefined {
  const isValue = texts.includes(query);
  const whole = `${query}${operator ?? ''}${threshold}`;
  const isBool = operator !== undefined && texts.includes(`${query}${operator}bool${threshold}`);
  // A filter answers with samples only while it is true.
  const isFilter = operator !== undefined && texts.includes(whole);
  if (!isValue && !isBool && !isFilter) return undefined;
  const isTrue = (value: number): boolean => {
    if (isFilter) return true;
    return isBool || operator === undefined ? value !== 0 : isBeyond(value, operator, threshold);
  };
  const series = documentsOf(text)
    .flatMap(seriesOf)
    .filter(({ samples }) => samples.length > 0);
  if (series.length === 0) return 'incomplete';
  const truths = series.map(({ samples }) =>
    samples.map(([time, value]) => ({ time, isTrue: isTrue(value) })),
  );
  const isNow = truths.some((samples) => {
    const last = samples.at(-1);
    return last?.isTrue === true && last.time >= now - NOW_MS;
  });
  if (isNow) return 'true_now';
  const isOfAlert = series.some((one) => hasLabels(one, labels));
  const isWhole =
    !isFilter && isOfAlert && series.every(({ samples }) => coversTime(samples, start - BEFORE_MS, now));
  if (!isWhole) return 'incomplete';
  return truths.flat().some((sample) => sample.isTrue) ? 'recovered' : 'never_true';
}

function isBeyond(value: number, operator: string, threshold: number): boolean {
  switch (operator) {
    case '>':
      return value > threshold;
    case '>=':
      return value >= threshold;
    case '<':
      return value < threshold;
    case '<=':
      return value <= threshold;
    case '==':
      return value === threshold;
    default:
      return value !== threshold;
  }
}

/** Whether samples cover a time without a gap. */
function coversTime(samples: readonly [number, number][], from: number, to: number): boolean {
  const times = samples.map(([time]) => time);
  const steps = times.slice(1).map((time, index) => time - (times[index] ?? time));
  const step = Math.min(...steps);
  if (steps.length === 0 || step > MAX_STEP_MS || steps.some((one) => one > step * 1.5)) return false;
  return (times[0] ?? 0) <= from + step && (times.at(-1) ?? 0) >= to - NOW_MS;
}

/** Whether a series is that of the alert: they share a label, and no label differs. A series without labels is of every alert. */
function hasLabels({ labels }: Series, ofAlert: Labels): boolean {
  const shared = Object.entries(labels).filter(([name]) => Object.hasOwn(ofAlert, name));
  const isPlain = Object.keys(labels).length === 0;
  return (isPlain || shared.length > 0) && shared.every(([name, value]) => ofAlert[name] === value);
}

/** The series of a document, each in the order of time: `values` of Prometheus, `points` of Cloud Monitoring. */
function seriesOf(value: unknown): Series[] {
  if (Array.isArray(value)) return value.flatMap(seriesOf);
  if (typeof value === 'string' && value.startsWith('{')) return seriesOf(parseJson(value));
  if (!isObject(value)) return [];
  const { values, points, metric, resource } = value;
  const pairs = Array.isArray(values) ? values : Array.isArray(value.value) ? [value.value] : [];
  const samples = [
    ...pairs.map((pair): [number, number] => [Number(asArray(pair)[0]) * 1000, Number(asArray(pair)[1])]),
    ...asArray(points).map((point): [number, number] => {
      const { endTime } = asObject(asObject(point).interval);
      const [amount] = Object.values(asObject(asObject(point).value));
      return [Date.parse(String(endTime)), Number(amount)];
    }),
  ].filter((pair) => pair.every(Number.isFinite));
  const labels = [metric, asObject(metric).labels, asObject(resource).labels]
    .flatMap((one) => Object.entries(asObject(one)))
    .filter((entry): entry is [string, string] => typeof entry[1] === 'string' && entry[0] !== '__name__');
  if (samples.length > 0)
    return [{ labels: Object.fromEntries(labels), samples: samples.sort(([a], [b]) => a - b) }];
  return Object.values(value).flatMap(seriesOf);
}
