// The result of a tool as numbered lines: twelve at first, all on request. It can be searched, wrapped and copied.

import { useSignal } from '@preact/signals';
import type { EventOf } from '../../../../shared/api/types.ts';
import { asError, getJson } from '../../api/client.ts';
import { type StepAddress, stepId } from '../../model/address.ts';
import { bytesText, countText } from '../../model/format.ts';
import { CopyButton } from '../../parts/CopyButton.tsx';
import { Problem } from '../../parts/Problem.tsx';
import parts from '../../parts/parts.module.css';
import { Marked } from '../../parts/Untrusted.tsx';
import { useSession } from '../state/sessionState.ts';
import s from './result.module.css';

/** Lines that are shown at first. */
const FOLDED = 12;
/** Lines that are rendered at once. */
const RENDERED = 1_000;
/** Characters of a line that are rendered. */
const LONGEST = 5_000;

type ResultEvent = EventOf<'tool_result'>;

/** The text of a result. @param marked Lines that the address names. */
export function Result({ event, marked }: { event: ResultEvent; marked?: StepAddress['lines'] }) {
  const { text, isCut, error, readWhole } = useWholeText(event);
  const limit = useSignal(Math.max(FOLDED, marked?.to ?? 0));
  const isWrapped = useSignal(true);
  const search = useSignal('');
  const lines = text.split('\n').map((line, index) => ({ number: index + 1, line }));
  const wanted = search.value.trim().toLowerCase();
  const hits = wanted === '' ? lines : lines.filter(({ line }) => line.toLowerCase().includes(wanted));
  const total = isCut ? event.lines : lines.length;
  const showMore = () => {
    limit.value += RENDERED;
    if (isCut) void readWhole();
  };
  return (
    <div class={s.result}>
      <div class={s.resultHead}>
        <ResultFacts event={event} lines={total} />
        <input
          class={s.findIn}
          type="search"
          placeholder="Search"
          aria-label="Search in this result"
          value={search.value}
          onInput={(input) => {
            search.value = input.currentTarget.value;
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
        <CopyButton text={text} what={isCut ? 'the first part of the result' : 'the result'} />
      </div>
      <div class={s.lines} data-wrap={isWrapped.value} role="region" aria-label="Result" tabIndex={0}>
        {hits.slice(0, wanted === '' ? limit.value : RENDERED).map(({ number, line }) => {
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
      {error && <Problem error={error} onRetry={() => void readWhole()} />}
      {wanted === '' && (isCut || lines.length > limit.value) && (
        <button type="button" class={parts.quiet} onClick={showMore}>
          Show {isCut || lines.length <= limit.value + RENDERED ? 'all' : `${RENDERED} more of`}{' '}
          {countText(total, 'line')}
        </button>
      )}
    </div>
  );
}

/** The text of a result, which the API cuts until it is read as a whole. */
function useWholeText(event: ResultEvent) {
  const { path } = useSession();
  const whole = useSignal<string | undefined>(undefined);
  const error = useSignal<Error | undefined>(undefined);
  const readWhole = async () => {
    try {
      const read = await getJson<ResultEvent>(`${path}/timeline/${encodeURIComponent(event.eventId)}`);
      whole.value = read.content;
      error.value = undefined;
    } catch (cause) {
      error.value = asError(cause);
    }
  };
  return {
    text: whole.value ?? event.content,
    isCut: event.cut && whole.value === undefined,
    error: error.value,
    readWhole,
  };
}

function ResultFacts({ event, lines }: { event: ResultEvent; lines: number }) {
  const { masked = 0, truncated } = event.metadata;
  return (
    <span class={parts.meta}>
      {countText(lines, 'line')} · {bytesText(event.bytes)}
      {masked > 0 && ` · ${countText(masked, 'value')} masked, equal marks are equal values`}
      {truncated && ' · truncated'}
    </span>
  );
}
