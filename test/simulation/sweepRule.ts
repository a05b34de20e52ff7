// Checks that a sweep that reports no failure has handled every session and execution it had to.

import type { Clock } from '../../shared/runtime/deps.ts';
import type { SweepReport } from '../../shared/runtime/rescue/sweep.ts';
import { isTerminal } from '../../shared/schema/common.ts';
import type { World } from './world.ts';

/** The idle time, in milliseconds, during which every sweep must publish an execution's message. */
const IDLE_MS = { from: 60_000, to: 150_000 };

/** Called when a sweep starts; the returned function is called with its report when it ends. */
export function watchSweep(clock: Clock, { record, time }: World): (report: SweepReport) => void {
  const startedAt = time.now();
  const from = clock.now().getTime();
  const { session } = record;
  const found = [...record.executions].filter(([, { value }]) => !isTerminal(value.status));
  return (report) => {
    const to = clock.now().getTime();
    const violate = (detail: string) => void record.violations.push(`sweep: ${detail}`);
    if (report.failed > 0 || session === undefined || isTerminal(session.status)) return;
    if (record.session === session && (session.status === 'cancelling' || found.length === 0))
      violate(`a session that is ${session.status}, with ${found.length} open executions, was left alone`);
    if (session.status === 'cancelling') return;
    for (const [executionId, { value, at }] of found) {
      if (record.executions.get(executionId)?.value !== value) continue;
      const { lease, notBefore, deadline } = value;
      if (Math.max(lease?.until.getTime() ?? 0, notBefore?.getTime() ?? 0) > from) continue;
      if (deadline.getTime() <= from) violate(`${executionId} was left open after its deadline`);
      const idleSince = Math.max(at, notBefore?.getTime() ?? 0);
      const isDue = from - idleSince >= IDLE_MS.from && to - idleSince < IDLE_MS.to;
      if (isDue && (record.published.get(executionId) ?? 0) < startedAt)
        violate(`${executionId} was left alone for ${to - idleSince} ms`);
    }
  };
}
