// Merges the hypotheses of several agents: those with the same component and mechanism are one. Pure.

import type { Hypothesis } from '../../evidence/ledger.ts';
import type { ExecutionClaims } from './executionClaims.ts';

interface MergedHypothesis extends Hypothesis {
  /** `h1`, in the order of the executions. */
  id: string;
}

/** The hypotheses of a session, and their names by those of each execution. */
export interface MergedHypotheses {
  all: readonly MergedHypothesis[];
  /** The merged id of an execution's hypothesis. One that is not stated has an id of its own. */
  nameOf(executionId: string, id: string): string;
}

/** Merges them. The check of claims names those of agents by their merged ids. */
export function mergeHypotheses(
  executions: readonly Pick<ExecutionClaims, 'execution' | 'kind' | 'ledger'>[],
): MergedHypotheses {
  const merged = new Map<string, MergedHypothesis>();
  const names = new Map<string, string>();
  const add = (executionId: string, stated: Hypothesis): void => {
    const { component, mechanism } = stated;
    const isWhole = component !== undefined && mechanism !== undefined;
    const key = isWhole ? `${component} ${mechanism}` : `${executionId}:${stated.id}`;
    const known = merged.get(key);
    const id = known?.id ?? `h${merged.size + 1}`;
    const cause = known?.cause === true || stated.cause === true;
    merged.set(key, { ...(known ?? stated), id, ...(cause && { cause }) });
    names.set(`${executionId}:${stated.id}`, id);
  };
  for (const { execution, kind, ledger } of executions) {
    const ids = new Set([...merged.values()].map(({ id }) => id));
    for (const stated of ledger.hypotheses.values()) {
      if (kind === 'agent' || !ids.has(stated.id)) add(execution.executionId, stated);
    }
  }
  const all = [...merged.values()];
  const agents = new Set(
    executions.filter(({ kind }) => kind === 'agent').map((one) => one.execution.executionId),
  );
  const nameOf = (executionId: string, id: string): string => {
    const own = `${executionId}:${id}`;
    const isMerged = !agents.has(executionId) && all.some((one) => one.id === id);
    return names.get(own) ?? (isMerged ? id : own);
  };
  return { all, nameOf };
}
