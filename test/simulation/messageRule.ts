// Checks that a message that is acked is not needed any more: its execution went on, or another message is
// about it, and no stage is left behind whose executions have all ended.

import { PAUSE_CACHE_MS } from '../../shared/core/kernel/systemPause.ts';
import { isTerminal } from '../../shared/core/schema/common.ts';
import type { Session } from '../../shared/core/schema/session.ts';
import { paths } from '../../shared/lists/documents.ts';
import { waitsForSweep } from './features/modelOutages/modelOutageRule.ts';
import { executionKey, type Invocation, type RunRecord } from './record.ts';
import { watchTree } from './treeMessages.ts';
import { noteMessage } from './treeRows.ts';
import type { World } from './world.ts';

/** Called when an invocation starts; the returned function is called when it has handled its message. */
export function watchMessage(by: Invocation, world: World): () => void {
  const checkStage = watchStage(by, world.record);
  const checkExecution = watchExecution(by, world);
  const checkTree = watchTree(by, world);
  return () => {
    if (world.record.expired.has(by.sessionId ?? '')) return;
    // Who ends an installation's pause continues all; a process can know it a moment later.
    if (world.record.systemPausedUntil + 2 * PAUSE_CACHE_MS >= by.startedAt) return;
    noteMessage(by, world);
    checkStage();
    checkExecution();
    checkTree();
  };
}

function watchStage(by: Invocation, record: RunRecord): () => void {
  const { id, process, target, sessionId } = by;
  const session = sessionId === undefined ? undefined : record.sessions.get(sessionId);
  if (session === undefined || !isAllEnded(session, record)) return () => {};
  return () => {
    // An alert whose session older code cannot read is stored; the sweep of newer code continues the session.
    if (target === 'ingestAlert' && by.hasRefusedNewer === true) return;
    if (record.sessions.get(session.sessionId) !== session || !isAllEnded(session, record)) return;
    record.violations.push(
      `stages: ${process.name} #${id} leaves ${session.currentStageId}, whose executions have all ended`,
    );
  };
}

/** Whether the session's current stage is open although all its executions have ended. */
function isAllEnded(
  { sessionId, currentStageId, status }: Session,
  { executions, stages }: RunRecord,
): boolean {
  const stage = stages.get(paths.stage(sessionId, currentStageId));
  if (isTerminal(status) || stage === undefined || isTerminal(stage)) return false;
  return [...executions.values()]
    .filter(({ value }) => value.sessionId === sessionId && value.stageId === currentStageId)
    .every(({ value }) => isTerminal(value.status));
}

function watchExecution(by: Invocation, { record, time, plan }: World): () => void {
  const { id, process, executionId, iteration } = by;
  const key = executionKey(by);
  const before = record.executions.get(key)?.value;
  const startedAt = time.now();
  // While a lease is live by any clock, the message that it was taken for is needed, and not this one.
  const isHeld = (before?.lease?.until.getTime() ?? 0) + 2 * plan.maxSkewMs > startedAt;
  if (before?.iteration !== iteration || before === undefined || isTerminal(before.status) || isHeld)
    return () => {};
  return () => {
    const after = record.executions.get(key)?.value;
    const isPublished = (record.published.lastAt.get(key) ?? 0) >= startedAt;
    const isClaimed = (record.heldAt.get(key) ?? 0) >= startedAt;
    // A decision publishes it again, perhaps a moment after it was stored.
    const waits = after?.status === 'waiting' || before.status === 'waiting';
    // So does who resumes a session that was paused when the message was read.
    const wasPaused = (record.pauses.get(before.sessionId)?.to ?? 0) >= startedAt;
    // Who settled it meanwhile publishes it, and is delivered or called again until it is.
    const wasSettled = before.status === 'waiting' && after?.status === 'active' && plan.trees;
    const wentOn =
      after === undefined ||
      after.iteration > before.iteration ||
      isClaimed ||
      waits ||
      // The sweep publishes it: its model does not answer.
      waitsForSweep(after) ||
      wasSettled ||
      wasPaused;
    if (wentOn || isTerminal(after.status) || isPublished) return;
    record.violations.push(
      `messages: ${process.name} #${id} acks iteration ${iteration} of ${executionId}, which did not go on`,
    );
  };
}
