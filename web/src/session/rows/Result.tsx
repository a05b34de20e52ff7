// The result of a tool as numbered lines: twelve at first, all on request. It can be searched, wrapped and copied.

import { useEffect } from 'preact/hooks';
import type { EventOf } from '../../../../shared/api/types.ts';
import { asError, getJson } from '../../api/client.ts';
import { type StepAddress, stepId } from '../../model/address.ts';
import { bytesText, countText } from '../../model/format.ts';
import { CopyButton } from '../../parts/CopyButton.tsx';
import { Problem } from '../../parts/Problem.tsx';
import parts from '../../parts/parts.module.css';
import { Marked } from '../../parts/Untrusted.tsx';
import { type ResultState, resultStateOf } from '../state/resultState.ts';
import { useSession } from '../state/sessionState.ts';
import s from './result.module.css';

/** Lines that are rendered at once. */
const RENDERED = 1_000;
/** Characters of a line that are rendered. */
const LONGEST = 5_000;
/** Bytes up to which a result is read whole when it is unfolded. */
const READ_AT_ONCE = 64_000;

type ResultEvent = EventOf<'tool_result'>;

/** The text of a result. @param marked Lines that the address names. */
export function Result({ event, marked }: { event: ResultEvent; marked?: StepAddress['lines'] }) {
  const { results, claim } = useSession();
  const state = resultStateOf(results, event.eventId);
  const { limit, isWrapped, search } = state;
  const { text, isCut, error, readWhole } = useWholeText(event, state);
  const shown = Math.max(limit.value, marked?.to ?? 0);
  const lines = text.split('\n').map((line, index) => ({ number: index + 1, line }));
  const wanted = search.value.trim().toLowerCase();
  const hits = wanted === '' ? lines : lines.filter(({ line }) => line.toLowerCase().includes(wanted));
  const total = isCut ? event.lines : lines.length;
  const showMore = () => {
    limit.value = shown + RENDERED;
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
        {marked && claim.value && (
          <a class={parts.quiet} href={`#${claim.value}`}>
            Back to the claim
          </a>
        )}
        <CopyButton text={text} what={isCut ? 'the first part of the result' : 'the result'} />
      </div>
      <div class={s.lines} data-wrap={isWrapped.value} role="region" aria-label="Result" tabIndex={0}>
        {hits.slice(0, wanted === '' ? shown : RENDERED).map(({ number, line }) => {
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
      {wanted === '' && (isCut || lines.length > shown) && (
        <button type="button" class={parts.quiet} onClick={showMore}>
          Show {isCut || lines.length <= shown + RENDERED ? 'all' : `${RENDERED} more of`}{' '}
          {countText(total, 'line')}
        </button>
      )}
    </div>
  );
}

/** The text of a result, which the API cuts until it is read as a whole. */
function useWholeText(event: ResultEvent, { whole, error }: ResultState) {
  const { path } = useSession();
  const readWhole = async () => {
    try {
      const read = await getJson<ResultEvent>(`${path}/timeline/${encodeURIComponent(event.eventId)}`);
      whole.value = read.content;
      error.value = undefined;
    } catch (cause) {
      error.value = asError(cause);
    }
  };
  useEffect(() => {
    if (event.cut && whole.peek() === undefined && event.bytes <= READ_AT_ONCE) void readWhole();
  }, [event.eventId]);
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
