// Values at one time as bars, the highest first.

import { useSignal } from '@preact/signals';
import { countText } from '../../model/format.ts';
import parts from '../../parts/parts.module.css';
import { Untrusted } from '../../parts/Untrusted.tsx';
import { timeText } from './chartTimes.ts';
import type { SampleSet } from './sampleSet.ts';
import s from './samples.module.css';
import { isNear, shareIn, valueSpan } from './scale.ts';
import type { Threshold } from './threshold.ts';
import { amountText } from './units.ts';

/** So many bars are shown at first, and on request: more would make the page slow. */
const [SHOWN, MOST] = [12, 200];

/** The list. */
export function BarList({ set, threshold }: { set: SampleSet; threshold: Threshold | undefined }) {
  const isWhole = useSignal(false);
  const rows = set.series
    .map(({ name, unit, samples }) => ({ name, unit, value: samples[0]?.[1] ?? Number.NaN }))
    .sort((a, b) => (Number.isNaN(b.value) ? -1 : Number.isNaN(a.value) ? 1 : b.value - a.value));
  const values = valueSpan(set.series) ?? { from: 0, to: 1 };
  const drawn = threshold && isNear(values, threshold.value) ? threshold.value : undefined;
  const all = [0, values.from, values.to, ...(drawn === undefined ? [] : [drawn])];
  const [from, to] = [Math.min(...all), Math.max(...all)];
  const span = { from, to: to === from ? from + 1 : to };
  const percent = (value: number) => 100 * shareIn(span, value);
  return (
    <>
      <p class={s.note}>
        {timeText(set.series[0]?.samples[0]?.[0] ?? 0)}
        {threshold && ` · threshold: ${threshold.operator} ${amountText(threshold.value, set.unit)}`}
      </p>
      <ol class={s.bars}>
        {rows.slice(0, isWhole.value ? MOST : SHOWN).map(({ name, unit, value }) => (
          <li key={name}>
            <Untrusted text={name} />
            <svg aria-hidden="true">
              {Number.isFinite(value) && (
                <rect
                  x={`${percent(Math.min(0, value))}%`}
                  width={`${percent(Math.max(0, value)) - percent(Math.min(0, value))}%`}
                  y="2"
                  height="12"
                  rx="2"
                />
              )}
              {drawn !== undefined && (
                <line x1={`${percent(drawn)}%`} x2={`${percent(drawn)}%`} y1="0" y2="16" />
              )}
            </svg>
            <b>{amountText(value, unit)}</b>
          </li>
        ))}
      </ol>
      {!isWhole.value && rows.length > SHOWN && (
        <button type="button" class={parts.quiet} onClick={() => (isWhole.value = true)}>
          Show {rows.length > MOST ? `the highest ${MOST} of ` : 'all '}
          {countText(rows.length, 'value')}
        </button>
      )}
    </>
  );
}
