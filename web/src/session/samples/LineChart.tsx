// Samples over time as lines, with alert and threshold. Pointer and arrow keys read values.

import { useSignal } from '@preact/signals';
import type { TargetedPointerEvent } from 'preact';
import { useMemo } from 'preact/hooks';
import { axisTexts, timeText } from './chartTimes.ts';
import { describeChart, describeMarks, describeTime } from './chartWords.ts';
import { Lines } from './Lines.tsx';
import { layOut } from './layout.ts';
import { SeriesTable } from './SeriesTable.tsx';
import type { SampleSet } from './sampleSet.ts';
import s from './samples.module.css';
import { nearestIndex, shareIn } from './scale.ts';
import { firstSlots } from './slots.ts';
import type { Threshold } from './threshold.ts';

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
