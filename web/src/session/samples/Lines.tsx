// The drawing of a chart: grid, lines, the alert and the threshold.

import type { Layout } from './layout.ts';
import s from './samples.module.css';
import { drawLinePath, HEIGHT, shareIn, WIDTH } from './scale.ts';
import { amountText, amountTexts } from './units.ts';

/** Texts right of this share stand left of their line. */
const RIGHT = 0.7;

/** The drawing. @param unit Of all series. */
export function Lines({ drawn, time, values, ticks, alert, threshold, unit }: Layout & { unit: string }) {
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
