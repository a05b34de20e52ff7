// The steps of an iteration: each event, and each call together with its result.

import type { EventOf, TimelineEvent } from '../../../shared/lists/apiTypes.ts';

/** A call of a tool. */
export type CallEvent = EventOf<'llm_tool_call' | 'mcp_tool_call'>;
/** An event that is no call. */
export type OtherEvent = Exclude<TimelineEvent, CallEvent>;

/** A call of a tool, with its result. Its row exists from its call on. */
export interface CallStep {
  kind: 'call';
  key: string;
  call: CallEvent;
  result?: EventOf<'tool_result'>;
  summary?: EventOf<'mcp_tool_summary'>;
}

interface EventStep {
  kind: 'event';
  key: string;
  event: OtherEvent;
}

/** Errors of the same code, one after the other. */
interface RepeatedStep {
  kind: 'repeated';
  key: string;
  events: EventOf<'error'>[];
}

/** A row of the steps. */
export type Step = CallStep | EventStep | RepeatedStep;

/** So many errors of one code are one row. */
const REPEATED = 3;

/** Whether an event is a call of a tool. */
export function isCall(event: TimelineEvent): event is CallEvent {
  return event.eventType === 'llm_tool_call' || event.eventType === 'mcp_tool_call';
}

/** The execution that a call created; undefined when it created none. */
export function findChildExecution(call: CallEvent): string | undefined {
  return call.eventType === 'llm_tool_call' ? call.metadata.childExecutionId : undefined;
}

/** Events by their number: their order within an execution, never that of their arrival. */
export function byNumber(a: TimelineEvent, b: TimelineEvent): number {
  return a.sequenceNumber - b.sequenceNumber;
}

const known = new WeakMap<readonly TimelineEvent[], readonly Step[]>();

/**
 * The steps of events in any order. A result without its call is a step of its own. Caches the steps of each
 * list of events, because every count reads them.
 */
export function groupSteps(events: readonly TimelineEvent[]): readonly Step[] {
  const steps = known.get(events) ?? makeSteps(events);
  known.set(events, steps);
  return steps;
}

function makeSteps(events: readonly TimelineEvent[]): Step[] {
  const steps: Step[] = [];
  const calls = new Map<string, CallStep>();
  for (const event of events.toSorted(byNumber)) {
    if (isCall(event)) {
      const step: CallStep = { kind: 'call', key: event.eventId, call: event };
      calls.set(event.metadata.callId, step);
      steps.push(step);
    } else if (!isAddedToCall(event, calls)) {
      steps.push({ kind: 'event', key: event.eventId, event });
    }
  }
  return foldRepeated(steps);
}

/** Adds a result or its summary to its call. @returns false if neither, or unknown. */
function isAddedToCall(event: OtherEvent, calls: ReadonlyMap<string, CallStep>): boolean {
  if (event.eventType !== 'tool_result' && event.eventType !== 'mcp_tool_summary') return false;
  const call = calls.get(event.metadata.callId);
  if (call === undefined) return false;
  if (event.eventType === 'mcp_tool_summary') call.summary = event;
  else if (call.result === undefined) call.result = event;
  else return false;
  return true;
}

function foldRepeated(steps: Step[]): Step[] {
  const folded: Step[] = [];
  for (let start = 0; start < steps.length; ) {
    const code = readStepError(steps[start])?.metadata.code;
    let end = start + 1;
    while (code !== undefined && readStepError(steps[end])?.metadata.code === code) end++;
    const run = steps.slice(start, end);
    if (code !== undefined && run.length >= REPEATED) {
      const events = run.flatMap((step) => readStepError(step) ?? []);
      folded.push({ kind: 'repeated', key: run[0]?.key ?? '', events });
    } else {
      folded.push(...run);
    }
    start = end;
  }
  return folded;
}

function readStepError(step: Step | undefined): EventOf<'error'> | undefined {
  return step?.kind === 'event' && step.event.eventType === 'error' ? step.event : undefined;
}

/** All events of a step. */
export function listStepEvents(step: Step): TimelineEvent[] {
  if (step.kind === 'event') return [step.event];
  if (step.kind === 'repeated') return step.events;
  return [step.call, step.result, step.summary].flatMap((event) => event ?? []);
}

/** Whether something went wrong in it. */
export function isFault(step: Step): boolean {
  return listStepEvents(step).some(isFaultEvent);
}

/** Whether an event is an error, or the result of a call that failed or whose effect is not known. */
export function isFaultEvent(event: TimelineEvent): boolean {
  if (event.eventType === 'error') return true;
  return (
    event.eventType === 'tool_result' && (event.metadata.isError || event.metadata.outcome === 'unknown')
  );
}

/** The kinds by which steps are filtered. */
export const STEP_KINDS = ['all', 'tools', 'thinking', 'says', 'errors'] as const;
/** A kind by which steps are filtered. */
export type StepKind = (typeof STEP_KINDS)[number];

/** Whether a step is of a kind. */
export function isOfKind(step: Step, kind: StepKind): boolean {
  switch (kind) {
    case 'all':
      return true;
    case 'tools':
      return step.kind === 'call';
    case 'thinking':
      return step.kind === 'event' && step.event.eventType === 'llm_thinking';
    case 'says':
      return step.kind === 'event' && ['llm_response', 'final_analysis'].includes(step.event.eventType);
    case 'errors':
      return isFault(step);
  }
}

const counted = new WeakMap<readonly Step[], Record<StepKind, number>>();

/** How many steps there are of each kind. Counted once for each list of steps. */
export function countSteps(steps: readonly Step[]): Record<StepKind, number> {
  const known = counted.get(steps);
  if (known !== undefined) return known;
  const counts = { all: 0, tools: 0, thinking: 0, says: 0, errors: 0 };
  for (const step of steps) for (const kind of STEP_KINDS) if (isOfKind(step, kind)) counts[kind]++;
  counted.set(steps, counts);
  return counts;
}

/** Whether a text stands in a step. @param text in lower case. */
export function contains(step: Step, text: string): boolean {
  return listStepEvents(step).some(({ content, eventType, metadata }) =>
    `${eventType} ${content} ${JSON.stringify(metadata)}`.toLowerCase().includes(text),
  );
}

/** The heading of an iteration: the response, else the thinking, else the names of its tools. */
export function chooseIterationHeading(events: readonly TimelineEvent[]): string {
  const sorted = events.toSorted(byNumber);
  const first = (type: string) => sorted.find(({ eventType }) => eventType === type)?.content.trim();
  const response = first('llm_response') ?? first('llm_thinking');
  if (response !== undefined && response !== '') return response;
  const tools = sorted.filter(isCall).map(({ metadata }) => metadata.toolName);
  if (tools.length > 0) return [...new Set(tools.map(shortName))].join(', ');
  if (sorted.some(({ eventType }) => eventType === 'final_analysis')) return 'Final analysis';
  const other = sorted.find(({ eventType }) => eventType !== 'task_assigned') ?? sorted[0];
  return other?.content ?? '';
}

/** Characters of a heading. */
const HEADING = 220;
/** Characters of markdown. Within a word, as in `MAX_ENTRIES`, an underscore is none. */
const MARKDOWN = /[*`#[\]|]|(?<!\w)_|_(?!\w)/;

/**
 * A text as heading and rest, so that no words stand twice: the heading is its first sentence or line, where
 * that is plain and short. Undefined where the text cannot be split.
 */
export function splitHeading(text: string): { heading: string; rest: string } | undefined {
  const whole = text.trim();
  const end = /^[\s\S]*?(?:[.!?:](?=\s)|(?=\n)|$)/.exec(whole)?.[0] ?? '';
  const heading = end.trim();
  if (
    heading === '' ||
    heading.length > HEADING ||
    MARKDOWN.test(heading) ||
    /^(?:[->]|\d+[.)]\s)/.test(whole)
  )
    return undefined;
  return { heading, rest: whole.slice(end.length).trim() };
}

/** The name of a tool without its server. */
export function shortName(toolName: string): string {
  return toolName.slice(toolName.lastIndexOf('.') + 1);
}

/** The arguments of a call as pairs; a text that is no JSON object has an empty name. */
export function parseArgumentPairs(text: string): [string, string][] {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return Object.entries(value).map(([name, one]) => [name, argumentText(one)]);
  } catch {
    // Shown as it came.
  }
  return text === '' ? [] : [['', text]];
}

function argumentText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 1);
}
