// The parts of a chart and their places. Pure.

import type { ChartSeries, SampleSet } from './sampleSet.ts';
import {
  createLookup,
  isNear,
  listSampleTimes,
  type Span,
  ticksAround,
  timeSpan,
  valueSpan,
} from './scale.ts';
import type { Threshold } from './threshold.ts';

/** A chart. */
export interface Layout {
  /** The series that are drawn, with their slots. */
  drawn: readonly { series: ChartSeries; slot: number }[];
  /** The times that can be read, in order. */
  times: readonly number[];
  time: Span;
  /** The values of the lines of the grid, the lowest first. */
  ticks: readonly number[];
  values: Span;
  /** The lowest and the highest value that is drawn; undefined without one. */
  found: Span | undefined;
  /** Undefined where it is not within the chart. */
  alert: number | undefined;
  threshold: Threshold | undefined;
  lookups: ReadonlyMap<ChartSeries, ReturnType<typeof createLookup>>;
}

/**
 * Lays out a chart.
 * @param slots The series in each slot. @param alert The start of the alert, in milliseconds since 1970.
 */
export function layOut(
  { series }: SampleSet,
  slots: readonly (number | undefined)[],
  alert: number | undefined,
  threshold: Threshold | undefined,
): Layout {
  const drawn = slots.flatMap((index, slot) => {
    const one = index === undefined ? undefined : series[index];
    return one === undefined ? [] : [{ series: one, slot }];
  });
  const shown = drawn.map((one) => one.series);
  const times = listSampleTimes(shown.length > 0 ? shown : series);
  const time = timeSpan(times, alert);
  const found = valueSpan(shown);
  const { from, to } = found ?? { from: 0, to: 1 };
  const drawnThreshold = threshold && isNear({ from, to }, threshold.value) ? threshold : undefined;
  const all = drawnThreshold ? [from, to, drawnThreshold.value] : [from, to];
  const ticks = ticksAround({ from: Math.min(...all), to: Math.max(...all) });
  return {
    drawn,
    times,
    time,
    ticks,
    values: { from: ticks[0] ?? 0, to: ticks.at(-1) ?? 1 },
    found,
    alert: alert !== undefined && alert >= time.from && alert <= time.to ? alert : undefined,
    threshold: drawnThreshold,
    lookups: new Map(series.map((one) => [one, createLookup(one)])),
  };
}
