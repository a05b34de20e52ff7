// Samples over time as lines, with alert and threshold. Pointer and arrow keys read values.

import { useSignal } from '@preact/signals';
import type { TargetedPointerEvent } from 'preact';
import { useMemo } from 'preact/hooks';
import { countText } from '../../model/format.ts';
import { axisTexts, timeText } from './chartTimes.ts';
import type { Layout } from './layout.ts';
import { layOut } from './layout.ts';
import { SeriesTable } from './SeriesTable.tsx';
import type { SampleSet } from './sampleSet.ts';
import s from './samples.module.css';
import { drawLinePath, HEIGHT, nearestIndex, shareIn, WIDTH } from './scale.ts';
import { firstSlots } from './slots.ts';
import type { Threshold } from './threshold.ts';
import { amountText, amountTexts } from './units.ts';

/** Texts right of this share stand left of their line. */
const RIGHT = 0.7;

interface Props {
  set: SampleSet;
  /** The start of the alert, in milliseconds since 1970. */
  alert: number | undefined;
  threshold: Threshold | undefined;
}

/** Samples that a page key passes. */
const PAGE = 10;

/** The chart, and its series as a table. */
export function LineChart({ set, alert, threshold }: Props) {
  const slots = useSignal(firstSlots(set.series.length));
  const cursor = useSignal<number | undefined>(undefined);
  const chart = useMemo(
    () => layOut(set, slots.value, alert, threshold),
    [set, slots.value, alert, threshold],
  );
  const { times, time, lookups } = chart;
  const lines = useMemo(() => <Lines {...chart} unit={set.unit} />, [chart]);
  const at = cursor.value === undefined ? undefined : times[cursor.value];
  const move = (event: TargetedPointerEvent<HTMLElement>) => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    cursor.value = nearestIndex(times, time.from + ((event.clientX - left) / width) * (time.to - time.from));
  };
  const press = (event: KeyboardEvent) => {
    const next = nextIndex(event.key, cursor.value ?? times.length, times.length);
    if (next === undefined && event.key !== 'Escape') return;
    cursor.value = next;
    event.preventDefault();
    // The keys of the page do not act here.
    event.stopPropagation();
  };
  const read = at ?? times.at(-1) ?? 0;
  return (
    <>
      <div
        class={s.plot}
        role="slider"
        tabIndex={0}
        aria-label={describeChart(chart, set, alert, threshold)}
        aria-orientation="horizontal"
        aria-valuemin={0}
        aria-valuemax={Math.max(0, times.length - 1)}
        aria-valuenow={cursor.value ?? times.length - 1}
        aria-valuetext={describeTime(chart, read)}
        onPointerDown={move}
        onPointerMove={move}
        onPointerLeave={({ pointerType }) => {
          if (pointerType === 'mouse') cursor.value = undefined;
        }}
        onKeyDown={press}
        onBlur={() => (cursor.value = undefined)}
      >
        {lines}
        {at !== undefined && (
          <svg class={s.cursor} aria-hidden="true">
            <line x1={`${100 * shareIn(time, at)}%`} x2={`${100 * shareIn(time, at)}%`} y1="0" y2="100%" />
          </svg>
        )}
      </div>
      <p class={s.axis} aria-hidden="true">
        {axisTexts(time).map((text, index) => (
          <span key={index}>{text}</span>
        ))}
      </p>
      <p class={s.note} data-time>
        {at === undefined ? describeMarks(chart, alert, threshold, set.unit) : timeText(at)}
      </p>
      <SeriesTable set={set} slots={slots} at={at} lookups={lookups} />
    </>
  );
}

/** The index that a key leads to; undefined for another key. */
function nextIndex(key: string, index: number, count: number): number | undefined {
  const steps: Record<string, number> = {
    ArrowLeft: -1,
    ArrowDown: -1,
    ArrowRight: 1,
    ArrowUp: 1,
    PageDown: -PAGE,
    PageUp: PAGE,
    Home: -count,
    End: count,
  };
  const step = steps[key];
  return step === undefined ? undefined : Math.min(count - 1, Math.max(0, index + step));
}

/** The drawing. @param unit Of all series. */
function Lines({ drawn, time, values, ticks, alert, threshold, unit }: Layout & { unit: string }) {
  const down = (value: number) => `${100 * (1 - shareIn(values, value))}%`;
  const alertShare = alert === undefined ? 0 : shareIn(time, alert);
  return (
    <svg class={s.lines} aria-hidden="true">
      {ticks.map((tick) => (
        <line key={tick} class={s.grid} x1="0" x2="100%" y1={down(tick)} y2={down(tick)} />
      ))}
      {amountTexts(ticks, unit).map((text, index) => (
        <text key={text} x="2" y={down(ticks[index] ?? 0)} dy="-3">
          {text}
        </text>
      ))}
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" width="100%" height="100%">
        {drawn.map(({ series, slot }) => (
          <path key={slot} data-slot={slot} d={drawLinePath(series, time, values)} />
        ))}
      </svg>
      {threshold && (
        <line class={s.threshold} x1="0" x2="100%" y1={down(threshold.value)} y2={down(threshold.value)} />
      )}
      {alert !== undefined && (
        <line class={s.alert} x1={`${100 * alertShare}%`} x2={`${100 * alertShare}%`} y1="0" y2="100%" />
      )}
      {threshold && (
        <text class={s.thresholdName} x="50%" y={down(threshold.value)} dy="-3" text-anchor="middle">
          threshold {amountText(threshold.value, unit)}
        </text>
      )}
      {alert !== undefined && (
        <text
          class={s.alertName}
          x={`${100 * alertShare}%`}
          y="0"
          dx={alertShare > RIGHT ? -4 : 4}
          dy="10"
          text-anchor={alertShare > RIGHT ? 'end' : 'start'}
        >
          alert
        </text>
      )}
    </svg>
  );
}

/** The values of the drawn series at a time. */
function describeTime({ drawn, lookups }: Layout, ms: number): string {
  const values = drawn.map(({ series }) => {
    const value = lookups.get(series)?.(ms);
    return `${series.name} ${value === undefined ? 'no sample' : amountText(value, series.unit)}`;
  });
  return `${timeText(ms)}: ${values.join('; ')}`;
}

/** The chart as a whole. */
function describeChart(
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
function describeMarks(
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
