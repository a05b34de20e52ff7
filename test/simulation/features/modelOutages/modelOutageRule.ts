// Unresponsive models: an execution's stored wait, and how far it extends deadlines.

import { isTerminal } from '../../../../shared/core/schema/common.ts';
import type { Execution } from '../../../../shared/core/schema/execution.ts';
import type { Interaction } from '../../../../shared/core/schema/interaction.ts';
import { readPart } from '../../../../shared/core/schema/parts.ts';
import type { Session } from '../../../../shared/core/schema/session.ts';
import type { TimelineEvent } from '../../../../shared/core/schema/timelineEvent.ts';
import { readQuestion } from '../../../../shared/features/interactions/thought.ts';
import { modelWaitsPart } from '../../../../shared/kits/agents/modelOutage.ts';
import type { AppliedCommit } from '../../record.ts';
import type { World } from '../../world.ts';

type Violate = (rule: string, detail: string) => void;

/** The longest pause when the provider asks for none: what an open circuit asks for, and a tenth more. */
const PAUSE_MS = { most: 330_000 };
/** By how much waiting extends the deadline of a session at most. */
const MAX_WAITED_MS = 3_600_000;
/** An instance's requests in half an hour without answers: those on their way, then single. */
const MAX_REQUESTS = 40;

/** Whether an interaction is the record of a call that a model did not begin to answer. */
export function isUnanswered({ failure, tokens }: Interaction): boolean {
  const codes = [
    'MODEL_UNAVAILABLE',
    'MODEL_QUOTA',
    'MODEL_STREAM_CUT',
    'MODEL_TIMEOUT',
    'ITERATION_TIMEOUT',
  ];
  return failure !== null && tokens === null && codes.includes(failure.code);
}

const isQuota = ({ code }: NonNullable<Execution['outage']>): boolean => code === 'QUOTA_REACHED';

/** Whether an execution waits for its model without a message, until the sweep publishes one. */
export function waitsForSweep({ outage, notBefore }: Execution): boolean {
  return outage?.parked === true && notBefore !== null;
}

/** One write of an execution. */
export function checkPause(
  was: Execution,
  is: Execution,
  { writes, at, by }: AppliedCommit,
  violate: Violate,
): void {
  const { executionId, outage, notBefore } = is;
  const extendedMs = is.deadline.getTime() - was.deadline.getTime();
  if (extendedMs < 0) violate('outage', `the deadline of ${executionId} moves back by ${-extendedMs} ms`);
  if (extendedMs > 0 && is.waitedUntil?.getTime() === was.waitedUntil?.getTime())
    violate('outage', `the deadline of ${executionId} moves by ${extendedMs} ms, and it did not wait`);
  if (outage === null || outage.pauses === (was.outage?.pauses ?? 0)) return;
  const notices = writes
    .filter(({ path }) => path.includes(`/timeline/${executionId}.`))
    .map(({ value }) => value as TimelineEvent)
    .filter((event) => event.eventType === 'notice')
    .filter(({ metadata: { code } }) => code === (isQuota(outage) ? 'quota_reached' : 'model_outage'));
  const isFirst =
    was.outage === null || was.outage.code === 'SCHEMA_TOO_NEW' || isQuota(was.outage) !== isQuota(outage);
  const isTold = isFirst && outage.code !== 'SCHEMA_TOO_NEW';
  if (notices.length !== (isTold ? 1 : 0))
    violate('outage', `${executionId} tells ${notices.length} times of pause ${outage.pauses}`);
  if (is.iteration !== was.iteration || is.consecutiveTimeouts !== was.consecutiveTimeouts)
    violate('outage', `a pause costs ${executionId} an iteration, or counts as a time-out`);
  if (is.lastMessage !== was.lastMessage || is.guidanceTaken !== was.guidanceTaken)
    violate('outage', `a pause of ${executionId} adds to its conversation`);
  if (is.claims >= was.claims && was.claims > 0)
    violate('outage', `a pause of ${executionId} counts as a claim that never finished`);
  // The decision was made by the clock of the writer, a moment before.
  const pauseMs = (notBefore?.getTime() ?? 0) - at - by.process.maxSkewMs;
  if (is.lease !== null || pauseMs > 1_000_000)
    violate('outage', `${executionId} pauses for ${pauseMs} ms, or keeps its lease`);
  if (outage.pauses > 5 && outage.code === 'MODEL_UNAVAILABLE' && pauseMs > PAUSE_MS.most)
    violate('outage', `${executionId} pauses for ${pauseMs} ms`);
}

/** A session at its end. */
export function checkWaited(
  session: Session,
  executions: Execution[],
  { plan, record }: World,
  violate: Violate,
): void {
  const { deadline, createdAt, deferral, status, sessionId } = session;
  const begun = deferral?.startedAt ?? null;
  const waitedMs = readPart(modelWaitsPart, session)?.ms ?? 0;
  if (waitedMs > MAX_WAITED_MS) violate('outage', `${sessionId} waited for ${waitedMs} ms`);
  const longestMs = deadline.getTime() - createdAt.getTime();
  // Pauses of the installation extend it, too.
  if (begun === null && !plan.systemPaused && longestMs > plan.deadlineMs + waitedMs)
    violate('outage', `${sessionId} may take ${longestMs} ms, of ${plan.deadlineMs} and ${waitedMs}`);
  for (const execution of executions)
    if (
      execution.deadline > deadline &&
      execution.stageId === session.currentStageId &&
      session.openStage === null
    )
      if (!isChat(execution, record.sessions.get(sessionId)))
        violate('outage', `${execution.executionId} may take longer than its session`);
  if (plan.modelOutage?.alone && status !== 'completed' && !executions.some(hasOwnReason))
    violate('outage', `${sessionId} is ${status} after an outage of its model`);
}

function isChat({ stageId }: Execution, session: Session | undefined): boolean {
  return (session?.questions ?? 0) > 0 && stageId.endsWith('-chat');
}

/** Whether an execution ended for a reason that has nothing to do with the outage. */
function hasOwnReason(execution: Execution): boolean {
  const { failure, status } = execution;
  if (!isTerminal(status) || failure === null) return false;
  // The id of a question, or its webhook, can be lost with a process.
  const isThinking = readQuestion(execution)?.submissionId != null;
  return isThinking || !/^(MODEL_(UNAV|QUOTA)|DEADLINE)/.test(failure.code);
}

/** During an outage instances send few requests. */
export function checkRequests(
  { plan, record }: World,
  violate: Violate,
  { startedAt }: { startedAt: number },
): void {
  const { modelOutage } = plan;
  if (modelOutage === null) return;
  const sent = new Map<string, number>();
  for (const { kind, by, startedAt: at } of record.activities) {
    const since = at - startedAt;
    if (kind !== 'model' || since < modelOutage.fromMs || since >= modelOutage.toMs) continue;
    sent.set(by.process.name, (sent.get(by.process.name) ?? 0) + 1);
  }
  for (const [name, count] of sent)
    if (count > MAX_REQUESTS) violate('outage', `${name} sends ${count} requests during an outage`);
}
