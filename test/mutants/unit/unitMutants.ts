// Single lines that unit tests protect, and the file of tests that notices when one is broken.

import { APPROVALS_MUTANTS } from './lists/approvals.ts';
import { BUDGETS_MUTANTS } from './lists/budgets.ts';
import { CHAT_MUTANTS } from './lists/chat.ts';
import { CHILDREN_MUTANTS } from './lists/children.ts';
import { INCIDENTS_MUTANTS } from './lists/incidents.ts';
import { LIVE_MUTANTS } from './lists/live.ts';
import { OUTAGES_MUTANTS } from './lists/outages.ts';
import { RACES_MUTANTS } from './lists/races.ts';
import { STAGES_MUTANTS } from './lists/stages.ts';
import { STEERING_MUTANTS } from './lists/steering.ts';
import { SWEEP_MUTANTS } from './lists/sweep.ts';
import type { UnitMutant } from './unitMutant.ts';

/** All mutants, by what is broken. */
export const UNIT_MUTANTS: Record<string, UnitMutant> = {
  ...RACES_MUTANTS,
  ...APPROVALS_MUTANTS,
  ...CHAT_MUTANTS,
  ...STEERING_MUTANTS,
  ...CHILDREN_MUTANTS,
  ...LIVE_MUTANTS,
  ...STAGES_MUTANTS,
  ...SWEEP_MUTANTS,
  ...INCIDENTS_MUTANTS,
  ...BUDGETS_MUTANTS,
  ...OUTAGES_MUTANTS,
};
