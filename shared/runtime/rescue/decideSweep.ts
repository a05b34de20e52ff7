// Decides what the sweep does about an open session, from state alone.

import type { Stored } from '../../contract/store.ts';
import { type Failure, isTerminal } from '../../schema/common.ts';
import type { Execution } from '../../schema/execution.ts';
import { NOT_STEERED, type Session, type Steering } from '../../schema/session.ts';
import type { Stage } from '../../schema/stage.ts';
import { type Ending, endingDue, isParked } from '../kernel/state/decide.ts';
import { isWaitOver } from '../kernel/state/decideWait.ts';

/** What the sweep does about a session. */
export type SweepDecision =
  /** The process that cancelled the session died before it ended its executions. */
  | { kind: 'finish_cancelling' }
  /** All executions have ended and the stage may not have been advanced. */
  | { kind: 'advance' }
  /** Documents are missing or broken and the deadline has passed: only the sweep can end the session. */
  | { kind: 'end_session'; failure: Failure }
  /** Executions to end, and executions whose message is to be published again; both may be empty. */
  | {
      kind: 'repair';
      end: { execution: Stored<Execution>; ending: Ending }[];
      publish: Execution[];
      /** Executions with calls that have waited long enough. */
      settle: Execution[];
      /** The missing or broken document; an operator may repair it until the deadline. */
      missing: Failure | undefined;
    };

/** What the sweep does about one execution that has not ended. */
export type ExecutionDecision =
  | { kind: 'leave' }
  | { kind: 'end'; ending: Ending }
  | { kind: 'publish' }
  | { kind: 'settle' };

/**
 * Decides about an open session and its current stage, or about a session that answers a question and the stage that does.
 * @param executions those of the stage and all below them.
 * @param unseenForMs how long the last look at the session may be ago, in milliseconds.
 * @param broken why a document could not be read; it counts as missing. Undefined when all could be read.
 */
export function decideSweep(
  session: Session,
  stage: Stage | undefined,
  executions: Stored<Execution>[],
  now: Date,
  unseenForMs: number,
  broken?: Failure,
): SweepDecision {
  const { cancelling, deadline, stageId } = runningStage(session);
  if (cancelling) return { kind: 'finish_cancelling' };
  const missing = broken ?? missingDocument(session.sessionId, stageId, stage, executions);
  if (missing !== undefined && now >= deadline) return { kind: 'end_session', failure: missing };
  const open = executions.filter(({ value }) => !isTerminal(value.status));
  const ofStage = open.filter(({ value }) => value.parentExecutionId === null);
  // What is open below those that have ended is ended when the stage is advanced.
  if (missing === undefined && ofStage.length === 0) return { kind: 'advance' };

  const byId = new Map(executions.map(({ id, value }) => [id, value]));
  const decided = open.map((execution) => ({
    execution,
    ...decideExecution(execution, now, unseenForMs, session.openStage ? NOT_STEERED : session.steering, byId),
  }));
  return {
    kind: 'repair',
    end: decided.flatMap((one) =>
      one.kind === 'end' ? [{ execution: one.execution, ending: one.ending }] : [],
    ),
    publish: decided.flatMap((one) => (one.kind === 'publish' ? [one.execution.value] : [])),
    settle: decided.flatMap((one) => (one.kind === 'settle' ? [one.execution.value] : [])),
    missing,
  };
}

/**
 * Decides about an execution that has not ended, `unseenForMs` milliseconds after the last look at it. One of a paused
 * session is idle because it is to be; once the session is resumed its message is as old as that.
 * @param children the executions that it may wait for, by id.
 */
export function decideExecution(
  { value, updatedAt }: Stored<Execution>,
  now: Date,
  unseenForMs: number,
  { paused, resumedAt }: Pick<Steering, 'paused' | 'resumedAt'>,
  children: ReadonlyMap<string, Execution> = new Map(),
): ExecutionDecision {
  if (value.lease !== null && value.lease.until > now) return { kind: 'leave' };
  const ending = endingDue(value, now);
  if (ending !== undefined) return { kind: 'end', ending };
  if (value.notBefore !== null && value.notBefore > now) return { kind: 'leave' };
  // A waiting execution has no message: what it waits for settles its calls, or the end of its time.
  if (value.status === 'waiting') return { kind: isWaitOver(value, children, now) ? 'settle' : 'leave' };
  if (paused !== null) return { kind: 'leave' };
  const times = [updatedAt, value.notBefore, resumedAt].map((time) => time?.getTime() ?? 0);
  const idleMs = now.getTime() - Math.max(...times);
  // The message of one that waited long for its model was acked: it is published at once.
  const isDue = isParked(value) && idleMs < unseenForMs;
  return isDue || isTimeToPublish(idleMs, unseenForMs) ? { kind: 'publish' } : { kind: 'leave' };
}

/**
 * Whether the message of an execution that has been idle for `idleMs` milliseconds is published again: after 1, 2, 4, 8, …
 * minutes, if one of these moments has come in the last `unseenForMs` milliseconds. The intervals grow because the original
 * message may still be on its way, and because copies pile up while the functions are down.
 */
export function isTimeToPublish(idleMs: number, unseenForMs: number): boolean {
  if (idleMs < 60_000) return false;
  const lastDue = 60_000 * 2 ** Math.floor(Math.log2(idleMs / 60_000));
  return idleMs - lastDue < unseenForMs;
}

/** What runs of a session: the stage that answers a question, else the current one. */
export function runningStage({
  openStage,
  currentStageId,
  status,
  deadline,
}: Session): NonNullable<Session['openStage']> {
  return openStage ?? { stageId: currentStageId, deadline, cancelling: status === 'cancelling' };
}

function missingDocument(
  sessionId: string,
  stageId: string,
  stage: Stage | undefined,
  executions: Stored<Execution>[],
): Failure | undefined {
  const failure = (what: string): Failure => ({
    code: 'DOCUMENT_INVALID',
    message: `${what} of session ${sessionId} is missing in the store.`,
  });
  if (stage === undefined) return failure(`stage ${stageId}`);
  const found = new Set(executions.map(({ id }) => id));
  const missing = stage.expectedExecutions.find((id) => !found.has(id));
  return missing === undefined ? undefined : failure(`execution ${missing}`);
}
