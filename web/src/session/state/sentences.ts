// Sentences about the activity of a session: for the now-line and for screen readers.

import type { ExecutionView, SessionView, TimelineEvent } from '../../../../shared/lists/apiTypes.ts';
import { clockText, durationText } from '../../model/format.ts';
import { hasEnded } from '../../model/status.ts';
import { isCall, shortName } from '../../model/steps.ts';
import { wordsOfEvent } from '../../parts/eventDisplay.ts';
import { laneLetters } from './lanes.ts';

/** An event as a sentence: "Agent B, iteration 3: called a tool (get_logs)". */
export function describeEvent(event: TimelineEvent, view: SessionView | undefined): string {
  const execution = listExecutions(view).find(({ executionId }) => executionId === event.executionId);
  const letter = view === undefined ? undefined : laneLetters(view).get(event.executionId);
  const who = letter === undefined ? (execution?.agentName ?? 'The session') : `Agent ${letter}`;
  const iteration = event.iteration === null ? '' : `, iteration ${event.iteration}`;
  const { verb } = wordsOfEvent(event.eventType);
  const hasTool =
    isCall(event) || event.eventType === 'tool_result' || event.eventType === 'mcp_tool_summary';
  const tool = hasTool ? ` (${shortName(event.metadata.toolName)})` : '';
  return `${who}${iteration}: ${verb}${tool}`;
}

/** When a deferred session starts without a user; empty if it does not. */
function startText(deferral: SessionView['deferral']): string {
  if (deferral?.until) return ` Starts automatically at ${deferral.until.slice(11, 16)} UTC.`;
  return deferral?.budgets ? ' Starts automatically when the budget has room.' : '';
}

/** The current activity. */
interface Now {
  status: string;
  lead: string;
  rest: string;
}

/** The current activity, or the reason for none. @param now the server's time in milliseconds. */
export function describeNow(view: SessionView, now: number): Now {
  const { status, steering, approvals, deferral } = view;
  const since = (iso: string) => durationText(Math.max(0, now - Date.parse(iso)));
  if (status === 'deferred')
    return {
      status: 'deferred',
      lead: 'Not started.',
      rest: `Deferred: ${deferral?.reason ?? 'unknown reason'}.${startText(deferral)}`,
    };
  if (status === 'cancelling') return { status, lead: 'Cancelling.', rest: 'Running calls finish first.' };
  const pending = approvals.find((approval) => approval.status === 'pending');
  if (pending !== undefined)
    return {
      status: 'waits',
      lead: 'Waiting for approval.',
      rest: `${pending.agentName} requests to run ${shortName(pending.toolName)}.`,
    };
  if (steering.paused !== null)
    return {
      status: 'paused',
      lead: `Paused by ${steering.paused.by}, ${since(steering.paused.at)} ago.`,
      rest: 'The deadline does not change.',
    };
  const running = listExecutions(view).filter((execution) => !hasEnded(execution.status));
  const [first] = running;
  if (first === undefined)
    return { status: 'in_progress', lead: 'Waiting for a function.', rest: 'The next stage starts.' };
  const stage = view.stages.find(({ executions }) => executions.includes(first));
  const done =
    stage?.executions.filter((one) => one.parentExecutionId === null && hasEnded(one.status)) ?? [];
  if (running.length === 1 && done.length === 0)
    return { status: 'in_progress', lead: describeExecutionActivity(first), rest: sinceText(first, now) };
  if (running.length === 1) {
    const rest = `${done.map(({ agentName }) => agentName).join(', ')} finished.`;
    return { status: 'in_progress', lead: describeExecutionActivity(first), rest };
  }
  return {
    status: 'in_progress',
    lead: `${running.length} agents are running.`,
    rest: running.map(describeExecutionActivity).join(' '),
  };
}

function describeExecutionActivity(execution: ExecutionView): string {
  const { agentName, status, startedAt, openCalls, iteration, waitsForModelSince } = execution;
  if (startedAt === null || status === 'pending') return `${agentName} is waiting for a function.`;
  const names = openCalls.map(({ name }) => shortName(name));
  if (names.length > 0) return `${agentName} is waiting for ${[...new Set(names)].join(', ')}.`;
  if (waitsForModelSince !== null)
    return `${agentName} has been waiting for the model since ${clockText(waitsForModelSince)}.`;
  return `${agentName} is calling the model (iteration ${iteration}).`;
}

/** How long an agent has been running. */
function sinceText({ startedAt, maxIterations }: ExecutionView, now: number): string {
  if (startedAt === null) return '';
  return `Running for ${durationText(Math.max(0, now - Date.parse(startedAt)))}, at most ${maxIterations} iterations.`;
}

/** All executions of a session. */
export function listExecutions(view: SessionView | undefined): ExecutionView[] {
  return view?.stages.flatMap(({ executions }) => executions) ?? [];
}
