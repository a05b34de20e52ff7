// The initial state of every session, for all ways of opening one.

import { NO_TOKENS } from '../../../schema/common.ts';
import { NO_COST } from '../../../schema/cost.ts';
import { DEFAULT_TENANT, NOT_STEERED } from '../../../schema/session.ts';

/** The initial fields of a session. */
export const FRESH_SESSION = {
  tenantId: DEFAULT_TENANT,
  check: null,
  context: null,
  steering: NOT_STEERED,
  correlation: null,
  alsoFiring: [],
  changes: null,
  title: null,
  trigrams: [],
  runbook: null,
  seenBefore: [],
  reinvestigates: null,
  openStage: null,
  questions: 0,
  finalAnalysis: null,
  executiveSummary: null,
  conclusion: null,
  partial: null,
  caveats: [],
  verdict: null,
  dependencies: [],
  tokens: NO_TOKENS,
  cost: NO_COST,
  failure: null,
  deferral: null,
  waited: null,
  rerunOf: null,
  notify: [],
  cancellation: null,
  endedAt: null,
};
