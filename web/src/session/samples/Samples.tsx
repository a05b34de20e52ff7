// The samples of a result as a chart: lines over time, or bars. A result without samples has none.

import { type Signal, signal, useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { type Condition, parseStatedConditions } from '../../../../shared/evidence/condition.ts';
import type { EventOf, SessionView } from '../../../../shared/lists/apiTypes.ts';
import { api } from '../../api/client.ts';
import { bytesText, countText } from '../../model/format.ts';
import parts from '../../parts/parts.module.css';
import { Untrusted } from '../../parts/Untrusted.tsx';
import { READ_AT_ONCE } from '../state/resultState.ts';
import { useSession } from '../state/sessionState.ts';
import { timeText } from './chartTimes.ts';
import { LineChart } from './LineChart.tsx';
import { readSamples } from './readSamples.ts';
import type { SampleSet } from './sampleSet.ts';
import s from './samples.module.css';
import { isNear, shareIn, valueSpan } from './scale.ts';
import type { Threshold } from './threshold.ts';
import { thresholdFor } from './threshold.ts';
import { amountText } from './units.ts';

/** So many bars are shown at first, and on request: more would make the page slow. */
const [SHOWN, MOST] = [12, 200];

/** By the id of the session. */
const known = new Map<string, Signal<readonly Condition[]>>();

interface Props {
  /** The text of the result. */
  text: string;
  /** JSON text of the arguments of its call. */
  call: string;
  event: EventOf<'tool_result'>;
  /** Whether only the start of the result is read. */
  isCut: boolean;
  readWhole(): Promise<void>;
}

/** The chart of a result. */
export function Samples({ text, call, event, isCut, readWhole }: Props) {
  const { view, sessionId } = useSession();
  const set = useMemo(() => readSamples(text, call, isCut), [text, call, isCut]);
  // A shorter result is being read whole.
  if (set === undefined || (isCut && event.bytes <= READ_AT_ONCE)) return null;
  if (isCut)
    return (
      <p class={s.note}>
        <button type="button" class={parts.quiet} onClick={() => void readWhole()}>
          Draw the samples ({bytesText(event.bytes)})
        </button>
      </p>
    );
  const alert = view.value?.alert ?? null;
  const threshold = thresholdFor(alertConditions(sessionId, alert).value, call, set.metric);
  const startedAt = alert?.startedAt == null ? undefined : Date.parse(alert.startedAt);
  const samples = set.series.reduce((sum, one) => sum + one.samples.length, 0);
  return (
    <figure class={s.chart} data-samples>
      <figcaption>
        <Untrusted text={set.shared} />
        <span class={parts.meta}>
          {countText(set.series.length, 'series', 'series')} · {countText(samples, 'sample')}
          {set.isCut && ' · The stored result is cut: only the samples before the cut are drawn.'}
        </span>
      </figcaption>
      {set.form === 'bars' ? (
        <BarList set={set} threshold={threshold} />
      ) : (
        <LineChart set={set} alert={startedAt} threshold={threshold} />
      )}
    </figure>
  );
}

/** The conditions; none until read, or for an unreadable alert. */
function alertConditions(sessionId: string, alert: SessionView['alert']): Signal<readonly Condition[]> {
  const found = known.get(sessionId);
  if (found !== undefined) return found;
  const urls = [alert?.url ?? '', ...(alert?.links ?? []).map(({ url }) => url)];
  const conditions = signal<readonly Condition[]>(parseStatedConditions({ urls, text: '' }));
  known.set(sessionId, conditions);
  if (alert !== null && conditions.peek().length === 0)
    api.get('/v1/sessions/{sessionId}/alert', { sessionId, part: 1 }).then(
      ({ body }) => (conditions.value = parseStatedConditions({ urls, text: body })),
      // The next session page reads it again; without it a chart has no threshold.
      () => known.delete(sessionId),
    );
  return conditions;
}

/** The list. */
function BarList({ set, threshold }: { set: SampleSet; threshold: Threshold | undefined }) {
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
