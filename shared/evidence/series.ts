// Series of samples in JSON: vectors and matrices of Prometheus, and time series of Cloud Monitoring.

import { asArray, asObject, isObject, parseJson } from '../text/json.ts';

/** Names and values. */
export type Labels = Readonly<Record<string, string>>;

/** A sample: milliseconds since 1970, and its number; NaN where the answer has no number. */
type Sample = readonly [ms: number, value: number];

/** The samples of one combination of labels. */
export interface Series {
  /** The metric; absent where the answer does not name it. */
  metric?: string;
  labels: Labels;
  /** As Cloud Monitoring writes it: `By`, `s`. */
  unit?: string;
  /** In the order of time. */
  samples: readonly Sample[];
}

/** A larger time is in milliseconds: in seconds it would be after the year 5000. */
const MAX_SECONDS = 1e11;
const INFINITE: Readonly<Record<string, number>> = { '+Inf': Infinity, Inf: Infinity, '-Inf': -Infinity };

/** Answers within the texts of an MCP result have some ten levels. */
const MAX_DEPTH = 20;

/** Series of a document: `values` or `value` (Prometheus), `points` (Cloud Monitoring). Times only. */
export const readDocumentSeries = (document: unknown): Series[] => seriesWithin(document, 0);

function seriesWithin(value: unknown, depth: number): Series[] {
  const readInner = (inner: unknown) => seriesWithin(inner, depth + 1);
  if (depth > MAX_DEPTH) return [];
  if (Array.isArray(value)) return value.flatMap(readInner);
  if (typeof value === 'string' && value.startsWith('{')) return readInner(parseJson(value));
  if (!isObject(value)) return [];
  const { values, points, metric, resource, unit } = value;
  const pairs = Array.isArray(values) ? values : Array.isArray(value.value) ? [value.value] : [];
  const samples = [...pairs.map(readSamplePair), ...asArray(points).map(readPoint)].filter(([ms]) =>
    Number.isFinite(ms),
  );
  if (samples.length === 0) return Object.values(value).flatMap(readInner);
  const labels = [metric, asObject(metric).labels, asObject(resource).labels]
    .flatMap((one) => Object.entries(asObject(one)))
    .filter((entry): entry is [string, string] => typeof entry[1] === 'string' && entry[0] !== '__name__');
  const { __name__, type } = asObject(metric);
  const name = __name__ ?? (points === undefined ? undefined : type);
  return [
    {
      ...(typeof name === 'string' && { metric: name }),
      labels: Object.fromEntries(labels),
      ...(typeof unit === 'string' && { unit }),
      samples: samples.sort(([a], [b]) => a - b),
    },
  ];
}

function readSamplePair(pair: unknown): Sample {
  const [time, value] = asArray(pair);
  const at = parseSampleNumber(time);
  return [at > MAX_SECONDS ? at : at * 1000, parseSampleNumber(value)];
}

function readPoint(point: unknown): Sample {
  const { interval, value } = asObject(point);
  const [amount] = Object.values(asObject(value));
  return [Date.parse(String(asObject(interval).endTime)), parseSampleNumber(amount)];
}

function parseSampleNumber(value: unknown): number {
  if (typeof value === 'string') return INFINITE[value] ?? (value.trim() === '' ? Number.NaN : Number(value));
  return typeof value === 'number' || typeof value === 'boolean' ? Number(value) : Number.NaN;
}
