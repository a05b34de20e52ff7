// The result of a tool as lines with numbers: twelve at first, all on demand; it can be searched, wrapped and copied.

import { useSignal } from '@preact/signals';
import type { TimelineEvent } from '../../../../shared/api/types.ts';
import { getJson } from '../../api/client.ts';
import { type StepAddress, stepId } from '../../model/address.ts';
import { bytesText, countText } from '../../model/format.ts';
import { CopyButton } from '../../parts/CopyButton.tsx';
import { Marked } from '../../parts/Foreign.tsx';
import { Problem } from '../../parts/Problem.tsx';
import parts from '../../parts/parts.module.css';
import { useSession } from '../state/sessionState.ts';
import s from './result.module.css';

const FOLDED = 12;
/** Lines that are drawn at once. */
const DRAWN = 1_000;
/** Characters of a line that are drawn. */
const LONGEST = 5_000;

/** The text of a result. @param marked Lines that the address names. */
export function Result({ event, marked }: { event: TimelineEvent; marked?: StepAddress['lines'] }) {
  const { path } = useSession();
  const whole = useSignal<string | undefined>(undefined);
  const error = useSignal<Error | undefined>(undefined);
  const drawn = useSignal(Math.max(FOLDED, marked?.to ?? 0));
  const isWrapped = useSignal(true);
  const find = useSignal('');
  const text = whole.value ?? event.content;
  const lines = text.split('\n');
  const isCut = event.cut && whole.value === undefined;
  const wanted = find.value.trim().toLowerCase();
  const hits =
    wanted === '' ? [] : lines.flatMap((line, index) => (line.toLowerCase().includes(wanted) ? [index] : []));
  const shown =
    wanted === '' ? lines.slice(0, drawn.value) : hits.slice(0, DRAWN).map((index) => lines[index] ?? '');
  const numberOf = (index: number) => (wanted === '' ? index : (hits[index] ?? 0)) + 1;
  const total = isCut ? event.lines : lines.length;

  const readWhole = async () => {
    try {
      const read = await getJson<TimelineEvent>(`${path}/timeline/${encodeURIComponent(event.eventId)}`);
      whole.value = read.content;
      drawn.value = DRAWN;
      error.value = undefined;
    } catch (cause) {
      error.value = cause as Error;
    }
  };
  const showAll = () => {
    if (isCut) void readWhole();
    else drawn.value += DRAWN;
  };
  const masked = Number(event.metadata.masked ?? 0);
  return (
    <div class={s.result}>
      <div class={s.resultHead}>
        <span class={parts.meta}>
          {countText(total, 'line')} · {bytesText(event.bytes)}
          {masked > 0 && ` · ${countText(masked, 'value')} masked, equal marks are equal values`}
          {event.metadata.truncated === true && ' · cut at the limit'}
        </span>
        <input
          class={s.findIn}
          type="search"
          placeholder="Find in it"
          aria-label="Find in this result"
          value={find.value}
          onInput={(input) => {
            find.value = input.currentTarget.value;
          }}
        />
        {wanted !== '' && <span class={parts.meta}>{countText(hits.length, 'line')}</span>}
        <button
          type="button"
          class={parts.quiet}
          aria-pressed={isWrapped.value}
          onClick={() => {
            isWrapped.value = !isWrapped.value;
          }}
        >
          {isWrapped.value ? 'Do not wrap' : 'Wrap'}
        </button>
        <CopyButton text={text} what={isCut ? 'the beginning of the result' : 'the result'} />
      </div>
      <div class={s.lines} data-wrap={isWrapped.value} role="region" aria-label="Result" tabIndex={0}>
        {shown.map((line, index) => {
          const number = numberOf(index);
          const isMarked = marked !== undefined && number >= marked.from && number <= marked.to;
          return (
            <div key={number} class={isMarked ? `${s.line} ${s.markedLine}` : s.line}>
              <a href={`#${stepId(event)}:L${number}`} aria-label={`Line ${number}`} data-number={number} />
              <bdi>
                <Marked text={line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line} />
              </bdi>
            </div>
          );
        })}
      </div>
      {error.value && <Problem error={error.value} onRetry={() => void readWhole()} />}
      {wanted === '' && (isCut || lines.length > drawn.value) && (
        <button type="button" class={parts.quiet} onClick={showAll}>
          Show {isCut || lines.length <= drawn.value + DRAWN ? 'all' : `${DRAWN} more of`}{' '}
          {countText(total, 'line')}
        </button>
      )}
    </div>
  );
}
