// The samples of a result as a chart: lines over time, or bars. A result without samples has none.

import { type Signal, signal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { type Condition, parseStatedConditions } from '../../../../shared/evidence/condition.ts';
import type { EventOf, SessionView } from '../../../../shared/lists/apiTypes.ts';
import { api } from '../../api/client.ts';
import { bytesText, countText } from '../../model/format.ts';
import parts from '../../parts/parts.module.css';
import { Untrusted } from '../../parts/Untrusted.tsx';
import { READ_AT_ONCE } from '../state/resultState.ts';
import { useSession } from '../state/sessionState.ts';
import { BarList } from './BarList.tsx';
import { LineChart } from './LineChart.tsx';
import { readSamples } from './readSamples.ts';
import s from './samples.module.css';
import { thresholdFor } from './threshold.ts';

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
