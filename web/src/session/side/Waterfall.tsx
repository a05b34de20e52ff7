// Where the time went: a line for each answer of a model, each tool, and each wait. Every line leads to its step.

import { useComputed, useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { SessionView } from '../../../../shared/api/types.ts';
import { serverNow, tick } from '../../api/clock.ts';
import { stepId } from '../../model/address.ts';
import { durationText } from '../../model/format.ts';
import { hasEnded } from '../../model/status.ts';
import { longestIdle, type Span, spansOf } from '../../model/waterfall.ts';
import parts from '../../parts/parts.module.css';
import { laneLetters, laneTone } from '../state/lanes.ts';
import { executionsOf } from '../state/sentences.ts';
import { useSession } from '../state/sessionState.ts';
import { seenIterations } from '../state/stepFilter.ts';
import lanes from '../steps/lanes.module.css';
import s from './waterfall.module.css';

/** The panel of the waterfall. */
export function Waterfall({ view }: { view: SessionView }) {
  const { timeline } = useSession();
  const isSqueezed = useSignal(false);
  const runs = !hasEnded(view.status);
  // While it runs all is drawn once a second, however much comes.
  const calls = runs ? tick.value : timeline.callsRead.value;
  const size = runs ? timeline.size.peek() : timeline.size.value;
  const spans = useMemo(
    () => spansOf(view, timeline.all(), (executionId, number) => timeline.modelCallOf(executionId, number)),
    [view, timeline, size, calls],
  );
  const isLong = spans.length > LONG;
  const isWhole = useWhole(isLong);
  const startMs = Date.parse(view.createdAt);
  const end =
    view.endedAt === null
      ? runs
        ? Math.max(tick.value, serverNow())
        : Date.parse(view.now)
      : Date.parse(view.endedAt);
  const total = Math.max(1, end - startMs, ...spans.map(({ to }) => to ?? 0));
  const idle = longestIdle(spans, total);
  const gap = isSqueezed.value && idle ? idle : undefined;
  const letters = laneLetters(view);
  const names = new Map(executionsOf(view).map(({ executionId, agentName }) => [executionId, agentName]));
  if (spans.length === 0) return null;
  return (
    <section class={parts.panel} aria-labelledby="time-title">
      <div class={parts.panelHead}>
        <h2 id="time-title">Time</h2>
        <span class={parts.meta}>{durationText(total)}</span>
      </div>
      <ol class={isLong ? `${s.waterfall} ${s.long}` : s.waterfall}>
        {(isWhole ? spans : spans.slice(0, LONG)).map((span, index) => [
          names.size > 1 &&
            span.executionId !== spans[index - 1]?.executionId &&
            !letters.has(span.executionId) && (
              <li key={`${span.executionId}/name`} class={s.group}>
                <bdi>{names.get(span.executionId)}</bdi>
              </li>
            ),
          <Line key={span.key} span={span} total={total} gap={gap} letter={letters.get(span.executionId)} />,
        ])}
      </ol>
      <p class={s.legend}>
        <Key kind="model" /> Model
        <Key kind="tool" /> Tool
        <Key kind="wait" /> Idle
      </p>
      {idle && (
        <p class={s.squeeze}>
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
        </p>
      )}
    </section>
  );
}

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
  total: number;
  gap: { from: number; to: number } | undefined;
  letter: string | undefined;
}

/** The share of the width that a hidden gap keeps. */
const SQUEEZED = 0.05;

function Line({ span, total, gap, letter }: LineProps) {
  const { label, from, to, kind, isFault, event, iteration } = span;
  const isSeen = useComputed(() => iteration !== undefined && seenIterations.value.has(iteration)).value;
  const place = (at: number): number => {
    if (gap === undefined) return (100 * at) / total;
    const length = gap.to - gap.from;
    const whole = (total - length) / (1 - SQUEEZED);
    const within = Math.min(Math.max(at - gap.from, 0), length);
    return (100 * (at - within + (within / length) * whole * SQUEEZED)) / whole;
  };
  const x = Math.min(99.4, place(from));
  const width = Math.max(0.6, place(to ?? total) - x);
  const took = durationText((to ?? total) - from);
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
