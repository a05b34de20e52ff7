// Checks that a sweep that reports no failure has handled every session and execution it had to.

import type { Clock } from '../../shared/core/kernel/deps.ts';
import { readDue } from '../../shared/core/kernel/state/dueAt.ts';
import type { SweepReport } from '../../shared/core/rescue/sweep.ts';
import { isTerminal } from '../../shared/core/schema/common.ts';
import { MINUTE } from './faults.ts';
import { waitsForSweep } from './features/modelOutages/modelOutageRule.ts';
import type { World } from './world.ts';

/**
 * The idle time, in milliseconds, during which every sweep must publish the message of an execution that is
 * late by its clock: `due` has the time of the last writer's.
 */
const IDLE_MS = { from: 60_000, to: 150_000 };
/** An execution whose end was stored later than this after its time is found by the listing alone. */
const LATE_COMMIT_MS = 4 * MINUTE;
/** From then on a listing must have found whatever is in the session. */
const LISTED_MS = 62 * MINUTE;

/** Called when a sweep starts; the returned function is called with its report when it ends. */
export function watchSweep(clock: Clock, { record, time }: World): (report: SweepReport) => void {
  const startedAt = time.now();
  const from = clock.now().getTime();
  const skew = from - startedAt;
  const sessions = new Map(record.sessions);
  const found = [...record.executions].filter(([, { value }]) => !isTerminal(value.status));
  /** Whether the last end of an execution was stored so late that no query finds it any more. */
  const waitsForListing = (sessionId: string, now: number): boolean => {
    const executions = [...record.executions.values()].filter(({ value }) => value.sessionId === sessionId);
    const last = executions.reduce((a, b) => (a.at > b.at ? a : b));
    const isLate = last.at - (last.value.endedAt?.getTime() ?? last.at) > LATE_COMMIT_MS;
    return isLate && now - last.at < LISTED_MS;
  };
  return (report) => {
    const to = clock.now().getTime();
    const violate = (detail: string) => void record.violations.push(`sweep: ${detail}`);
    // A clock that was corrected meanwhile shows nothing.
    if (report.paused || report.failed > 0 || to - time.now() !== skew) return;
    for (const session of sessions.values()) {
      const open = found.filter(([, { value }]) => value.sessionId === session.sessionId);
      if (isTerminal(session.status) || record.sessions.get(session.sessionId) !== session) continue;
      if (session.status === 'deferred') continue;
      if (record.expired.has(session.sessionId)) continue;
      if (session.createdAt.getTime() > from) continue;
      const isOver = open.length === 0 && !waitsForListing(session.sessionId, startedAt);
      if (session.status === 'cancelling' || isOver)
        violate(`a session that is ${session.status}, with ${open.length} open executions, was left alone`);
    }
    for (const [key, { value, at }] of found) {
      const { executionId } = value;
      const session = sessions.get(value.sessionId);
      if (session?.status !== 'in_progress' || record.expired.has(value.sessionId)) continue;
      if (record.executions.get(key)?.value !== value) continue;
      const { lease, notBefore, deadline } = value;
      if (Math.max(lease?.until.getTime() ?? 0, notBefore?.getTime() ?? 0) > from) continue;
      if (deadline.getTime() <= from) violate(`${executionId} was left open after its deadline`);
      if (value.status === 'waiting') {
        const waiting = value.pendingCalls.filter(({ state }) => state === 'waiting');
        if (waiting.some(({ waitsFor }) => waitsFor !== undefined && waitsFor.until.getTime() <= from))
          violate(`${executionId} was left waiting after its time`);
        continue;
      }
      const resumed = record.pauses.get(value.sessionId)?.to ?? 0;
      if (resumed > startedAt) continue;
      const idleSince = Math.max(at, notBefore?.getTime() ?? 0, resumed);
      const dueAt = readDue(value);
      const isLate = dueAt !== null && dueAt.getTime() <= from;
      const isOver = waitsForSweep(value) && isLate && resumed === 0 && to - idleSince < 60_000;
      if (isOver && (record.published.lastAt.get(key) ?? 0) < startedAt)
        violate(`${executionId} was left alone when its pause for the model was over`);
      // The sweep counts from a resumption by the clock of the process that stored it.
      const resumedAt = session.steering.resumedAt?.getTime() ?? 0;
      const isRecent = from - resumedAt < IDLE_MS.from || (resumedAt > 0 && to - resumedAt >= IDLE_MS.to);
      const isIdle = !isRecent && from - idleSince >= IDLE_MS.from && to - idleSince < IDLE_MS.to;
      if (isIdle && isLate && (record.published.lastAt.get(key) ?? 0) < startedAt)
        violate(`${executionId} was left alone for ${to - idleSince} ms`);
    }
  };
}
