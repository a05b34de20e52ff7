// Units of metrics, and values with their unit as text. Pure.

import { durationText, numberText } from '../../model/format.ts';

const UNITS: Readonly<Record<string, string>> = {
  bytes: 'B',
  seconds: 's',
  milliseconds: 'ms',
  ms: 'ms',
  percent: '%',
  ratio: 'ratio',
};

/** The unit at a metric name's end; '' for times or without. @param functions Around the metric. */
export function unitOfMetric(metric: string, functions: readonly string[] = []): string {
  if (/(?:time|timestamp|expiry)_seconds$|_(?:count|bucket)$/.test(metric)) return '';
  const [, word = ''] = /_([a-z]+?)(?:_total|_sum)?$/.exec(metric) ?? [];
  const unit = UNITS[word] ?? '';
  if (!functions.includes('rate')) return unit;
  // Seconds of work in each second are a share of it.
  return unit === 's' || unit === 'ms' ? '' : `${unit}/s`;
}

/** A unit as Cloud Monitoring writes it: `By`, `10^2.%`, `{request}/s`. */
export function unitOfMonitoring(written: string): string {
  const known: Record<string, string> = { By: 'B', 'By/s': 'B/s', '10^2.%': 'ratio', '1': '' };
  return known[written] ?? written.replace(/[{}]/g, '').slice(0, 20);
}

const PREFIXES = ['', 'k', 'M', 'G', 'T', 'P'];

/** Significant digits, four unless more are asked for, with separators. */
function digitsText(value: number, digits: number): string {
  const size = Math.abs(value);
  if (size !== 0 && (size >= 1e15 || size < 1e-6)) return value.toExponential(digits - 1);
  return size >= 1_000
    ? numberText(Math.round(value * 100) / 100)
    : String(Number(value.toPrecision(digits)));
}

/**
 * A value with its unit: `251 MB`, `250 ms`, `1,204`. NaN and infinite values as Prometheus writes them.
 * @param digits Significant digits below 1,000. Default: 4.
 */
export function amountText(value: number, unit: string, digits = 4): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf';
  if (unit === 'ratio') return `${digitsText(value * 100, digits)} %`;
  if (unit === 'B' || unit === 'B/s') {
    const step = Math.min(PREFIXES.length - 1, Math.floor(Math.log10(Math.max(1, Math.abs(value))) / 3));
    return `${digitsText(value / 1_000 ** step, digits)} ${PREFIXES[step]}${unit}`;
  }
  if (unit === 's' && value !== 0 && Math.abs(value) < 1) return `${digitsText(value * 1_000, digits)} ms`;
  if (unit === 's' && value >= 120) return durationText(value * 1_000);
  return unit === ''
    ? digitsText(value, digits)
    : `${digitsText(value, digits)}${unit.startsWith('/') ? '' : ' '}${unit}`;
}

const MOST_DIGITS = 12;

/** Values with their unit, in so many digits that no two different ones read the same. */
export function amountTexts(values: readonly number[], unit: string): string[] {
  for (let digits = 4; ; digits++) {
    const texts = values.map((value) => amountText(value, unit, digits));
    if (digits === MOST_DIGITS || new Set(texts).size === texts.length) return texts;
  }
}
