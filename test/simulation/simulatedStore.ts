// The store as a process sees it: in memory, behind a network with delays and losses.

import { isDeepStrictEqual } from 'node:util';
import type { CommitResult, Store, Write } from '../../shared/core/contract/store.ts';
import { TerminalError } from '../../shared/core/errors.ts';
import { LOST_MESSAGE_MS, readDue } from '../../shared/core/kernel/state/dueAt.ts';
import type { Approval } from '../../shared/core/schema/approval.ts';
import { isTerminal } from '../../shared/core/schema/common.ts';
import type { Control } from '../../shared/core/schema/control.ts';
import type { Execution } from '../../shared/core/schema/execution.ts';
import type { Session } from '../../shared/core/schema/session.ts';
import type { Stage } from '../../shared/core/schema/stage.ts';
import type { SystemControl } from '../../shared/core/schema/systemControl.ts';
import { describeWrites } from '../../shared/engine/testing/engineWorld.ts';
import { faultyStore, STORE_TIMEOUT_MS, storeUnavailable } from '../../shared/engine/testing/faultyStore.ts';
import { callRemote } from '../../shared/engine/testing/simulatedProcess.ts';
import type { Check } from '../../shared/features/checks/check.ts';
import type { PinnedTools } from '../../shared/kits/agents/pinnedTools.ts';
import type { AlertKey } from '../../shared/kits/alerts/fates/alertKeyDocument.ts';
import type { Outcome } from '../../shared/kits/alerts/outcome.ts';
import {
  alertKeyType,
  approvalType,
  checkType,
  controlType,
  executionType,
  outcomeType,
  paths,
  pinnedToolsType,
  sessionType,
  stageType,
  systemControlType,
} from '../../shared/lists/documents.ts';
import { RENEWAL_MS } from './activity.ts';
import { commitChecked } from './announceRule.ts';
import { type CallKind, MINUTE } from './faults.ts';
import { storeOf } from './generations.ts';
import { makeOutdated, rewriteDocument } from './otherPrograms.ts';
import { executionKey, type Invocation } from './record.ts';
import { noteCommit, noteRefusal } from './treeRows.ts';
import { recordRefusal, recordVersions } from './upgradeRule.ts';
import type { World } from './world.ts';

/** The store of one invocation. */
export function simulatedStore(by: Invocation, world: World): Store {
  const { process } = by;
  const { older, newer } = world.generations;
  const own = process.isNewer ? newer : older;
  const store = storeOf(world.store, own, () => recordRefusal(by, world));
  const tried = new WeakSet<object>();

  const isCutOff = () => process.cutOffUntil > world.time.now();

  const isSweepCutOff = (path: string) =>
    by.target === 'sweep' &&
    path.startsWith(paths.sessions) &&
    world.isIn(world.plan.sweepOutage) &&
    world.drawFault('sweep_cut_off');

  const isDown = () => world.isIn(world.plan.storeOutage) && world.drawFault('store_down');

  const applyCommit = async (writes: Write[]): Promise<CommitResult> => {
    const result = await commitChecked(writes, by, () => store.commit(writes), world);
    if (!result.ok && isRenamed(writes, world)) world.countFault('alert_renamed');
    if (result.ok) {
      recordVersions(writes, by, world);
      noteCommit(writes, by, world);
      recordCommit(writes, by, world);
      const session = writes.find(({ op, type }) => op === 'create' && isSession(type));
      if (session !== undefined && world.plan.migrateAfterMs !== null && !process.isNewer)
        makeOutdated(session.path, world);
    } else {
      noteRefusal(writes, by, world);
      world.traceLine(`${by.process.name} #${by.id} is refused: ${result.reason} (${writes[0]?.path})`);
    }
    return result;
  };

  const prepare = (writes: Write[], calls: string | undefined): void => {
    if (isBig(writes, world) && world.drawFault('commit_refused')) {
      throw new TerminalError('DOCUMENT_TOO_LARGE', 'it can never be stored');
    }
    // What was tried before is small enough.
    const firstValue = writes[0]?.value ?? {};
    const isFirstTry = !tried.has(firstValue);
    tried.add(firstValue);
    // The event of a deferred session is small, and comes with nothing else.
    const isAnswer = calls === 'answer' && by.target === 'runIteration' && mayBeRefused(writes, by, world);
    if (isAnswer && isFirstTry && world.drawFault('answer_refused')) {
      throw new TerminalError('DOCUMENT_TOO_LARGE', 'it can never be stored');
    }
    if (calls === 'answer' && world.drawFault('instance_cut_off'))
      process.cutOffUntil = world.time.now() + world.drawMs(20_000, MINUTE);
    for (const execution of marksIn(writes)) by.unmarked.delete(executionKey(execution));
  };

  const faulty = faultyStore(store, process, world, {
    apply: applyCommit,
    repeat: (writes) => store.commit(writes),
    rewrite: (path) => rewriteDocument(path, world),
    kindOf,
    isDown,
    prepare,
    loseFirst(writes, { latency, send, applyUnheard }) {
      if (!losesClaim(writes, world)) return undefined;
      const isReadable = world.random.chance(0.5);
      const lost = () =>
        applyUnheard().finally(() => {
          if (!isReadable) process.cutOffUntil = world.time.now() + STORE_TIMEOUT_MS;
        });
      return send(lost, latency);
    },
    loseLast(writes, { send, applyUnheard }) {
      const isParking = world.plan.trees && writes.some(({ op, path }) => op === 'create' && isChild(path));
      if (!isParking || !world.drawFault('parking_answer_lost', kindOf(writes))) return undefined;
      return send(applyUnheard, STORE_TIMEOUT_MS, 'at once');
    },
    noteLost: (writes) => countLostMarks(writes, world),
    noteLostCount() {
      world.record.tokens.isLost = true;
    },
    noteRepeated() {
      // As the last release, this code does not recognise its own write: newer fields are missing.
      if (!process.isNewer && world.plan.upgrade === 'released') process.troubledAt = world.time.now();
    },
  });
  const { read } = faulty;

  return {
    ...faulty,
    get: (path, type) => {
      const isControl = path.endsWith('/control/state');
      // There is none in other runs, and reading it must not change what they draw.
      if (isControl && !world.plan.steered && !world.plan.watched) return Promise.resolve(undefined);
      if (path === paths.systemControl && !world.plan.systemPaused) return Promise.resolve(undefined);
      const work = async () => {
        if (isLive({ path })) world.record.violations.push('live: it is read');
        if (isSweepCutOff(path)) throw storeUnavailable('reading');
        return await store.get(path, type);
      };
      // Nothing but live text depends on what is read while a model answers.
      if (isControl && isAsking(by, world))
        return callRemote(
          process,
          isCutOff() ? () => Promise.reject(storeUnavailable('reading')) : work,
          10,
          world,
        );
      return read(work, path.includes('/executions/') ? 'execution_read' : undefined);
    },
    list: (query, type) =>
      read(async () => {
        if (query.collection.endsWith('/live')) world.record.violations.push('live: it is read');
        return await store.list(query, type);
      }),
    // Who opens a session goes on without what it does not find, so that no fault is drawn.
    find: (query, type) => store.find(query, type),
    findNearest: (query, type) => store.findNearest(query, type),
  };
}

/** Whether a model answers a question of the invocation. */
function isAsking(by: Invocation, { record }: World): boolean {
  return record.activities.some((one) => one.by === by && one.kind === 'model' && one.endedAt === undefined);
}

/** Number of claims of one iteration that lose their answers in a row. */
const LOST_IN_A_ROW = 3;

/** Whether a commit is a claim that loses its answer. */
function losesClaim(writes: Write[], world: World): boolean {
  const { plan, record, lostClaims } = world;
  if (!plan.probability.claim_answer_lost) return false;
  const written = writes.find(({ op, type }) => op === 'replace' && type === (executionType as unknown));
  if (written === undefined) return false;
  const { iteration, lease } = written.value as Execution;
  const key = executionKey(written.value as Execution);
  if (lease === null || lease.holder === record.executions.get(key)?.value.lease?.holder) return false;
  const claim = `${key}.${iteration}`;
  const left = lostClaims.get(claim) ?? (world.drawFault('claim_answer_lost') ? LOST_IN_A_ROW : 0);
  lostClaims.set(claim, Math.max(0, left - 1));
  return left > 0;
}

/** Whether a document is an execution that a call created. */
function isChild(path: string): boolean {
  return path.includes('/executions/') && path.includes('~');
}

/** A child's finding for a parent's call can be too large; giving up an approval is short. */
function mayBeRefused(writes: Write[], by: Invocation, { record }: World): boolean {
  const { executionId = '' } = by;
  if (writes.some(({ op, type }) => op === 'replace' && type === (approvalType as unknown))) return false;
  const [first] = writes;
  const byChild = executionId.includes('~') && first?.path.endsWith(`/${executionId}`) === false;
  const [, sessionId, , written] = first?.path.split('/') ?? [];
  const before = record.executions.get(executionKey({ sessionId, executionId: written }))?.value;
  // Only an execution's holder stores an answer. Settling a wait needs no hold.
  const settles = byChild || before?.lease === null;
  return !settles || JSON.stringify(writes).includes('is_structured_output');
}

/** Whether a document is that of a session. */
function isSession(type: unknown): boolean {
  return type === sessionType;
}

/** Whether they would store a session under another id than the one that its alert has opened already. */
function isRenamed(writes: Write[], { record }: World): boolean {
  return writes.some(({ path, type, value }) => {
    if (type !== (alertKeyType as unknown)) return false;
    const known = record.alertKeys.get(keyOf(path));
    return known !== undefined && known !== (value as AlertKey).sessionId;
  });
}

const keyOf = (path: string): string => path.slice(`${paths.alertKeys}/`.length);

/** Whether a process lives, and by a clock that was never corrected. */
function hasSteadyClock({ process }: Invocation): boolean {
  return process.alive && !process.hasJumped;
}

/** The kind of a commit that some runs fail often. */
function kindOf(writes: Write[]): CallKind | undefined {
  // The event of a session that is deferred or cancelled is no answer.
  const isOpening = ({ op, type }: Write) => op === 'create' && isSession(type);
  const isCancelling = ({ type, value }: Write) =>
    isSession(type) && (value as Session).status === 'cancelling';
  const isSteering = ({ type }: Write) => type === (controlType as unknown);
  if (writes.some((write) => isOpening(write) || isCancelling(write) || isSteering(write))) return undefined;
  for (const { op, type, path, value } of writes) {
    if (op === 'replace' && type === (stageType as unknown)) return 'stage';
    if (path.includes('/interactions/') || path.includes('/timeline/')) return 'answer';
    if (op !== 'replace' || type !== (executionType as unknown)) continue;
    if (isTerminal((value as Execution).status)) return 'ending';
  }
  return undefined;
}

/** Whether a commit can be too large: a following stage, or a new analysis. */
function isBig(writes: Write[], { record, plan }: World): boolean {
  return writes.some(({ op, path, type, value }) => {
    // The first stage may begin later than its session, which is opened beside an incident that is replaced.
    const isFirst = (record.sessions.get(path.split('/')[1] ?? '')?.status ?? 'deferred') === 'deferred';
    if ((plan.incidents ?? plan.grouped) !== null && isFirst) return false;
    if (isSession(type)) {
      const { sessionId, finalAnalysis } = value as Session;
      return finalAnalysis !== null && finalAnalysis !== record.sessions.get(sessionId)?.finalAnalysis;
    }
    return (
      op === 'create' && path.split('/')[2] === 'stages' && writes.some((other) => other.op === 'replace')
    );
  });
}

/**
 * Checks that an open execution is late some time after it was last written, by the clock of who writes it
 * now, but not later than it may be; and one that has ended never.
 */
function checkDueAt(execution: Execution, { process, target }: Invocation, { record, time }: World): void {
  const { executionId, status, deadline, lease, notBefore, pendingCalls } = execution;
  const dueAt = readDue(execution);
  const before = (record.executions.get(executionKey(execution))?.at ?? 0) + Math.min(0, process.minSkewMs);
  // One that goes on waiting may be late already, for another child, and so may one whose deadline has
  // passed. A message that is published again near the deadline moves the time by up to three milliseconds.
  const isAtDeadline = dueAt !== null && Math.abs(deadline.getTime() - dueAt.getTime()) <= 3;
  // Whoever ends a pause extends an execution whose holder died, and leaves it the lease that is over.
  const isExtended = target === 'sweep' && lease !== null;
  const mayBeLate = status === 'waiting' || isAtDeadline || isExtended;
  const latest = Math.max(
    time.now() + process.maxSkewMs + LOST_MESSAGE_MS,
    notBefore?.getTime() ?? 0,
    ...pendingCalls.map(({ waitsFor }) => waitsFor?.until.getTime() ?? 0),
  );
  const isRight = isTerminal(status)
    ? dueAt === null
    : dueAt !== null && (mayBeLate || dueAt.getTime() > before) && dueAt.getTime() <= latest;
  if (!isRight) record.violations.push(`due: ${executionId} is ${status} and due at ${dueAt?.toISOString()}`);
}

function recordPause({ sessionId, paused }: Control, { record, time }: World): void {
  const { from, to } = record.pauses.get(sessionId) ?? { from: 0, to: 0 };
  const now = time.now();
  if (paused && to < now) record.pauses.set(sessionId, { from: now, to: Number.POSITIVE_INFINITY });
  if (!paused && to > now) record.pauses.set(sessionId, { from, to: now });
}

/** Whether a path is that of what a model says while it speaks. */
const isLive = ({ path }: Pick<Write, 'path'>): boolean => path.split('/')[2] === 'live';

/** Records an applied commit, its leases and its line of the trace. */
function recordCommit(all: Write[], by: Invocation, world: World): void {
  world.record.live.push(...all.filter(isLive).map(({ path, op }) => ({ path, op, by })));
  const writes = all.filter((write) => !isLive(write));
  if (writes.length === 0) return;
  world.record.commits.push({ at: world.time.now(), by, writes });
  const { older, newer } = world.generations;
  for (const { path, type, value } of writes) {
    if (by.process.isNewer && newer.typeOf(type).version > older.typeOf(type).version)
      world.record.newerPaths.add(path);
    if (isSession(type)) {
      const session = value as Session;
      const isSettling = session.status === 'deferred' && session.deferral?.until != null;
      const isOpen = isSettling || (session.status !== 'deferred' && !isTerminal(session.status));
      const isDue = isOpen || session.openStage !== null;
      if ((session.dueAt !== null) !== isDue)
        world.record.violations.push(`due: ${path} is ${session.status} and due at ${session.dueAt}`);
      world.record.sessions.set(session.sessionId, session);
    }
    if (type === (alertKeyType as unknown))
      world.record.alertKeys.set(keyOf(path), (value as AlertKey).sessionId);
    if (type === (approvalType as unknown)) {
      const approval = value as Approval;
      const isNew = !world.record.approvals.has(approval.approvalId);
      world.record.approvals.set(approval.approvalId, approval);
      if (isNew) world.onApproval(approval);
    }
    if (type === (controlType as unknown)) recordPause(value as Control, world);
    if (type === (systemControlType as unknown)) {
      const isPaused = (value as SystemControl).paused !== null;
      world.record.systemPausedUntil = isPaused ? Number.POSITIVE_INFINITY : world.time.now();
    }
    if (type === (pinnedToolsType as unknown)) {
      const pinned = value as PinnedTools;
      world.record.pins.set(pinned.sessionId, pinned);
    }
    if (type === (checkType as unknown)) {
      const check = value as Check;
      world.record.checks.set(check.checkId, check);
    }
    if (type === (outcomeType as unknown)) {
      const outcome = value as Outcome;
      world.record.outcomes.set(outcome.sessionId, outcome);
    }
    if (type === (stageType as unknown)) world.record.stages.set(path, (value as Stage).status);
    if (type !== (executionType as unknown)) continue;
    if (!world.createdBy.has(path)) world.createdBy.set(path, by);
    const { executionId, iteration, publishedIteration, lease } = value as Execution;
    const key = executionKey(value as Execution);
    const at = world.time.now();
    // A migration does not know when the documents of older code are late.
    if (by.target !== 'migrate') checkDueAt(value as Execution, by, world);
    // After a wait its message is needed again.
    if (publishedIteration < iteration) world.record.claims.delete(`${key}.${iteration}`);
    if (takesToPublish(value as Execution, world.record.executions.get(key)?.value)) by.unmarked.add(key);
    const before = world.record.executions.get(key)?.by;
    const differ = before?.process.skewMs !== by.process.skewMs || by.process.hasJumped;
    if (before !== undefined && (differ || before.process.hasJumped)) before.overtaken.add(key);
    world.record.executions.set(key, { value: value as Execution, by, at });
    const claim = `${key}.${iteration}`;
    if (lease !== null) world.record.heldAt.set(key, at);
    if (lease !== null && !world.record.claims.has(claim)) world.record.claims.set(claim, at);
    const atWork = world.record.activities.find(
      (one) => one.by === by && executionKey(one) === key && one.endedAt === undefined,
    );
    if (lease === null && atWork !== undefined && by.process.alive)
      world.record.violations.push(
        `lease: ${by.process.name} #${by.id} gives ${executionId} away while its ${atWork.kind} goes on`,
      );
    const until = Math.max(by.leases.get(key) ?? 0, by.process.stalledUntil + by.process.skewMs);
    const late = at + by.process.skewMs - until;
    if (lease !== null && atWork !== undefined && hasSteadyClock(by) && late > RENEWAL_MS)
      world.record.violations.push(
        `lease: ${by.process.name} #${by.id} renews ${executionId} ${late} ms after its lease ran out, and its ${atWork.kind} went on`,
      );
    if (lease === null) by.leases.delete(key);
    else by.leases.set(key, lease.until.getTime());
  }
  world.traceLine(`${by.process.name} #${by.id} writes ${describeWrites(writes)}`);
}

/** Whether a write only takes an unclaimed execution, to publish its message again. */
function takesToPublish(after: Execution, before: Execution | undefined): boolean {
  const isUnclaimed = ({ lease, iteration, publishedIteration }: Execution) =>
    lease === null && publishedIteration < iteration;
  // Older code did not store `reads` and `siblings`: the next write stores their defaults.
  const { reads, siblings } = after;
  return (
    before !== undefined &&
    isUnclaimed(before) &&
    isUnclaimed(after) &&
    isDeepStrictEqual({ ...before, reads, siblings, due: {} }, { ...after, due: {} })
  );
}

/** The executions that writes mark as published again. */
const marksIn = (writes: Write[]): Execution[] =>
  writes
    .filter(({ op, type }) => op === 'replace' && type === (executionType as unknown))
    .map(({ value }) => value as Execution)
    .filter(({ iteration, publishedIteration, lease }) => lease === null && publishedIteration === iteration);

/** Counts writes of repeated publications that the store did not accept in time. */
function countLostMarks(writes: Write[], { record }: World): void {
  for (const execution of marksIn(writes)) {
    const { iteration } = execution;
    const before = record.executions.get(executionKey(execution))?.value;
    const isMarked = before?.iteration !== iteration || before.publishedIteration === iteration;
    if (!isMarked) record.published.unmarked++;
  }
}
