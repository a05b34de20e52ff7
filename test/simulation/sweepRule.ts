// What a sweep that says all went well must have done about what it found.

import type { Clock } from '../../shared/runtime/deps.ts';
import type { SweepReport } from '../../shared/runtime/rescue/sweep.ts';
import { isTerminal } from '../../shared/schema/common.ts';
import type { World } from './world.ts';

/** An execution nobody touched for so long gets its message at every tick, in milliseconds. */
const IDLE_MS = { from: 60_000, to: 150_000 };

/** To be called when a sweep begins; the returned function, when it is done. */
export function watchSweep(clock: Clock, { record, time }: World): (report: SweepReport) => void {
  const begun = time.now();
  const from = clock.now().getTime();
  const { session } = record;
  const found = [...record.executions].filter(([, { value }]) => !isTerminal(value.status));
  return (report) => {
    const to = clock.now().getTime();
    const violate = (what: string) => void record.violations.push(`sweep: ${what}`);
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
      if (isDue && (record.published.lastAt.get(executionId) ?? 0) < begun)
        violate(`${executionId} was left alone for ${to - idleSince} ms`);
    }
  };
}
