// Approvals: a call of a tool that needs approval waits for a person's decision.

import type { Feature } from '../../core/kernel/feature/feature.ts';
import { askPerson } from './askPerson.ts';
import { checkDecision } from './checkDecision.ts';

/** Makes calls that need approval wait for a person, and runs none that no person approved. */
export const APPROVAL: Feature = {
  wait: { kind: 'person', plan: () => Promise.resolve(askPerson) },
  refuseCall: checkDecision,
};
