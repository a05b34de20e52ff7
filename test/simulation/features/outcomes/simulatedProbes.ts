// Runs on after a session whose agents named repeated calls: half an hour, and a day.

import { addWork } from '../../../../shared/kits/work/addWork.ts';
import { type FaultPlan, MINUTE } from '../../faults.ts';
import type { Cloud } from '../../simulatedCloud.ts';
import type { World } from '../../world.ts';
import { ask, perform } from '../chat/simulatedChat.ts';

/** How long before a check sweeps run again, and for how long faults occur around it, in milliseconds. */
const BEFORE_MS = MINUTE;
const TROUBLED_MS = 10 * MINUTE;
/** A check is over by then: late commits are half an hour late. */
const LONGEST_MS = 90 * MINUTE;

/** How long the documents of a run with probes are kept, so that both checks are due. */
export const PROBED_RETENTION_MS = 72 * 60 * MINUTE;

/** The plan of a seed whose agents name probes: two of three that keep a ledger. Nothing is drawn for it. */
export function withProbes(plan: FaultPlan, seed: number): FaultPlan {
  if (!plan.ledger || plan.expireAfterMs !== null || seed % 3 === 2) return plan;
  // Nothing but the sweep starts a check.
  return { ...plan, probes: true, sweep: true, asked: plan.asked || seed % 4 === 0 };
}

/** A person records the action that was taken: the one that the analysis named, or a different one. */
function act(sessionId: string, cloud: Cloud, { random }: World): void {
  const text = random.pick(['Restarted web-1', 'Restarted web-1', 'Restarted db-7']);
  perform('work', cloud, async (deps) => {
    await addWork(sessionId, { kind: 'action', text, review: null, by: 'ada', seen: null }, deps);
  });
}

/**
 * Runs until no check is due. Now and then a person asks at that time.
 * @param sweeping lets the sweep run, or stops it: between two checks it finds nothing.
 */
export async function runChecks(
  world: World,
  cloud: Cloud,
  sweeping: (isOn: boolean) => void,
  isQuiet: () => boolean,
): Promise<void> {
  const { time, record, plan, random } = world;
  const dueAt = () =>
    Math.min(
      ...[...record.outcomes.values()].map(({ sessionId, dueAt }) =>
        dueAt === null || record.expired.has(sessionId) ? Number.POSITIVE_INFINITY : dueAt.getTime(),
      ),
    );
  for (let at = dueAt(); plan.probes && at < Number.POSITIVE_INFINITY; at = dueAt()) {
    await time.runUntil(() => false, at - BEFORE_MS);
    const from = time.now();
    if (!plan.peaceful) world.faultsUntil = from + TROUBLED_MS;
    for (const sessionId of plan.asked ? record.outcomes.keys() : [])
      time.after(BEFORE_MS + random.int(0, BEFORE_MS), () => ask(sessionId, cloud, world));
    for (const sessionId of record.outcomes.keys())
      if (random.chance(0.4)) time.after(random.int(0, 2 * BEFORE_MS), () => act(sessionId, cloud, world));
    sweeping(true);
    // A question can wait for an approval.
    const isAnswered = () => [...record.sessions.values()].every(({ openStage }) => openStage === null);
    const isOver = () => dueAt() > time.now() + LONGEST_MS && isAnswered() && isQuiet();
    await time.runUntil(isOver, from + LONGEST_MS);
    sweeping(false);
    if (time.now() >= from + LONGEST_MS || !isOver()) return;
  }
}
