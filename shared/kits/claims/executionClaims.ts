// The checked statements of an execution.

import type { Execution } from '../../core/schema/execution.ts';
import type { Ledger } from '../../evidence/ledger.ts';
import type { Match } from '../../evidence/match.ts';
import type { CitableResults } from './citableResults.ts';

/** The checked statements of an execution. */
export interface ExecutionClaims {
  execution: Execution;
  /** An agent of the chain, or the check of its claims. */
  kind: 'agent' | 'claims';
  ledger: Ledger;
  /** The results for its evidence: for an agent its own, else those of all agents as `a.r5`. */
  citable: CitableResults;
  matches: ReadonlyMap<string, Match>;
}
