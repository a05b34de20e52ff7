// The result of a check, which its final analysis states.

import { checkPart, withCheckResult } from '../../../schema/features/check.ts';
import { withPart } from '../../../schema/parts.ts';
import type { StageFeature } from '../../kernel/stageFeature.ts';

/** Keeps the result of a check in step with its session. */
export const CHECK_RESULT: StageFeature = {
  deriveFields: (session) => withPart(checkPart, session, withCheckResult(session)),
};
