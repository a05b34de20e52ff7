// The result of a check, which its final analysis states.

import { checkPart, withCheckResult } from '../../alerts/schema/sessionCheck.ts';
import type { StageFeature } from '../../core/kernel/stageFeature.ts';
import { withPart } from '../../core/schema/parts.ts';

/** Keeps the result of a check in step with its session. */
export const CHECK_RESULT: StageFeature = {
  deriveFields: (session) => withPart(checkPart, session, withCheckResult(session)),
};
