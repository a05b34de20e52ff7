// Describes for people the work of agents that reached no analysis. Pure.

import { limitHead } from '../../text/limitText.ts';
import { describeSteps, indentLines } from '../prompts/evidence.ts';
import type { Failure } from '../schema/common.ts';
import type { Execution } from '../schema/execution.ts';
import type { AgentWork } from './agentWork.ts';

/** An execution that ended without an analysis. */
export interface Attempt {
  /** Id of the execution. */
  executionId: string;
  /** Name of its agent. */
  agent: string;
  /** The status at its end. */
  status: Execution['status'];
  /** Why it ended; null when that is not stored. */
  failure: Failure | null;
  /** Undefined when it cannot be read. */
  work: AgentWork | undefined;
  /** Why the work cannot be read; null when it can. */
  unread: string | null;
}

/** Errors that an attempt shows: the last ones. */
const MAX_ERRORS = 5;
/** Bytes of one error. */
const MAX_ERROR_BYTES = 500;
/** Share of an attempt's room for its calls; errors and last words take the rest. */
const STEPS_SHARE = 0.6;

/**
 * A section for each attempt, with an equal share of `maxBytes`: its calls with their status and the start of
 * their results, its errors, and the last words of its agent. Empty without attempts.
 * @param omitted number of earlier attempts; they are only counted.
 */
export function describeAttempts(attempts: Attempt[], omitted: number, maxBytes: number): string {
  if (attempts.length === 0) return '';
  const share = Math.floor(maxBytes / attempts.length);
  const sections = attempts.map((attempt) => limitHead(describeAttempt(attempt, share), share));
  const earlier = omitted > 0 ? [`${omitted} earlier agents without an analysis are not shown.`] : [];
  return ['What was looked at without reaching an analysis:', ...earlier, ...sections].join('\n\n');
}

function describeAttempt(
  { executionId, agent, status, failure, work, unread }: Attempt,
  maxBytes: number,
): string {
  const cause = failure === null ? '' : `, ${failure.code}: ${limitHead(failure.message, MAX_ERROR_BYTES)}`;
  const head = `### ${agent} (${executionId}): ${status}${cause}`;
  if (work === undefined)
    return `${head}\n\nIt could not be read: ${limitHead(unread ?? '', MAX_ERROR_BYTES)}`;
  const parts = [head, describeSteps(work, Math.floor(maxBytes * STEPS_SHARE))];
  // The last error is usually the failure, which the heading already shows.
  const errors = work.errors.filter((text) => text !== failure?.message).slice(-MAX_ERRORS);
  if (errors.length > 0) {
    const lines = errors.map(
      (text) => `- ${indentLines(limitHead(text, MAX_ERROR_BYTES), '  ').trimStart()}`,
    );
    parts.push(['Errors:', ...lines].join('\n'));
  }
  if (work.lastWords !== null) {
    // The room that calls and errors leave, minus the mark of a cut.
    const room = Math.max(200, maxBytes - Buffer.byteLength(parts.join('\n\n')) - 100);
    parts.push(`Its last words:\n${limitHead(indentLines(work.lastWords), room)}`);
  }
  return parts.join('\n\n');
}
