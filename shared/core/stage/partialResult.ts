// Records the work of a session that ends early: a text in `partial` and in the last event of the timeline,
// built without a model.

import { limitHead } from '../../text/limitText.ts';
import type { Store } from '../contract/store.ts';
import { errorMessage } from '../errors.ts';
import type { StateDeps } from '../kernel/deps.ts';
import { captureFailure } from '../kernel/documents/reading.ts';
import { describeSteps, indentLines } from '../prompts/evidence.ts';
import type { Failure } from '../schema/common.ts';
import { executionType, paths } from '../schema/coreDocuments.ts';
import type { Execution } from '../schema/execution.ts';
import type { Session } from '../schema/session.ts';
import type { AgentWork } from './agentWork.ts';
import type { SessionEnd } from './decideStage.ts';
import { plannedStages } from './earlierStages.ts';
import { readWork, readWorkOfUnknown } from './readWork.ts';

/** Errors that an attempt shows: the last ones. */
const MAX_ERRORS = 5;
/** Bytes of one error. */
const MAX_ERROR_BYTES = 500;
/** Share of an attempt's room for its calls; errors and last words take the rest. */
const STEPS_SHARE = 0.6;

/** Executions that are read: the last ones, which the end stopped. The others are only counted. */
const MAX_ATTEMPTS = 20;
/** UTF-8 bytes of the whole record: the session's document holds its chain, alert and analysis as well. */
const MAX_RECORD_BYTES = 28_000;

/**
 * Adds the record of the agents' work to the `partial` of an end; a completed session needs none. Read
 * failures are noted in the record and do not prevent the end.
 */
export async function withRecord<E extends SessionEnd>(
  session: Session,
  end: E,
  deps: StateDeps,
): Promise<E> {
  if (end.partial === null) return end;
  const record = await readRecord(session, deps).catch((error: unknown) => {
    const { sessionId } = session;
    deps.log.warn({ sessionId, err: error }, 'a session ends without the record of the work of its agents');
    return `What was looked at could not be read: ${errorMessage(error).slice(0, 500)}`;
  });
  const text = record === '' ? end.partial.text : `${end.partial.text}\n\n${record}`;
  return { ...end, partial: { ...end.partial, text } };
}

async function readRecord(session: Session, { store }: StateDeps): Promise<string> {
  const planned = plannedStages(session).flatMap(({ agents }) => agents);
  const found = await Promise.all(
    planned.map(async (one) => {
      const path = paths.execution(session.sessionId, one.executionId);
      return { ...one, reading: await captureFailure(store.get(path, executionType)) };
    }),
  );
  // Executions that were never created did no work; those with an analysis need no record.
  const without = found.filter(
    ({ reading }) => reading.failure !== undefined || reading.value?.value.finalAnalysis === null,
  );
  const attempts = await Promise.all(
    without.slice(-MAX_ATTEMPTS).map(async ({ executionId, agent, reading }): Promise<Attempt> => {
      const execution = reading.value?.value;
      const work = await readWorkOrReason(session.sessionId, executionId, execution, store);
      const failure = reading.failure ?? execution?.failure ?? null;
      return { executionId, agent, status: execution?.status ?? 'failed', failure, ...work };
    }),
  );
  return describeAttempts(attempts, without.length - attempts.length, MAX_RECORD_BYTES);
}

/**
 * The work of an execution, or the reason why it cannot be read. One unreadable execution does not affect the
 * others.
 */
async function readWorkOrReason(
  sessionId: string,
  executionId: string,
  execution: Execution | undefined,
  store: Store,
): Promise<{ work: AgentWork | undefined; unread: string | null }> {
  try {
    const work = await (execution === undefined
      ? readWorkOfUnknown(sessionId, executionId, store)
      : readWork(execution, store));
    return { work, unread: null };
  } catch (error) {
    return { work: undefined, unread: errorMessage(error) };
  }
}

/** An execution that ended without an analysis. */
interface Attempt {
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

/**
 * A section for each attempt, with an equal share of `maxBytes`: its calls with their status and the start of
 * their results, its errors, and the last words of its agent. Empty without attempts.
 * @param omitted number of earlier attempts; they are only counted.
 */
function describeAttempts(attempts: Attempt[], omitted: number, maxBytes: number): string {
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
