// Where the time went: a line per answer, tool and wait, each leading to its step.

import { type Signal, useComputed, useSignal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import type { SessionView } from '../../../../shared/lists/apiTypes.ts';
import { serverNow, tick } from '../../api/clock.ts';
import { stepId } from '../../model/address.ts';
import { durationText, offsetText } from '../../model/format.ts';
import { hasEnded } from '../../model/status.ts';
import { isWithinRange, moved, type TimeRange, zoomedIn } from '../../model/timeRange.ts';
import { buildWaterfallSpans, longestIdle, type Span } from '../../model/waterfall.ts';
import parts from '../../parts/parts.module.css';
import { laneLetters, laneTone } from '../state/lanes.ts';
import { listExecutions } from '../state/sentences.ts';
import { useSession } from '../state/sessionState.ts';
import { seenIterations } from '../state/stepFilter.ts';
import lanes from '../steps/lanes.module.css';
import { AgentRows } from './AgentRows.tsx';
import s from './waterfall.module.css';

interface WaterfallProps {
  view: SessionView;
  /** They stand above the lines. `shown` is the part of the session that these show. */
  strips: readonly ComponentType<{ view: SessionView; shown: TimeRange }>[];
}

/** The panel of the waterfall. */
export function Waterfall({ view, strips }: WaterfallProps) {
  const isSqueezed = useSignal(false);
  const range = useSignal<TimeRange | undefined>(undefined);
  const { spans, total } = useSpans(view);
  // New lines must not move the panels below.
  const isSteady = useMemo(() => !hasEnded(view.status), []);
  const executions = new Set(spans.map(({ executionId }) => executionId));
  if (spans.length === 0) return null;
  const isByAgent = executions.size > MANY;
  const idle = isByAgent ? undefined : longestIdle(spans, total);
  const shown = range.value ?? { from: 0, to: total };
  const gap = isSqueezed.value && range.value === undefined ? idle : undefined;
  const props = { view, spans: spans.filter((span) => isWithinRange(span, shown)), shown };
  return (
    <section class={isSteady ? `${parts.panel} ${s.steady}` : parts.panel} aria-labelledby="time-title">
      <div class={parts.panelHead}>
        <h2 id="time-title">Time</h2>
        <span class={parts.meta}>
          {range.value && `${offsetText(shown.from)} to ${offsetText(shown.to)} of `}
          {durationText(total)}
        </span>
      </div>
      {strips.map((Strip) => (
        <Strip key={Strip.name} view={view} shown={shown} />
      ))}
      {isByAgent ? <AgentRows {...props} /> : <Lines {...props} gap={gap} />}
      <p class={s.legend}>
        <Key kind="model" /> Model
        <Key kind="tool" /> Tool
        <Key kind="wait" /> Idle
      </p>
      <div class={s.zoom}>
        <Zoom range={range} total={total} />
        {idle && range.value === undefined && (
          <button
            type="button"
            class={parts.quiet}
            aria-pressed={isSqueezed.value}
            onClick={() => (isSqueezed.value = !isSqueezed.value)}
          >
            {isSqueezed.value
              ? `Show the idle time of ${durationText(idle.to - idle.from)}`
              : `${Math.round((100 * (idle.to - idle.from)) / total)} % idle: hide it`}
          </button>
        )}
      </div>
    </section>
  );
}

/** The spans of a session, and its duration in milliseconds. While it runs both change once a second. */
function useSpans(view: SessionView): { spans: Span[]; total: number } {
  const { timeline } = useSession();
  const runs = !hasEnded(view.status);
  const calls = runs ? tick.value : timeline.callsRead.value;
  const size = runs ? timeline.size.peek() : timeline.size.value;
  const spans = useMemo(
    () =>
      buildWaterfallSpans(view, timeline.all(), (executionId, number) =>
        timeline.modelCallOf(executionId, number),
      ),
    [view, timeline, size, calls],
  );
  const now = runs ? Math.max(tick.value, serverNow()) : Date.parse(view.now);
  const end = view.endedAt === null ? now : Date.parse(view.endedAt);
  const total = Math.max(1, end - Date.parse(view.createdAt), ...spans.map(({ to }) => to ?? 0));
  return { spans, total };
}

/** Buttons that show a part of the time, and the whole again. */
function Zoom({ range, total }: { range: Signal<TimeRange | undefined>; total: number }) {
  const current = range.value;
  const button = (name: string, next: TimeRange | undefined) => (
    <button type="button" class={parts.quiet} onClick={() => (range.value = next)}>
      {name}
    </button>
  );
  return (
    <>
      {button('Zoom in', zoomedIn(current ?? { from: 0, to: total }))}
      {current && (
        <>
          {button('Earlier', moved(current, -1, total))}
          {button('Later', moved(current, 1, total))}
          {button('Whole time', undefined)}
        </>
      )}
    </>
  );
}

interface LinesProps {
  view: SessionView;
  /** Those of the shown part. */
  spans: readonly Span[];
  shown: TimeRange;
  /** The idle time that is hidden. */
  gap: TimeRange | undefined;
}

/** A line for each span. */
function Lines({ view, spans, shown, gap }: LinesProps) {
  const isLong = spans.length > LONG;
  const isWhole = useWhole(isLong);
  const letters = laneLetters(view);
  const names = new Map(listExecutions(view).map(({ executionId, agentName }) => [executionId, agentName]));
  return (
    <ol class={isLong ? `${s.waterfall} ${s.long}` : s.waterfall}>
      {(isWhole ? spans : spans.slice(0, LONG)).map((span, index) => [
        names.size > 1 &&
          span.executionId !== spans[index - 1]?.executionId &&
          !letters.has(span.executionId) && (
            <li key={`${span.executionId}/name`} class={s.group}>
              <bdi>{names.get(span.executionId)}</bdi>
            </li>
          ),
        <Line key={span.key} span={span} shown={shown} gap={gap} letter={letters.get(span.executionId)} />,
      ])}
    </ol>
  );
}

/** With more agents each has one row. */
const MANY = 6;
/** So many lines fill the panel. */
const LONG = 30;

/** Whether lines that are not seen at first are drawn, too: only after the page can be used. */
function useWhole(isLong: boolean): boolean {
  const isWhole = useSignal(!isLong);
  useEffect(() => {
    const timer = setTimeout(() => {
      isWhole.value = true;
    }, 50);
    return () => clearTimeout(timer);
  }, []);
  return isWhole.value;
}

interface LineProps {
  span: Span;
  shown: TimeRange;
  gap: TimeRange | undefined;
  letter: string | undefined;
}

/** The share of the width that a hidden gap keeps. */
const SQUEEZED = 0.05;

function Line({ span, shown, gap, letter }: LineProps) {
  const { label, from, to, kind, isFault, event, iteration } = span;
  const total = shown.to - shown.from;
  const isSeen = useComputed(() => iteration !== undefined && seenIterations.value.has(iteration)).value;
  const place = (at: number): number => {
    if (gap === undefined) return Math.min(100, Math.max(0, (100 * (at - shown.from)) / total));
    const length = gap.to - gap.from;
    const whole = (total - length) / (1 - SQUEEZED);
    const within = Math.min(Math.max(at - gap.from, 0), length);
    return (100 * (at - within + (within / length) * whole * SQUEEZED)) / whole;
  };
  const x = Math.min(99.4, place(from));
  const width = Math.max(0.6, place(to ?? shown.to) - x);
  const took = durationText((to ?? shown.to) - from);
  const words = (
    <>
      <span class={s.spanName}>
        {letter && <span class={`${lanes.letter} ${lanes[`tone-${laneTone(letter)}`]}`}>{letter}</span>}
        <bdi>{letter && kind === 'wait' ? 'Wait' : label}</bdi>
      </span>
      <svg
        class={s.bar}
        data-kind={kind}
        data-fault={isFault}
        data-running={to === null}
        aria-hidden="true"
        preserveAspectRatio="none"
      >
        <rect x={`${x}%`} y="3" width={`${width}%`} height="8" rx="2" />
        {kind === 'wait' && <Hatch from={x} width={width} />}
        {isFault && (
          <rect class={s.faultTick} x={`${Math.max(0, x + width - 0.6)}%`} y="0" width="2" height="14" />
        )}
      </svg>
      <span class={s.spanTime}>
        {took}
        {to === null && ' …'}
      </span>
    </>
  );
  return (
    <li data-seen={isSeen}>
      {event === undefined ? (
        <div class={s.span}>{words}</div>
      ) : (
        <a class={s.span} href={`#${stepId(event)}`}>
          {words}
        </a>
      )}
    </li>
  );
}

function Hatch({ from, width }: { from: number; width: number }) {
  const lines = Array.from({ length: Math.min(24, Math.max(1, Math.floor(width / 2))) });
  return (
    <>
      {lines.map((_, index) => {
        const at = from + (width * (index + 0.5)) / lines.length;
        return <line key={index} x1={`${at - 0.8}%`} x2={`${at + 0.8}%`} y1="11" y2="3" />;
      })}
    </>
  );
}

function Key({ kind }: { kind: Span['kind'] }) {
  return (
    <svg class={`${s.bar} ${s.key}`} data-kind={kind} aria-hidden="true">
      <rect x="0" y="3" width="100%" height="8" rx="2" />
      {kind === 'wait' && <path d="M1 11 4 3M6 11 9 3M11 11 14 3" />}
    </svg>
  );
}
