// Places of samples in a chart, and its grid. Pure. Shares are 0 (left, bottom) to 1.

import type { ChartSeries } from './sampleSet.ts';

/** A part of an axis. */
export interface Span {
  from: number;
  to: number;
}

/** The size of the drawing, in units of its paths. */
export const [WIDTH, HEIGHT] = [1_000, 100];

/** A line breaks where samples are missing: after so many usual steps. */
const GAP_STEPS = 3;
/** Marks beside the samples widen the axis by this share at most. */
const NEAR = 0.25;
/** A threshold that is further away than so many spans of the values is not drawn. */
const FAR = 3;

/** The share of a value in a span. */
export const shareIn = ({ from, to }: Span, value: number): number => (value - from) / (to - from);

/** The times of all series, in order, without repetitions. */
export function listSampleTimes(series: readonly ChartSeries[]): number[] {
  return [...new Set(series.flatMap(({ samples }) => samples.map(([ms]) => ms)))].sort((a, b) => a - b);
}

/** The axis of time, up to the alert where that is near. @param times In order, at least one. */
export function timeSpan(times: readonly number[], alert: number | undefined): Span {
  const [from = 0, to = 0] = [times[0], times.at(-1)];
  if (from === to) return { from: from - 60_000, to: to + 60_000 };
  if (alert === undefined) return { from, to };
  const room = (to - from) * NEAR;
  return {
    from: alert < from && alert > from - room ? alert : from,
    to: alert > to && alert < to + room ? alert : to,
  };
}

/** The lowest and the highest finite value; undefined without one. */
export function valueSpan(series: readonly ChartSeries[]): Span | undefined {
  let [from, to] = [Infinity, -Infinity];
  for (const { samples } of series)
    for (const [, value] of samples)
      if (Number.isFinite(value)) [from, to] = [Math.min(from, value), Math.max(to, value)];
  return from > to ? undefined : { from, to };
}

/** Whether a threshold can be drawn beside values. */
export function isNear({ from, to }: Span, threshold: number): boolean {
  const room = FAR * (to - from || Math.abs(to) || 1);
  return threshold >= from - room && threshold <= to + room;
}

/** Three to five round values at equal distances around a span, ascending. Near 0: from 0. */
export function ticksAround({ from, to }: Span): number[] {
  const low = from > 0 && from < to / 2 ? 0 : from;
  const size = to - low || Math.abs(to) || 1;
  const rough = size / 3;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 2.5, 5].find((one) => one * power >= rough) ?? 10) * power;
  const first = Math.floor(low / step);
  const count = Math.max(1, Math.ceil(to / step) - first);
  // A product has fewer digits than a sum.
  return Array.from({ length: count + 1 }, (_, index) => Number(((first + index) * step).toPrecision(12)));
}

/** The path of a line. It breaks at gaps; a single sample between two gaps is a dot. */
export function drawLinePath({ samples }: ChartSeries, time: Span, values: Span): string {
  const longest = GAP_STEPS * usualStep(samples.map(([ms]) => ms));
  let path = '';
  let last: number | undefined;
  for (const [ms, value] of samples) {
    if (!Number.isFinite(value)) {
      last = undefined;
      continue;
    }
    const x = round(shareIn(time, ms) * WIDTH);
    const y = round((1 - shareIn(values, value)) * HEIGHT);
    path += last === undefined || ms - last > longest ? `M${x} ${y}h0` : `L${x} ${y}`;
    last = ms;
  }
  return path;
}

const round = (value: number): number => Math.round(value * 100) / 100;

/** The median distance of times; infinite for fewer than two. @param times In order. */
function usualStep(times: readonly number[]): number {
  const steps = times.slice(1).map((time, index) => time - (times[index] ?? time));
  return steps.sort((a, b) => a - b)[Math.floor(steps.length / 2)] ?? Infinity;
}

/** The index of the time nearest to a time. @param times In order. */
export function nearestIndex(times: readonly number[], ms: number): number {
  let [low, high] = [0, times.length - 1];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((times[middle] ?? 0) <= ms) low = middle;
    else high = middle;
  }
  return Math.abs((times[low] ?? 0) - ms) <= Math.abs((times[high] ?? 0) - ms) ? low : high;
}

/** A series' value at a time: its nearest sample within a usual step; else undefined. */
export function createLookup({ samples }: ChartSeries): (ms: number) => number | undefined {
  const times = samples.map(([time]) => time);
  const step = usualStep(times);
  return (ms) => {
    const [time, value] = samples[nearestIndex(times, ms)] ?? [];
    const isThere = time === ms || (time !== undefined && step !== Infinity && Math.abs(time - ms) < step);
    return isThere ? value : undefined;
  };
}
