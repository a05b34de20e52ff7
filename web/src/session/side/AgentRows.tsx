// The time of many agents: a row for each, with a segment for each model call and tool.

import type { SessionView } from '../../../../shared/lists/apiTypes.ts';
import { stepId } from '../../model/address.ts';
import { durationText } from '../../model/format.ts';
import type { TimeRange } from '../../model/timeRange.ts';
import type { Span } from '../../model/waterfall.ts';
import { laneLetters, laneTone } from '../state/lanes.ts';
import { listExecutions } from '../state/sentences.ts';
import lanes from '../steps/lanes.module.css';
import s from './waterfall.module.css';

interface AgentRowsProps {
  view: SessionView;
  /** Those of the shown part. */
  spans: readonly Span[];
  shown: TimeRange;
}

/** Rows by agent, in the order of their spans. Each leads to the first step of its agent. */
export function AgentRows({ view, spans, shown }: AgentRowsProps) {
  const letters = laneLetters(view);
  const names = new Map(listExecutions(view).map(({ executionId, agentName }) => [executionId, agentName]));
  const byExecution = Map.groupBy(spans, ({ executionId }) => executionId);
  return (
    <ol class={s.waterfall}>
      {[...byExecution].map(([executionId, own]) => {
        const letter = letters.get(executionId);
        const from = Math.min(...own.map((span) => span.from));
        const to = Math.max(...own.map((span) => span.to ?? shown.to));
        const event = own.find((span) => span.event !== undefined)?.event;
        const words = (
          <>
            <span class={s.spanName}>
              {letter && <span class={`${lanes.letter} ${lanes[`tone-${laneTone(letter)}`]}`}>{letter}</span>}
              <bdi>{names.get(executionId)}</bdi>
            </span>
            <svg class={s.bar} aria-hidden="true" preserveAspectRatio="none">
              {own.map((span) => (
                <Segment key={span.key} span={span} shown={shown} />
              ))}
            </svg>
            <span class={s.spanTime}>{durationText(to - from)}</span>
          </>
        );
        return (
          <li key={executionId}>
            {event === undefined ? (
              <div class={s.span}>{words}</div>
            ) : (
              <a class={s.span} href={`#${stepId(event)}`}>
                {words}
              </a>
            )}
          </li>
        );
      })}
    </ol>
  );
}

/** A segment is never narrower than can be seen. */
const NARROWEST = 0.8;

function Segment({ span: { from, to, kind, isFault }, shown }: { span: Span; shown: TimeRange }) {
  const place = (at: number) =>
    Math.min(100, Math.max(0, (100 * (at - shown.from)) / (shown.to - shown.from)));
  const x = place(from);
  const width = Math.max(NARROWEST, place(to ?? shown.to) - x);
  return (
    <rect
      class={isFault ? s.faultTick : undefined}
      data-kind={kind}
      x={`${Math.min(100 - NARROWEST, x)}%`}
      y={kind === 'wait' ? 6 : 3}
      width={`${width}%`}
      height={kind === 'wait' ? 2 : 8}
      rx="1"
    />
  );
}
