// Trees of executions: who may create whom, when a parent goes on, and that nothing is left below an end.

import { isTerminal } from '../../shared/core/schema/common.ts';
import type { Execution, PendingCall } from '../../shared/core/schema/execution.ts';
import type { Message } from '../../shared/core/schema/message.ts';
import type { Session } from '../../shared/core/schema/session.ts';
import type { Stage } from '../../shared/core/schema/stage.ts';
import type { TimelineEvent } from '../../shared/core/schema/timelineEvent.ts';
import { type AppliedCommit, executionKey } from './record.ts';
import type { Violate } from './transitions.ts';
import type { World } from './world.ts';

const MAX_DEPTH = 3;
const MAX_OPEN = 8;
/** 32, and those of batches that were counted at the same time. */
const MAX_OF_SESSION = 32 + 2 * MAX_OPEN;

const waitsForChild = ({ state, waitsFor }: PendingCall): boolean =>
  state === 'waiting' && waitsFor?.kind === 'child';

const isBelow = (id: string, parentId: string): boolean => id.startsWith(`${parentId}~`);

/** Checks every commit of the run against the trees before it. */
export function checkTrees({ record }: World, violate: Violate): void {
  const executions = new Map<string, Execution>();
  for (const commit of record.commits) {
    for (const { path, op, value } of commit.writes) {
      const [, sessionId = '', collection] = path.split('/');
      if (collection === 'stages' && isTerminal((value as Stage).status))
        checkEnd(value as Stage, [...executions.values()], violate);
      if (collection !== 'executions') continue;
      const execution = value as Execution;
      if (op === 'create' && execution.parentExecutionId !== null)
        checkCreation(execution, executions, commit, violate);
      if (!record.expired.has(sessionId))
        checkWaits(executions.get(executionKey(execution)), execution, executions, violate);
    }
    // A parent and its child are written in one batch.
    for (const { path, value } of commit.writes)
      if (path.split('/')[2] === 'executions') {
        const execution = value as Execution;
        executions.set(executionKey(execution), execution);
      }
  }
}

function checkCreation(
  child: Execution,
  executions: ReadonlyMap<string, Execution>,
  { writes }: AppliedCommit,
  violate: Violate,
): void {
  const { executionId, parentExecutionId, depth, ancestors, agentName, deadline, sessionId } = child;
  const before = executions.get(executionKey({ sessionId, executionId: parentExecutionId ?? '' }));
  const parent = writes.find(({ path }) => path.endsWith(`/executions/${parentExecutionId}`))?.value as
    | Execution
    | undefined;
  const call = parent?.pendingCalls.find(({ waitsFor }) => waitsFor?.id === executionId);
  if (before === undefined || parent === undefined || call?.state !== 'waiting') {
    violate('trees', `${executionId} is created, and no call begins to wait for it`);
    return;
  }
  if (isTerminal(before.status)) violate('trees', `${executionId} is created below one that has ended`);
  if (call.waitsFor?.until.getTime() !== deadline.getTime())
    violate('trees', `${executionId} ends at another time than its parent waits for`);
  if (deadline >= parent.deadline) violate('trees', `${executionId} may take longer than its parent`);
  if (depth !== parent.depth + 1 || depth > MAX_DEPTH || ancestors.length !== depth)
    violate('trees', `${executionId} is at depth ${depth}, below ${ancestors}`);
  if (ancestors.includes(agentName)) violate('trees', `${executionId} runs ${agentName} below itself`);
  const open = parent.pendingCalls.filter(waitsForChild).length;
  if (open > MAX_OPEN) violate('trees', `${parentExecutionId} has ${open} open children`);
  const ofSession = [...executions.values()].filter(
    (one) => one.sessionId === sessionId && one.parentExecutionId !== null,
  );
  if (ofSession.length >= MAX_OF_SESSION)
    violate('trees', `${executionId} is number ${ofSession.length + 1} of its session`);
}

/** A call that waits for a child goes on when the child has ended, or its own execution has. */
function checkWaits(
  was: Execution | undefined,
  is: Execution,
  executions: ReadonlyMap<string, Execution>,
  violate: Violate,
): void {
  if (isTerminal(is.status)) return;
  for (const { index, waitsFor } of was?.pendingCalls.filter(waitsForChild) ?? []) {
    const now =
      is.iteration === was?.iteration ? is.pendingCalls.find((call) => call.index === index) : undefined;
    if (now?.state === 'waiting') continue;
    const child = executions.get(executionKey({ sessionId: is.sessionId, executionId: waitsFor?.id ?? '' }));
    if (child === undefined || !isTerminal(child.status))
      violate('trees', `${is.executionId} goes on, and ${waitsFor?.id} is ${child?.status}`);
    if (now !== undefined && now.state !== 'done')
      violate('trees', `call ${index} of ${is.executionId} waited for a child, and is ${now.state}`);
  }
}

function checkEnd(
  { sessionId, stageId, expectedExecutions }: Stage,
  executions: Execution[],
  violate: Violate,
): void {
  const open = executions.filter(
    (one) =>
      one.sessionId === sessionId &&
      !isTerminal(one.status) &&
      expectedExecutions.some((root) => isBelow(one.executionId, root)),
  );
  for (const { executionId } of open) violate('trees', `${stageId} has ended, and ${executionId} is open`);
}

/** What the trees of a session have left. */
export function checkTreesOf(
  session: Session,
  {
    executions,
    timeline,
    messages,
    refused,
  }: { executions: Execution[]; timeline: TimelineEvent[]; messages: Message[]; refused: boolean },
  violate: Violate,
): void {
  if (!isTerminal(session.status)) return;
  for (const child of executions) {
    const { executionId, parentExecutionId, finalAnalysis, status } = child;
    if (parentExecutionId === null) continue;
    const own = timeline.filter((event) => event.executionId === executionId);
    if (own.some((event) => event.parentExecutionId !== parentExecutionId))
      violate('trees', `events of ${executionId} name another parent`);
    if (own.filter(({ eventType }) => eventType === 'task_assigned').length !== 1)
      violate('trees', `${executionId} does not say once what it was asked`);
    const call = timeline.find(
      (event) => event.eventType === 'llm_tool_call' && event.metadata.childExecutionId === executionId,
    );
    if (call?.eventType !== 'llm_tool_call' || call.executionId !== parentExecutionId) {
      violate('trees', `no call of ${parentExecutionId} names ${executionId}`);
      continue;
    }
    const { callId } = call.metadata;
    const all = messages
      .filter((message) => message.executionId === parentExecutionId)
      .flatMap(({ blocks }) => blocks)
      .filter((block) => block.blockType === 'tool_result' && block.toolUseId === callId);
    // A fork begins with results of its source, whose calls have the same ids here.
    const results = session.kind === 'fork' ? all.slice(-1) : all;
    const mark = finalAnalysis?.match(/#\d+#/)?.[0];
    const text = JSON.stringify(results);
    const parent = executions.find((one) => one.executionId === parentExecutionId);
    const hadTime = parent !== undefined && (parent.endedAt ?? 0) > (child.endedAt ?? 0);
    if (results.length !== 1) violate('trees', `${executionId} has ${results.length} results`);
    if (status === 'completed' && mark !== undefined && !text.includes(mark) && text.includes('success'))
      violate('trees', `the result of ${executionId} is not what it found`);
    // Too large to be stored.
    if (refused) continue;
    if (status === 'completed' && parent?.status === 'completed' && hadTime && !text.includes(mark ?? ''))
      violate('trees', `${parentExecutionId} was not given what ${executionId} found`);
  }
}
