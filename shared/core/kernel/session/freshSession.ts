// The initial state of every session, for all ways of opening one.

import { NO_TOKENS } from '../../schema/common.ts';
import { NO_COST } from '../../schema/cost.ts';
import { NO_PARTS } from '../../schema/parts.ts';
import { DEFAULT_TENANT, NOT_STEERED } from '../../schema/session.ts';

/** The initial fields of a session. */
export const FRESH_SESSION = {
  tenantId: DEFAULT_TENANT,
  steering: NOT_STEERED,
  title: null,
  openStage: null,
  questions: 0,
  finalAnalysis: null,
  executiveSummary: null,
  conclusion: null,
  partial: null,
  caveats: [],
  tokens: NO_TOKENS,
  cost: NO_COST,
  failure: null,
  deferral: null,
  waitedUntil: null,
  cancellation: null,
  endedAt: null,
  ...NO_PARTS,
};
