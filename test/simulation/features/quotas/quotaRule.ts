// A quota of the model that all instances share: which runs have one, and what it bounds.

import { createQuotas, type Quotas } from '../../../../shared/contract/quotas.ts';
import { type FaultPlan, MINUTE } from '../../faults.ts';
import type { Process } from '../../record.ts';
import type { World } from '../../world.ts';

/** A request starts at most this late after its quota: a slow store, or a stalled process. */
const MAX_LATE_MS = 3 * MINUTE;

/** Gives some runs a quota. They are none of the first, whose mutants have pinned seeds. */
export function withQuota(plan: FaultPlan, seed: number): FaultPlan {
  if (seed <= 400 || seed % 7 !== 5 || plan.peaceful) return plan;
  return { ...plan, quota: { rpm: 2 + (seed % 3), tpm: seed % 2 === 0 ? 200_000 : undefined }, sweep: true };
}

const QUOTAS = new WeakMap<Process, Quotas>();

/** The server's calls per minute with a ledger: sometimes none is left for contrast. */
const CALLS_PER_MINUTE = 2;

/** The quotas of an instance, which start empty; undefined in runs without one. */
export function quotasOf(
  process: Process,
  { quota, ledger, rules }: FaultPlan,
  models: readonly string[],
): Quotas | undefined {
  if (quota === null && !ledger) return undefined;
  const known = QUOTAS.get(process);
  if (known !== undefined) return known;
  const limits = quota === null ? {} : Object.fromEntries(models.map((model) => [model, quota]));
  const servers = ledger ? { sim: { perMinute: CALLS_PER_MINUTE + (rules ? 1 : 0) } } : {};
  const quotas = createQuotas({ models: limits, servers });
  QUOTAS.set(process, quotas);
  return quotas;
}

/** Within any time no more requests start than the quota of the minutes in which they can have taken it. */
export function checkQuota({ plan, record }: World, violate: (rule: string, detail: string) => void): void {
  if (plan.quota === null) return;
  const { rpm } = plan.quota;
  const starts = record.activities
    .flatMap(({ kind, startedAt }) => (kind === 'model' ? [startedAt] : []))
    .sort((a, b) => a - b);
  // An instance takes the quota of its own clock's minute.
  const minutes = 1 + Math.ceil((2 * plan.maxSkewMs + MAX_LATE_MS) / MINUTE);
  starts.forEach((from, index) => {
    const last = starts[index + minutes * rpm];
    if (last !== undefined && last - from < MINUTE)
      violate(
        'quota',
        `more than ${minutes * rpm} requests start within a minute of ${from}, of ${rpm} a minute`,
      );
  });
}
