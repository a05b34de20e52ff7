// What the sweep does about an open session, by state alone: it finds what has stopped, whatever was lost.

import type { Stored } from '../../contract/store.ts';
import { type Failure, isTerminal } from '../../schema/common.ts';
import type { Execution } from '../../schema/execution.ts';
import type { Session } from '../../schema/session.ts';
import type { Stage } from '../../schema/stage.ts';
import { type Ending, endingDue } from '../iteration/decide.ts';

export type SweepDecision =
  /** The process that cancelled it died before it could end it. */
  | { kind: 'finish_cancelling' }
  /** All executions have ended, or the session waits for nothing it could see end. */
  | { kind: 'advance' }
  /** Documents are missing and its time is up: nothing can end it but this. */
  | { kind: 'end_session'; failure: Failure }
  /** Executions to end, and executions whose message is to be published again; both may be empty. */
  | {
      kind: 'mend';
      end: { execution: Stored<Execution>; ending: Ending }[];
      publish: Execution[];
      /** What is missing; it may be mended by hand until the deadline. */
      missing: Failure | undefined;
    };

/** What is done about one execution that has not ended. */
export type ExecutionDecision = { kind: 'leave' } | { kind: 'end'; ending: Ending } | { kind: 'publish' };

/**
 * Decides about a session that is open, and its current stage.
 * @param broken why a document could not be read, if one could not: it counts as missing.
 */
export function decideSweep(
  session: Session,
  stage: Stage | undefined,
  executions: Stored<Execution>[],
  now: Date,
  broken?: Failure,
): SweepDecision {
  if (session.status === 'cancelling') return { kind: 'finish_cancelling' };
  const missing = broken ?? missingDocument(session, stage, executions);
  if (missing !== undefined && now >= session.deadline) return { kind: 'end_session', failure: missing };
  const open = executions.filter(({ value }) => !isTerminal(value.status));
  if (missing === undefined && open.length === 0) return { kind: 'advance' };

  const decided = open.map((execution) => ({ execution, ...decideExecution(execution, now) }));
  return {
    kind: 'mend',
    end: decided.flatMap((one) =>
      one.kind === 'end' ? [{ execution: one.execution, ending: one.ending }] : [],
    ),
    publish: decided.flatMap((one) => (one.kind === 'publish' ? [one.execution.value] : [])),
    missing,
  };
}

/** Decides about an execution that has not ended. */
export function decideExecution({ value, updatedAt }: Stored<Execution>, now: Date): ExecutionDecision {
  if (value.lease !== null && value.lease.until > now) return { kind: 'leave' };
  const ending = endingDue(value, now);
  if (ending !== undefined) return { kind: 'end', ending };
  if (value.notBefore !== null && value.notBefore > now) return { kind: 'leave' };
  // It has no message: what it waits for goes on by itself.
  if (value.status === 'waiting') return { kind: 'leave' };
  const idleSince = Math.max(updatedAt.getTime(), value.notBefore?.getTime() ?? 0);
  return isTimeToPublish(now.getTime() - idleSince) ? { kind: 'publish' } : { kind: 'leave' };
}

/** Longer than the schedule's minute, so that a tick that comes a little late or early misses none. */
const WINDOW_MS = 90_000;

/**
 * Whether an execution that has not changed for so long gets its message again: after 1, 2, 4, 8, … minutes, for as
 * long as a tick takes. Its own message may still be on its way, and while the functions are down each copy only adds to
 * what waits for them.
 */
export function isTimeToPublish(idleMs: number): boolean {
  if (idleMs < 60_000) return false;
  const lastDue = 60_000 * 2 ** Math.floor(Math.log2(idleMs / 60_000));
  return idleMs - lastDue < WINDOW_MS;
}

function missingDocument(
  { sessionId, currentStageId }: Session,
  stage: Stage | undefined,
  executions: Stored<Execution>[],
): Failure | undefined {
  const failure = (what: string): Failure => ({
    code: 'DOCUMENT_INVALID',
    message: `${what} of session ${sessionId} is missing in the store.`,
  });
  if (stage === undefined) return failure(`stage ${currentStageId}`);
  const found = new Set(executions.map(({ id }) => id));
  const missing = stage.expectedExecutions.find((id) => !found.has(id));
  return missing === undefined ? undefined : failure(`execution ${missing}`);
}
