// A chart in words: for readers who do not see it, and for marks outside of it. Pure.

import { countText } from '../../model/format.ts';
import { timeText } from './chartTimes.ts';
import type { Layout } from './layout.ts';
import type { SampleSet } from './sampleSet.ts';
import type { Threshold } from './threshold.ts';
import { amountText } from './units.ts';

/** The values of the drawn series at a time. */
export function describeTime({ drawn, lookups }: Layout, ms: number): string {
  const values = drawn.map(({ series }) => {
    const value = lookups.get(series)?.(ms);
    return `${series.name} ${value === undefined ? 'no sample' : amountText(value, series.unit)}`;
  });
  return `${timeText(ms)}: ${values.join('; ')}`;
}

/** The chart as a whole. */
export function describeChart(
  { drawn, time, found }: Layout,
  { unit }: SampleSet,
  alert: number | undefined,
  threshold: Threshold | undefined,
): string {
  return [
    `Chart of ${countText(drawn.length, 'series', 'series')} from ${timeText(time.from)} to ${timeText(time.to)}`,
    found && `values from ${amountText(found.from, unit)} to ${amountText(found.to, unit)}`,
    alert !== undefined && `alert at ${timeText(alert)}`,
    threshold && `threshold ${threshold.operator} ${amountText(threshold.value, unit)}`,
  ]
    .filter(Boolean)
    .join(', ');
}

/** The marks of a chart in words, also those outside of it. */
export function describeMarks(
  chart: Layout,
  alert: number | undefined,
  threshold: Threshold | undefined,
  unit: string,
): string {
  const outside = chart.alert === undefined ? ', outside of these samples' : '';
  return [
    alert !== undefined && `alert: ${timeText(alert)}${outside}`,
    threshold &&
      `threshold: ${threshold.operator} ${amountText(threshold.value, unit)}${chart.threshold ? '' : ', outside of this chart'}`,
  ]
    .filter(Boolean)
    .join(' · ');
}
