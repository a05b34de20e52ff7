// Whether the alert's condition was read again, and holds. Only samples decide: no data is no answer.

import { parseJson } from '../text/json.ts';
import { type Condition, compact, parseStatedConditions } from './condition.ts';
import { parseTextDocuments } from './documents.ts';
import { type Labels, readDocumentSeries, type Series } from './series.ts';

type Symptom = 'never_true' | 'recovered' | 'true_now' | 'incomplete';

/** A stored result of a tool that yields states. */
interface Reading {
  /** JSON text of the call's arguments. */
  arguments: string;
  text: string;
}

/** Milliseconds before the start of the alert that a reading must cover. */
const BEFORE_MS = 300_000;
/** The longest step between samples, in milliseconds: a longer one can miss an alert. */
const MAX_STEP_MS = 300_000;
/** How old the newest sample can be, in milliseconds. */
const NOW_MS = 600_000;

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
  const outcomes = parseStatedConditions(alert).map((condition) =>
    worst(
      results.flatMap((result) => {
        const texts = textsIn(parseJson(result.arguments)).map(compact);
        return decideSymptomOutcome(condition, texts, result.text, { ...at, labels: alert.labels }) ?? [];
      }),
    ),
  );
  const found = worst(outcomes.flatMap((outcome) => outcome ?? []));
  // A condition that was not read can be true.
  return found === 'never_true' && outcomes.includes(undefined) ? 'incomplete' : found;
}

/** Whether an alert states its own condition, without which no reading can prove that all is well. */
export const statesCondition = (alert: { urls: readonly string[]; text: string }): boolean =>
  parseStatedConditions(alert).length > 0;

/** The first query of an alert's condition, without the comparison; undefined where its pages have none. */
export const queryOfAlert = (urls: readonly string[]): string | undefined =>
  parseStatedConditions({ urls, text: '' })[0]?.written;

/** The outcome that is the furthest from an all-clear; undefined without any. */
function worst(outcomes: readonly Symptom[]): Symptom | undefined {
  const order: Symptom[] = ['true_now', 'recovered', 'incomplete', 'never_true'];
  return order.find((outcome) => outcomes.includes(outcome));
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(textsIn);
}

function decideSymptomOutcome(
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
  const series = parseTextDocuments(text)
    .flatMap(readDocumentSeries)
    .map((one) => ({ ...one, samples: one.samples.filter(([, value]) => Number.isFinite(value)) }))
    .filter(({ samples }) => samples.length > 0);
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
function coversTime(samples: Series['samples'], from: number, to: number): boolean {
  const times = samples.map(([time]) => time);
  const steps = times.slice(1).map((time, index) => time - (times[index] ?? time));
  const step = Math.min(...steps);
  if (step > MAX_STEP_MS || steps.some((one) => one > step * 1.5)) return false;
  return (times[0] ?? 0) <= from + step && (times.at(-1) ?? 0) >= to - NOW_MS;
}

/** Whether a series is the alert's: a shared label, no different one. Without labels it always is. */
function hasLabels({ labels }: Series, ofAlert: Labels): boolean {
  const shared = Object.entries(labels).filter(([name]) => Object.hasOwn(ofAlert, name));
  const isPlain = Object.keys(labels).length === 0;
  return (isPlain || shared.length > 0) && shared.every(([name, value]) => ofAlert[name] === value);
}
