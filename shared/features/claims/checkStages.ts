// The strategies of stages that check a result: the call that links claims to evidence, and repeated calls.

import { ASKS_NO_MODEL } from '../../core/controllers/oneCall.ts';
import type { Feature } from '../../core/kernel/feature/feature.ts';
import { CLAIMS_STRATEGY, CONTRAST_STRATEGY, PROBE_STRATEGY } from '../../core/schema/agent.ts';
import { claimsCheck } from './controller/claimsController.ts';
import { CLAIMS_SCHEMA } from './controller/claimsSchema.ts';

/** Their agents exist in no configuration. */
export const CHECK_STAGES: Feature = {
  controllers: {
    [CLAIMS_STRATEGY]: claimsCheck(CLAIMS_SCHEMA),
    [PROBE_STRATEGY]: ASKS_NO_MODEL,
    [CONTRAST_STRATEGY]: ASKS_NO_MODEL,
  },
};
