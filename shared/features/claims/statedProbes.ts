// The probes of a session: calls of its agents that code repeats after its end. Pure.

import { probeFault } from '../../evidence/probe.ts';
import { MAX_PROBES, type Probe } from '../../kits/alerts/outcome.ts';
import type { ExecutionClaims } from '../../kits/claims/executionClaims.ts';
import { executionLetter } from '../../kits/claims/readClaims.ts';

/** The first probes that can be repeated, in the order of the agents. */
export function statedProbes(executions: readonly ExecutionClaims[]): Probe[] {
  return executions
    .flatMap(({ execution: { executionId }, kind, ledger, citable }, index) =>
      [...ledger.probes.values()]
        .filter((probe) => kind === 'agent' && probeFault(probe, citable.results) === undefined)
        .map(({ value = null, action = null, ...probe }) => ({
          ...probe,
          value,
          action,
          executionId,
          id: `${executionLetter(index)}.${probe.id}`,
        })),
    )
    .slice(0, MAX_PROBES);
}
