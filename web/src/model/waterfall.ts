// Where the time went: spans of models and tools, and times in which nothing ran.

import type { ModelCall, SessionView, TimelineEvent } from '../../../shared/lists/apiTypes.ts';
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

type CallOf = (executionId: string, iteration: number | null) => ModelCall | undefined;

/** Above so many lines only iterations are drawn. */
const MAX_LINES = 60;
/** Shorter times in which nothing ran are not drawn. */
const SHORTEST_WAIT_MS = 50;

/**
 * The spans of a session, by execution and time.
 * @param callOf When and for how long a model was asked. Where it is not known, a model's time holds the way
 * to its function.
 */
export function buildWaterfallSpans(
  view: SessionView,
  events: readonly TimelineEvent[],
  callOf: CallOf,
): Span[] {
  const startMs = Date.parse(view.createdAt);
  const at = (iso: string) => Math.max(0, Date.parse(iso) - startMs);
  const written = events.filter(({ status }) => status !== 'streaming');
  const byExecution = Map.groupBy(written, ({ executionId }) => executionId);
  // Questions are asked after the session has ended.
  const executions = view.stages.flatMap(({ kind, executions }) =>
    ['chat', 'probe'].includes(kind) ? [] : executions,
  );
  const spans = executions.flatMap((execution) =>
    spansOfExecution(execution, byExecution.get(execution.executionId) ?? [], at, at(view.now), callOf),
  );
  return spans.length > MAX_LINES ? spans.filter(({ kind }) => kind === 'model') : spans;
}

type ExecutionView = SessionView['stages'][number]['executions'][number];

/**
 * The spans of one execution.
 * @param at Milliseconds since the session was opened of a time as a string.
 * @param nowMs Now, in milliseconds since the session was opened.
 */
function spansOfExecution(
  { executionId, createdAt, startedAt, endedAt, status }: ExecutionView,
  events: readonly TimelineEvent[],
  at: (iso: string) => number,
  nowMs: number,
  callOf: CallOf,
): Span[] {
  const spans: Span[] = [];
  const started = startedAt === null ? null : at(startedAt);
  const created = at(createdAt);
  if ((started ?? nowMs) - created >= SHORTEST_WAIT_MS) spans.push(waitSpan(executionId, created, started));
  let free = started ?? created;
  const iterations = [...Map.groupBy(events, ({ iteration, createdAt: time }) => iteration ?? time)];
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
    const to = call === undefined ? stored : Math.min(stored, from + call.durationMs);
    const iteration = `${executionId}/${number}`;
    if (from - free >= SHORTEST_WAIT_MS) spans.push(waitSpan(executionId, free, from, iteration));
    spans.push({
      key: iteration,
      executionId,
      kind: 'model',
      label: `${number} Model`,
      from,
      to,
      isFault: sorted.some(isFaultEvent),
      event: answer,
      iteration,
    });
    const tools = sorted
      .filter((event) => event.eventType === 'tool_result')
      .map((result) => toolSpan(executionId, result, at(result.createdAt), iteration));
    spans.push(...tools);
    free = Math.max(to, ...tools.map((tool) => tool.to));
  }
  if (endedAt === null && startedAt !== null && status === 'active')
    spans.push({
      key: `${executionId}/now`,
      executionId,
      kind: 'model',
      label: 'Now',
      from: free,
      to: null,
      isFault: false,
      event: undefined,
      iteration: undefined,
    });
  return spans;
}

function waitSpan(executionId: string, from: number, to: number | null, iteration?: string): Span {
  return {
    key: `${iteration ?? executionId}/wait`,
    executionId,
    kind: 'wait',
    label: 'Queue, start',
    from,
    to,
    isFault: false,
    event: undefined,
    iteration,
  };
}

function toolSpan(
  executionId: string,
  result: TimelineEvent & { eventType: 'tool_result' },
  to: number,
  iteration: string,
) {
  return {
    key: result.eventId,
    executionId,
    kind: 'tool' as const,
    label: shortName(result.metadata.toolName),
    from: Math.max(0, to - (result.metadata.durationMs ?? 0)),
    to,
    isFault: isFaultEvent(result),
    event: result,
    iteration,
  };
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
