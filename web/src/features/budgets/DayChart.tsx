// Bars by day: positions are percentages, so that it has any width and one text size.

import { useId } from 'preact/hooks';
import { countText, dayName, numberText } from '../../model/format.ts';
import parts from '../../parts/parts.module.css';
import { roundAbove, shortNumber } from './report.ts';
import s from './usage.module.css';

interface Props {
  title: string;
  /** The noun of the count, in the singular. */
  unit: string;
  /** The oldest day first; null where nothing is counted. */
  days: { day: string; value: number }[] | null;
  /** Why nothing is counted. */
  why: string;
}

const HEIGHT = 148;
const TOP = 20;
const BASE = 124;
/** Smallest height of a bar whose value is not 0. */
const LOWEST = 1.5;
/** So few days have their values written on them. */
const FEW = 7;
/** Names of days that stand beside each other on a phone, where there are more. */
const NAMES = 5;

/** A chart, and the same as a table. */
export function DayChart({ title, unit, days, why }: Props) {
  const id = useId();
  const sum = days?.reduce((total, { value }) => total + value, 0) ?? 0;
  return (
    <section class={parts.panel} aria-labelledby={id}>
      <div class={parts.panelHead}>
        <h2 id={id}>{title}</h2>
        <span class={parts.meta}>{days === null ? 'not counted' : countText(sum, unit)}</span>
      </div>
      {days === null ? (
        <p class={s.empty}>{why}</p>
      ) : (
        <>
          <Bars days={days} label={`${title}: ${countText(sum, unit)}. The table below has each day.`} />
          <details class={s.asTable}>
            <summary>As a table</summary>
            <Table days={days} title={title} unit={unit} />
          </details>
        </>
      )}
    </section>
  );
}

type Days = { day: string; value: number }[];

function Bars({ days, label }: { days: Days; label: string }) {
  const values = days.map(({ value }) => value);
  const most = roundAbove(Math.max(...values));
  const step = days.length <= FEW ? 1 : Math.ceil(days.length / NAMES);
  const highest = values.indexOf(Math.max(...values));
  return (
    <div class={s.chart}>
      <svg height={HEIGHT} role="img" aria-label={label}>
        {[0, 0.5, 1].map((share) => {
          const y = BASE - share * (BASE - TOP);
          return <line key={share} x1="0" x2="100%" y1={y} y2={y} class={s.grid} />;
        })}
        {days.map(({ day, value }, index) => (
          <Bar
            key={day}
            day={day}
            value={value}
            share={value / most}
            place={{ index, of: days.length }}
            hasValue={value > 0 && (days.length <= FEW || index === highest)}
            hasName={(days.length - 1 - index) % step === 0}
          />
        ))}
      </svg>
    </div>
  );
}

interface BarProps {
  day: string;
  value: number;
  /** Of the height, from 0 to 1. */
  share: number;
  place: { index: number; of: number };
  hasValue: boolean;
  hasName: boolean;
}

/** A day: its bar, with its value and name where there is room for them. */
function Bar({ day, value, share, place: { index, of }, hasValue, hasName }: BarProps) {
  const width = 100 / of;
  const height = value === 0 ? 0 : Math.max(LOWEST, share * (BASE - TOP));
  const text = { x: `${(index + 0.5) * width}%`, 'text-anchor': chooseTextAnchor(index, of) } as const;
  return (
    <g>
      <rect
        x={`${(index + 0.14) * width}%`}
        y={BASE - height}
        width={`${0.72 * width}%`}
        height={height}
        rx="2"
        class={s.bar}
      >
        <title>{`${dayName(day)}: ${numberText(value)}`}</title>
      </rect>
      {hasValue && (
        <text {...text} y={BASE - height - 5} class={s.value}>
          {shortNumber(value)}
        </text>
      )}
      {hasName && (
        <text {...text} y={HEIGHT - 6} class={s.axis}>
          {shortDay(day)}
        </text>
      )}
    </g>
  );
}

const SHORT_DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });

function shortDay(day: string): string {
  return SHORT_DAY.format(new Date(`${day}T00:00:00Z`));
}

/** At the edges text grows inwards. */
function chooseTextAnchor(index: number, count: number): 'start' | 'middle' | 'end' {
  if (count <= FEW) return 'middle';
  if (index === 0) return 'start';
  return index === count - 1 ? 'end' : 'middle';
}

function Table({ days, title, unit }: { days: Days; title: string; unit: string }) {
  return (
    <table class={s.table}>
      <caption class={parts.hidden}>{title}</caption>
      <thead>
        <tr>
          <th scope="col">Day (UTC)</th>
          <th scope="col" class={s.right}>
            {unit}s
          </th>
        </tr>
      </thead>
      <tbody>
        {days.toReversed().map(({ day, value }) => (
          <tr key={day}>
            <th scope="row">
              <time dateTime={day}>{dayName(day)}</time>
            </th>
            <td class={s.right}>{numberText(value)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
