// What happens in a session, in sentences: for the now-line and for those who hear the page.

import type { ExecutionView, SessionView, TimelineEvent } from '../../../../shared/api/types.ts';
import { durationText } from '../../model/format.ts';
import { hasEnded } from '../../model/status.ts';
import { metaText, shortName } from '../../model/steps.ts';
import { laneLetters } from './lanes.ts';

const VERBS: Record<string, string> = {
  llm_thinking: 'thinks',
  llm_response: 'says something',
  llm_tool_call: 'calls a tool',
  mcp_tool_call: 'calls a tool',
  tool_result: 'has a result',
  error: 'met an error',
  final_analysis: 'wrote what it found',
  executive_summary: 'wrote a summary',
  user_question: 'is asked something',
  task_assigned: 'was given a task',
};

/** An event as a sentence: "Agent B, iteration 3: calls a tool (get_logs)". */
export function sentenceOf(event: TimelineEvent, view: SessionView | undefined): string {
  const execution = executionsOf(view).find(({ executionId }) => executionId === event.executionId);
  const letter = view === undefined ? undefined : laneLetters(view).get(event.executionId);
  const who = letter === undefined ? (execution?.agentName ?? 'The session') : `Agent ${letter}`;
  const iteration = event.iteration === null ? '' : `, iteration ${event.iteration}`;
  const tool = metaText(event, 'toolName');
  const what = VERBS[event.eventType] ?? event.eventType.replaceAll('_', ' ');
  return `${who}${iteration}: ${what}${tool === '' ? '' : ` (${shortName(tool)})`}`;
}

/** When a deferred session starts without a user; empty if it does not. */
function startText(deferral: SessionView['deferral']): string {
  if (deferral?.until) return ` It starts by itself at ${deferral.until.slice(11, 16)} UTC.`;
  return deferral?.budgets ? ' It starts by itself when the budget has room.' : '';
}

/** What happens now. */
export interface Now {
  status: string;
  lead: string;
  rest: string;
}

/** Who does what, or why nothing happens. @param now the server's time in milliseconds. */
export function nowOf(view: SessionView, now: number): Now {
  const { status, steering, approvals, deferral } = view;
  const since = (iso: string) => durationText(Math.max(0, now - Date.parse(iso)));
  if (status === 'deferred')
    return {
      status: 'deferred',
      lead: 'Not started.',
      rest: `It was deferred (${deferral?.reason ?? 'for a reason that is not known'}).${startText(deferral)}`,
    };
  if (status === 'cancelling')
    return { status, lead: 'Is being cancelled.', rest: 'What runs now is still finished.' };
  const asked = approvals.find((approval) => approval.status === 'pending');
  if (asked !== undefined)
    return {
      status: 'waits',
      lead: 'Waits for you.',
      rest: `${asked.agentName} asks to run ${shortName(asked.toolName)}.`,
    };
  if (steering.paused !== null)
    return {
      status: 'paused',
      lead: `Paused by ${steering.paused.by}, ${since(steering.paused.at)} ago.`,
      rest: 'Its deadline runs on.',
    };
  const running = executionsOf(view).filter((execution) => !hasEnded(execution.status));
  const [first] = running;
  if (first === undefined)
    return { status: 'in_progress', lead: 'Waits for a function.', rest: 'The next stage begins.' };
  const stage = view.stages.find(({ executions }) => executions.includes(first));
  const done =
    stage?.executions.filter((one) => one.parentExecutionId === null && hasEnded(one.status)) ?? [];
  if (running.length === 1 && done.length === 0)
    return { status: 'in_progress', lead: doing(first), rest: '' };
  if (running.length === 1) {
    const rest = `${done.map(({ agentName }) => agentName).join(', ')} ${done.length === 1 ? 'is' : 'are'} done, ${doing(first)}`;
    return { status: 'in_progress', lead: `${done.length + 1} agents investigate.`, rest };
  }
  return {
    status: 'in_progress',
    lead: `${running.length} agents investigate.`,
    rest: running.map(doing).join(' '),
  };
}

function doing(execution: ExecutionView): string {
  const { agentName, status, startedAt, openCalls, iteration } = execution;
  if (startedAt === null || status === 'pending') return `${agentName} waits for a function.`;
  const names = openCalls.map(({ name }) => shortName(name));
  if (names.length > 0) return `${agentName} waits for ${[...new Set(names)].join(', ')}.`;
  return `${agentName} asks the model, iteration ${iteration}.`;
}

/** All executions of a session. */
export function executionsOf(view: SessionView | undefined): ExecutionView[] {
  return view?.stages.flatMap(({ executions }) => executions) ?? [];
}
