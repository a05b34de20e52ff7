// A tool's result as numbered lines: twelve, all on request. Can be searched and copied.

import { useEffect, useRef } from 'preact/hooks';
import type { EventOf } from '../../../../shared/lists/apiTypes.ts';
import { api, asError } from '../../api/client.ts';
import { type StepAddress, stepId } from '../../model/address.ts';
import { bytesText, countText } from '../../model/format.ts';
import { CopyButton } from '../../parts/CopyButton.tsx';
import { loadLater } from '../../parts/lazyPart.tsx';
import { Problem } from '../../parts/Problem.tsx';
import parts from '../../parts/parts.module.css';
import { Marked } from '../../parts/Untrusted.tsx';
import { ensureResultState, READ_AT_ONCE, type ResultState } from '../state/resultState.ts';
import { useSession } from '../state/sessionState.ts';
import s from './result.module.css';

/** Lines that are rendered at once. */
const RENDERED = 1_000;
/** Characters of a line that are rendered. */
const LONGEST = 5_000;

type ResultEvent = EventOf<'tool_result'>;

const Samples = loadLater('The chart', () =>
  import('../samples/Samples.tsx').then((module) => module.Samples),
);
/** Keys of answers with samples, heads of tables with times: only these load chart code. */
const HAS_SAMPLES =
  /"(resultType|timeSeries|values?|points|data)"|^.*(time|date|hour|day|minute|_at|ts\b).*\n/i;
/** Characters in which these stand. */
const SEARCHED = 2_000;

interface Props {
  event: ResultEvent;
  /** JSON text of the arguments of its call. */
  call: string;
  /** Lines that the address names. */
  marked?: StepAddress['lines'];
}

/** The text of a result, with a chart of its samples. */
export function Result({ event, call, marked }: Props) {
  const { results, claim } = useSession();
  const state = ensureResultState(results, event.eventId);
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
  // Below lines to which a link leads: it comes later and would move them.
  const chart = HAS_SAMPLES.test(text.slice(0, SEARCHED)) && (
    <Samples text={text} call={call} event={event} isCut={isCut} readWhole={readWhole} />
  );
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
      {marked === undefined && chart}
      <ResultLines
        event={event}
        lines={hits.slice(0, wanted === '' ? shown : RENDERED)}
        isWrapped={isWrapped.value}
        marked={marked}
      />
      {marked !== undefined && chart}
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

interface LinesProps extends Pick<Props, 'event'> {
  lines: readonly { number: number; line: string }[];
  isWrapped: boolean;
  marked: Props['marked'] | undefined;
}

function ResultLines({ event, lines, isWrapped, marked }: LinesProps) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // This code can come after the page has scrolled to the step.
    box.current?.querySelector('[data-marked]')?.scrollIntoView({ block: 'nearest', behavior: 'instant' });
  }, [marked]);
  return (
    <div
      ref={box}
      class={s.lines}
      data-wrap={isWrapped}
      role="region"
      aria-label={`Result ${event.sequenceNumber}`}
      tabIndex={0}
    >
      {lines.map(({ number, line }) => {
        const isMarked = marked !== undefined && number >= marked.from && number <= marked.to;
        return (
          <div
            key={number}
            class={isMarked ? `${s.line} ${s.markedLine}` : s.line}
            data-marked={isMarked || undefined}
          >
            <a href={`#${stepId(event)}:L${number}`} aria-label={`Line ${number}`} data-number={number} />
            <bdi>
              <Marked text={line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line} />
            </bdi>
          </div>
        );
      })}
    </div>
  );
}

/** The text of a result, which the API cuts until it is read as a whole. */
function useWholeText(event: ResultEvent, { whole, error }: ResultState) {
  const { sessionId } = useSession();
  const { eventId } = event;
  const readWhole = async () => {
    try {
      const read = await api.get('/v1/sessions/{sessionId}/timeline/{eventId}', { sessionId, eventId });
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
