// Prints a timeline as it grows: append-only lines for people, or one JSON document per line.

import pc from 'picocolors';
import { EVENTS } from '../../shared/api/events/eventDisplay.ts';
import { knownTotal } from '../../shared/client/knownTotal.ts';
import { SCRIPTED } from '../../shared/core/contract/scriptedModel.ts';
import { caveatText } from '../../shared/core/prompts/findings.ts';
import type { TokenUsage } from '../../shared/core/schema/common.ts';
import type { Cost } from '../../shared/core/schema/cost.ts';
import { numberedId } from '../../shared/core/schema/ids.ts';
import type { Unreadable } from '../../shared/core/schema/readable.ts';
import type { TimelineEvent } from '../../shared/core/schema/timelineEvent.ts';
import { markConfidence } from '../../shared/evidence/statedConfidence.ts';
import type { SessionView } from '../../shared/kits/views/sessionView.ts';
import { dollarsText } from '../../shared/text/amounts.ts';
import { quoteText } from '../../shared/text/cut.ts';
import { printableText } from '../process/output.ts';
import { type HeadedSession, headLines } from './headLines.ts';
import { wrapText } from './textTable.ts';

/** Lines shown of a tool's output or a thought; the whole text is in Firestore. */
const MAX_LINES = 12;
const MAX_COLUMNS = 160;

/** Events whose text is prose. */
const PROSE: ReadonlySet<string> = new Set([
  'llm_thinking',
  'llm_response',
  'final_analysis',
  'executive_summary',
  'notice',
  'error',
]);
/** Code with a blank in it, or a command behind its label or alone. */
const HAS_COMMAND = /`[^`]*\S \S[^`]*`|^(?:Do now: )?(?:kubectl|gcloud|helm|docker|systemctl|psql|npx) /;

type EndedSession = Pick<
  SessionView,
  | 'sessionId'
  | 'status'
  | 'caveats'
  | 'partial'
  | 'failure'
  | 'tokens'
  | 'cost'
  | 'createdAt'
  | 'endedAt'
  | 'routing'
> &
  HeadedSession & {
    chain: string;
    /** Absent: as null. */
    budgetToRaise?: string | null;
    /** Documents that cannot be read. Absent: none. */
    unreadable?: readonly Unreadable[];
  };

/** Prints one investigation. */
export interface Printer {
  /** Prints an event of the timeline. */
  event(event: TimelineEvent): void;
  /**
   * Prints the outcome of the session.
   * @param where its document, for people.
   * @param models the model versions in the answers.
   */
  end(session: EndedSession, where: string, models?: string[]): void;
}

/** One JSON object per line: `{"type":"event",…}` per event, then one `{"type":"session",…}`. */
export function jsonPrinter(write: (line: string) => void): Printer {
  return {
    event: (event) => write(JSON.stringify({ type: 'event', ...event })),
    end(session, where, models = []) {
      const { sessionId, chain, routing, status, finalAnalysis, executiveSummary, caveats, partial } =
        session;
      const { verdict, failure, tokens, cost, problem } = session;
      const { createdAt, endedAt } = session;
      const durationMs = endedAt === null ? null : endedAt.getTime() - createdAt.getTime();
      const summary = {
        sessionId,
        chain,
        routing,
        problem,
        status,
        finalAnalysis,
        executiveSummary,
        verdict,
        caveats,
        partial,
        failure,
        tokens,
        cost,
        durationMs,
        models,
        firestore: where,
      };
      write(JSON.stringify({ type: 'session', ...summary }));
    },
  };
}

/**
 * Lines for people, with colours if `color` is set.
 * @param command returns the shell command before `approve ID`. Default: `npx --no inquest`.
 * @param columns the width of the terminal: prose is wrapped between words. Default: no line is wrapped.
 */
export function textPrinter(
  write: (line: string) => void,
  color: boolean,
  command: () => string = () => 'npx --no inquest',
  columns?: number,
): Printer {
  const c = pc.createColors(color);
  const paint = (event: TimelineEvent, text: string): string => {
    if (event.status === 'failed' || event.status === 'timed_out') return c.red(text);
    if (isPartialResult(event) || isApprovalRequest(event)) return c.bold(c.yellow(text));
    if (event.eventType === 'final_analysis') {
      return c.bold(headingNotes(event.metadata) === '' ? c.green(text) : c.yellow(text));
    }
    if (event.eventType === 'executive_summary') return c.bold(c.green(text));
    if (event.eventType === 'llm_thinking') return c.magenta(text);
    return c.cyan(text);
  };
  /** The lines of a text behind an indent. A command stays whole, so that it can be copied. */
  const wrapped = (line: string, indent: number): string[] =>
    columns === undefined || line === '' || HAS_COMMAND.test(line)
      ? [line]
      : wrapText(line, columns - indent);
  const answering = new Set<string>();
  /** Error messages that were printed before. */
  const errors = new Set<string>();
  const withoutErrors = (text: string): string =>
    [...errors].reduce(
      (rest, one) => rest.replaceAll(`: ${one}`, '').replaceAll(one, 'See the error above.'),
      text,
    );
  return {
    event(event) {
      if (event.eventType === 'user_question') answering.add(event.executionId);
      const isAnswer = event.eventType === 'final_analysis' && answering.has(event.executionId);
      const time = event.createdAt.toISOString().slice(11, 19);
      const label = isAnswer ? 'ANSWER' : chooseEventLabel(event);
      write(`${c.dim(time)}  ${event.executionId}  ${paint(event, label)}${describeEventDetail(event)}`);
      const shown = isPartialResult(event) ? { ...event, content: withoutErrors(event.content) } : event;
      for (const line of contentLines(shown))
        for (const part of PROSE.has(event.eventType) ? wrapped(line, 10) : [line])
          write(`          ${part}`);
      if (event.eventType === 'error' && event.content.trim() !== '') errors.add(event.content.trim());
      for (const line of approvalCommands(event, command)) write(`          ${c.bold(line)}`);
    },
    end(session, where, models = []) {
      const { sessionId, chain, routing, status, caveats, partial, failure, finalAnalysis } = session;
      const { tokens, cost, createdAt, endedAt, unreadable = [] } = session;
      const seconds = ((endedAt ?? createdAt).getTime() - createdAt.getTime()) / 1000;
      const isCompleted = status === 'completed';
      // No event holds the analysis of a failed session, for example of the agents before a failed synthesis.
      if (!isCompleted && finalAnalysis !== null) {
        write('');
        write(c.bold(c.yellow('ANALYSES BEFORE THE FAILURE')));
        for (const line of printableText(finalAnalysis).trimEnd().split('\n')) write(`          ${line}`);
      }
      write('');
      write(`Session    ${sessionId}  ${isCompleted ? c.green(status) : c.red(status)}`);
      write(`Chain      ${chain}${routing === null ? '' : `: ${printableText(routing.text)}`}`);
      if (failure !== null) {
        const text = withoutErrors(`${failure.code}: ${failure.message}`);
        write(`Failure    ${printableText(text === failure.code ? `${text} (the error above)` : text)}`);
      }
      if (partial !== null) write(`Partial    ${printableText(partial.reason)}: see PARTIAL RESULT above`);
      for (const { executionId, code } of caveats) {
        write(
          `Caveat     the analysis of ${printableText(executionId)} was ${printableText(caveatText(code))}`,
        );
      }
      if (session.budgetToRaise) write(`Raise      ${printableText(session.budgetToRaise)}`);
      write(`Duration   ${seconds.toFixed(1)} s`);
      write(`Tokens     ${knownTotal(tokens.total, tokensText(tokens), unreadable)}`);
      write(`Cost       ${knownTotal(cost.usd, costText(cost), unreadable)}`);
      if (models.length > 0) write(`Model      ${printableText(models.join(', '))}`);
      if (models.some((model) => model.startsWith(SCRIPTED))) {
        write('           The answers come from a script and fit only the alert of its example.');
      }
      write(`Firestore  ${where}`);
      for (const [label, line] of headLines(session, new Date()))
        for (const [index, part] of wrapped(line, 11).entries())
          write(`${(index === 0 ? label : '').padEnd(11)}${part}`);
    },
  };
}

/** Tokens of a session, with the cached part of the input if there is one. */
export function tokensText({ total, input, cached, output, thinking }: TokenUsage): string {
  const repeated = cached > 0 ? ` of which ${cached} cached,` : '';
  return `${total} (${input} in,${repeated} ${output} out, ${thinking} thinking)`;
}

/** The cost of a session. It is a lower bound if prices of calls are unknown. */
export function costText({ usd, unpricedCalls }: Cost): string {
  const sum = dollarsText(usd, 'less than ');
  if (unpricedCalls === 0) return sum;
  const calls = `${unpricedCalls} model ${unpricedCalls === 1 ? 'call' : 'calls'} without a price in prices.yaml`;
  return usd === 0 ? `unknown: ${calls}` : `at least ${sum}, and ${calls}`;
}

/** Whether it is the event with the partial result of a session that ended early. */
function isPartialResult(event: TimelineEvent): boolean {
  return event.eventType === 'notice' && event.metadata.code === 'partial_result';
}

/** Whether it is the event of a call that waits for approval. */
function isApprovalRequest(event: TimelineEvent): boolean {
  return event.eventType === 'notice' && event.metadata.code === 'approval_requested';
}

function chooseEventLabel(event: TimelineEvent): string {
  if (isPartialResult(event)) return 'PARTIAL RESULT';
  if (isApprovalRequest(event)) return 'NEEDS APPROVAL';
  const { label } = EVENTS[event.eventType];
  const isAnswer = event.eventType === 'final_analysis' || event.eventType === 'executive_summary';
  return isAnswer ? label.toUpperCase() : label.toLowerCase();
}

/** The commands that approve or deny a waiting call. */
function approvalCommands(event: TimelineEvent, command: () => string): string[] {
  if (event.eventType !== 'notice' || !isApprovalRequest(event)) return [];
  const { approvalId } = event.metadata;
  if (approvalId === undefined) return [];
  return [`${command()} approve ${approvalId}`, `${command()} deny ${approvalId} --reason "…"`];
}

/** Notes about faults of an analysis, for its heading; empty when there is none. */
function headingNotes({
  forcedConclusion,
  truncated,
  outputFault,
}: {
  forcedConclusion?: unknown;
  truncated?: unknown;
  outputFault?: unknown;
}): string {
  const notes = [
    ...(forcedConclusion ? ['forced conclusion'] : []),
    ...(truncated ? [caveatText('MODEL_TRUNCATED')] : []),
    ...(outputFault ? [caveatText('OUTPUT_INVALID')] : []),
  ];
  return notes.length === 0 ? '' : ` (${notes.join('; ')})`;
}

function describeEventDetail(event: TimelineEvent): string {
  if (event.eventType === 'final_analysis') return headingNotes(event.metadata);
  if (event.eventType === 'user_question') return ` by ${printableText(event.metadata.askedBy)}`;
  if (event.eventType === 'user_guidance') {
    const { number, givenBy } = event.metadata;
    return `${number === undefined ? '' : ` ${number}`} by ${printableText(givenBy)}`;
  }
  if (event.eventType === 'task_assigned') return ` to ${printableText(event.metadata.agentName)}`;
  if (event.eventType === 'llm_tool_call' && event.metadata.childExecutionId !== undefined)
    return ` (${event.metadata.childExecutionId})`;
  if (event.eventType !== 'tool_result') return '';
  const { toolName, durationMs, truncated } = event.metadata;
  const took = durationMs === null ? '' : ` in ${durationMs} ms`;
  return ` ${printableText(toolName)}${took}${truncated ? ', cut at the limit' : ''}`;
}

function contentLines(event: TimelineEvent): string[] {
  const isAnalysis = event.eventType === 'final_analysis' || event.eventType === 'executive_summary';
  const content = isAnalysis ? markConfidence(event.content) : event.content;
  const lines = printableText(content).trimEnd().split('\n');
  if (isAnalysis || event.eventType === 'error' || isPartialResult(event)) return lines;
  const shown = lines.slice(0, MAX_LINES).map((line) => quoteText(line, MAX_COLUMNS));
  if (lines.length > MAX_LINES) {
    const id = numberedId(event.executionId, event.sequenceNumber);
    shown.push(`… ${lines.length - MAX_LINES} more lines in timeline/${id}`);
  }
  return shown;
}
