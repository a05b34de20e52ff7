// The series of a chart: which are drawn, and their values in words and numbers.

import { type Signal, useSignal } from '@preact/signals';
import { countText, numberText } from '../../model/format.ts';
import parts from '../../parts/parts.module.css';
import { Untrusted } from '../../parts/Untrusted.tsx';
import type { Layout } from './layout.ts';
import type { ChartSeries, SampleSet } from './sampleSet.ts';
import s from './samples.module.css';
import { valueSpan } from './scale.ts';
import { hasRoom, SLOTS, toggledSlots } from './slots.ts';
import { amountText } from './units.ts';

interface Props {
  set: SampleSet;
  /** The series in each slot. */
  slots: Signal<(number | undefined)[]>;
  /** The time that is read, in milliseconds since 1970; undefined shows the last values. */
  at: number | undefined;
  lookups: Layout['lookups'];
}

/** So many rows are listed at first, and on request: more would make the page slow. */
const [LISTED, MOST] = [12, 200];

/** The table. */
export function SeriesTable({ set: { series }, slots, at, lookups }: Props) {
  const isWhole = useSignal(false);
  const listed = series.slice(0, isWhole.value ? MOST : LISTED);
  return (
    <>
      {series.length > SLOTS && (
        <p class={s.note}>
          {countText(slots.value.filter((slot) => slot !== undefined).length, 'series', 'series')} of{' '}
          {series.length} drawn, at most {SLOTS} at once. Select others below.
        </p>
      )}
      <div class={s.table}>
        <table>
          <caption class={parts.hidden}>Series of the chart</caption>
          <thead>
            <tr>
              <th scope="col">Series</th>
              <th scope="col">{at === undefined ? 'Last' : 'Then'}</th>
              <th scope="col">Range</th>
              <th scope="col">Samples</th>
            </tr>
          </thead>
          <tbody>
            {listed.map((one, index) => (
              <SeriesRow
                key={one.name}
                series={one}
                index={index}
                slots={slots}
                value={valueOfRow(one, at, lookups)}
              />
            ))}
          </tbody>
        </table>
      </div>
      {!isWhole.value && series.length > LISTED && (
        <button type="button" class={parts.quiet} onClick={() => (isWhole.value = true)}>
          List {series.length > MOST ? `${MOST} of ` : 'all '}
          {countText(series.length, 'series', 'series')}
        </button>
      )}
    </>
  );
}

function valueOfRow(series: ChartSeries, at: number | undefined, lookups: Layout['lookups']): string {
  const value = at === undefined ? series.samples.at(-1)?.[1] : lookups.get(series)?.(at);
  return value === undefined ? '–' : amountText(value, series.unit);
}

interface RowProps {
  series: ChartSeries;
  index: number;
  slots: Props['slots'];
  value: string;
}

function SeriesRow({ series, index, slots, value }: RowProps) {
  const slot = slots.value.indexOf(index);
  const span = valueSpan([series]);
  return (
    <tr>
      <th scope="row">
        <label>
          <input
            type="checkbox"
            checked={slot !== -1}
            disabled={slot === -1 && !hasRoom(slots.value)}
            onChange={() => (slots.value = toggledSlots(slots.value, index))}
          />
          <svg class={s.key} aria-hidden="true">
            {slot !== -1 && <path data-slot={slot} d="M1 6h18" />}
          </svg>
          <Untrusted text={series.name} />
        </label>
      </th>
      <td>{value}</td>
      <td>{span ? `${amountText(span.from, series.unit)} to ${amountText(span.to, series.unit)}` : '–'}</td>
      <td>{numberText(series.samples.length)}</td>
    </tr>
  );
}
