// Decides how the sweep repairs an open session. Depends only on the state.

import { isHeld } from '../contract/lease.ts';
import type { Stored } from '../contract/store.ts';
import { type Ending, endingDue, isParked } from '../kernel/state/decide.ts';
import { isWaitOver } from '../kernel/state/decideWait.ts';
import { type Failure, isTerminal } from '../schema/common.ts';
import type { Execution } from '../schema/execution.ts';
import { NOT_STEERED, type Session, type Steering } from '../schema/session.ts';
import type { Stage } from '../schema/stage.ts';

/** How the sweep repairs a session. */
type SweepDecision =
  /** The process that cancelled the session died before it ended its executions. */
  | { kind: 'finish_cancelling' }
  /** All executions have ended, but the stage has possibly not been advanced. */
  | { kind: 'advance' }
  /** Documents are missing or broken and the deadline has passed: only the sweep can end the session. */
  | { kind: 'end_session'; failure: Failure }
  /** Executions to end, and executions whose message is to be published again; both can be empty. */
  | {
      kind: 'repair';
      end: { execution: Stored<Execution>; ending: Ending }[];
      publish: Execution[];
      /** Executions with calls that have waited long enough. */
      settle: Execution[];
      /** The missing or broken document. An operator can repair it until the deadline. */
      missing: Failure | undefined;
    };

type ExecutionDecision =
  | { kind: 'leave' }
  | { kind: 'end'; ending: Ending }
  | { kind: 'publish' }
  | { kind: 'settle' };

/**
 * Decides about an open session and its current stage, or about a session that answers a question and the
 * stage of that answer.
 * @param executions those of the stage and their descendants.
 * @param unseenForMs the longest possible time since the last check of the session, in milliseconds.
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
  // Advancing the stage ends open descendants of ended executions.
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
 * Decides about an execution that has not ended, `unseenForMs` milliseconds after its last check. An
 * execution of a paused session is idle on purpose; after the session is resumed, the age of its message
 * counts from the resumption.
 * @param children the executions that it can wait for, by id.
 */
export function decideExecution(
  { value, updatedAt }: Stored<Execution>,
  now: Date,
  unseenForMs: number,
  { paused, resumedAt }: Pick<Steering, 'paused' | 'resumedAt'>,
  children: ReadonlyMap<string, Execution> = new Map(),
): ExecutionDecision {
  if (isHeld(value.lease, now)) return { kind: 'leave' };
  const ending = endingDue(value, now);
  if (ending !== undefined) return { kind: 'end', ending };
  if (value.notBefore !== null && value.notBefore > now) return { kind: 'leave' };
  // A waiting execution has no message: a child, a person or its deadline settles its calls.
  if (value.status === 'waiting') return { kind: isWaitOver(value, children, now) ? 'settle' : 'leave' };
  if (paused !== null) return { kind: 'leave' };
  const times = [updatedAt, value.notBefore, resumedAt].map((time) => time?.getTime() ?? 0);
  const idleMs = now.getTime() - Math.max(...times);
  // An execution that waited long for its model has no unacked message: it is published at once.
  const isDue = isParked(value) && idleMs < unseenForMs;
  return isDue || isTimeToPublish(idleMs, unseenForMs) ? { kind: 'publish' } : { kind: 'leave' };
}

/**
 * Whether the message of an execution that has been idle for `idleMs` milliseconds is published again: after
 * 1, 2, 4, 8, … minutes, if one of these moments was in the last `unseenForMs` milliseconds. The intervals
 * grow because the original message can still arrive, and because duplicates accumulate while the functions
 * are down.
 */
export function isTimeToPublish(idleMs: number, unseenForMs: number): boolean {
  if (idleMs < 60_000) return false;
  const lastDue = 60_000 * 2 ** Math.floor(Math.log2(idleMs / 60_000));
  return idleMs - lastDue < unseenForMs;
}

/** The running stage of a session: the stage that answers a question, else the current one. */
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
