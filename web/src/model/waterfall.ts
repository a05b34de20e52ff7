// Where the time went: spans of models and tools, and times in which nothing ran.

import type { ModelCall, SessionView, TimelineEvent } from '../../../shared/api/types.ts';
import { isFaultEvent, shortName } from './steps.ts';

/** A line of the waterfall. Times are milliseconds since the session was opened. */
export interface Span {
  key: string;
  executionId: string;
  kind: 'model' | 'tool' | 'wait';
  label: string;
  from: number;
  /** Null while it runs. */
  to: number | null;
  isFault: boolean;
  /** The event it leads to. */
  event: TimelineEvent | undefined;
  /** The iteration it is of; undefined where there is none. */
  iteration: string | undefined;
}

/** The model call of an iteration, if it is known. */
export type CallOf = (executionId: string, iteration: number | null) => ModelCall | undefined;

/** Above so many lines only iterations are drawn. */
const MAX_LINES = 60;
/** Shorter times in which nothing ran are not drawn. */
const SHORTEST_WAIT_MS = 50;

/**
 * The spans of a session, by execution and time.
 * @param callOf When and for how long a model was asked. Where it is not known, a model's time holds the way to its function.
 */
export function spansOf(view: SessionView, events: readonly TimelineEvent[], callOf: CallOf): Span[] {
  const startMs = Date.parse(view.createdAt);
  const at = (iso: string) => Math.max(0, Date.parse(iso) - startMs);
  const written = events.filter(({ status }) => status !== 'streaming');
  const byExecution = Map.groupBy(written, ({ executionId }) => executionId);
  // Questions are asked after the session has ended.
  const executions = view.stages.flatMap(({ kind, executions }) =>
    ['chat', 'probe'].includes(kind) ? [] : executions,
  );
  const spans = executions.flatMap((execution): Span[] => {
    const { executionId, createdAt, startedAt, endedAt, status } = execution;
    const own = byExecution.get(executionId) ?? [];
    const made: Span[] = [];
    const started = startedAt === null ? null : at(startedAt);
    const created = at(createdAt);
    const isLate = (started ?? at(view.now)) - created >= SHORTEST_WAIT_MS;
    if (isLate)
      made.push({
        ...{ key: `${executionId}/wait`, executionId, kind: 'wait', label: 'Queue, start' },
        ...{ from: created, to: started, isFault: false, event: undefined },
        iteration: undefined,
      });
    let free = started ?? created;
    const iterations = [...Map.groupBy(own, ({ iteration, createdAt: time }) => iteration ?? time)];
    for (const [number, group] of iterations.sort(bySequence)) {
      const sorted = group.toSorted((a, b) => a.sequenceNumber - b.sequenceNumber);
      const answer = sorted.find(
        ({ eventType }) => eventType !== 'task_assigned' && eventType !== 'tool_result',
      );
      if (answer === undefined) continue;
      const stored = Math.max(free, at(answer.createdAt));
      const call = callOf(executionId, answer.iteration);
      // Clocks of functions differ slightly; no span starts before the one that it follows.
      const from = call === undefined ? free : Math.min(stored, Math.max(free, at(call.startedAt)));
      const answered = call === undefined ? stored : Math.min(stored, from + call.durationMs);
      const iteration = `${executionId}/${number}`;
      if (from - free >= SHORTEST_WAIT_MS)
        made.push({
          ...{ key: `${iteration}/wait`, executionId, kind: 'wait', label: 'Queue, start' },
          ...{ from: free, to: from, isFault: false, event: undefined, iteration },
        });
      made.push({
        ...{ key: iteration, executionId, kind: 'model', label: `${number} Model` },
        ...{ from, to: answered, isFault: sorted.some(isFaultEvent), event: answer, iteration },
      });
      free = answered;
      for (const result of sorted.filter((event) => event.eventType === 'tool_result')) {
        const to = at(result.createdAt);
        const took = result.metadata.durationMs ?? 0;
        made.push({
          ...{
            key: result.eventId,
            executionId,
            kind: 'tool',
            label: shortName(result.metadata.toolName),
          },
          ...{ from: Math.max(0, to - took), to, isFault: isFaultEvent(result), event: result, iteration },
        });
        free = Math.max(free, to);
      }
    }
    if (endedAt === null && startedAt !== null && status === 'active')
      made.push({
        ...{ key: `${executionId}/now`, executionId, kind: 'model', label: 'Now' },
        ...{ from: free, to: null, isFault: false, event: undefined, iteration: undefined },
      });
    return made;
  });
  return spans.length > MAX_LINES ? spans.filter(({ kind }) => kind === 'model') : spans;
}

function bySequence([, a]: [unknown, TimelineEvent[]], [, b]: [unknown, TimelineEvent[]]): number {
  return (a[0]?.sequenceNumber ?? 0) - (b[0]?.sequenceNumber ?? 0);
}

/** The longest time in which nothing ran, if it is over 30 % of the whole. */
export function longestIdle(spans: readonly Span[], total: number): { from: number; to: number } | undefined {
  let free = 0;
  let longest = { from: 0, to: 0 };
  const busy = spans.filter(({ kind }) => kind !== 'wait').sort((a, b) => a.from - b.from);
  for (const { from, to } of busy) {
    if (from - free > longest.to - longest.from) longest = { from: free, to: from };
    free = Math.max(free, to ?? total);
  }
  return longest.to - longest.from > total * 0.3 ? longest : undefined;
}
