// The checked statements of an execution.

import type { Ledger } from '../../evidence/ledger.ts';
import type { Match } from '../../evidence/match.ts';
import type { Execution } from '../../schema/execution.ts';
import type { CitableResults } from './citableResults.ts';
import type { DecidedTest } from './decideTests.ts';

/** The checked statements of an execution. */
export interface ExecutionClaims {
  execution: Execution;
  /** An agent of the chain, the check of its claims, or the search for contradictions. */
  kind: 'agent' | 'claims' | 'counter';
  ledger: Ledger;
  /** The results in which its evidence is searched: for an agent its own, else those of all agents as `a.r5`. */
  citable: CitableResults;
  matches: ReadonlyMap<string, Match>;
  tests: readonly DecidedTest[];
}
