// The decision at the end of a stage without model: a verdict of a check, or the answer by rule.

import type { Execution } from '../../schema/execution.ts';
import type { Session } from '../../schema/session.ts';
import type { Stage } from '../../schema/stage.ts';
import type { StateDeps } from '../kernel/deps.ts';
import { captureFailure } from '../kernel/documents/reading.ts';
import { type ClaimsCheck, checkClaims } from './checkClaims.ts';
import { answerByRule, needsRule } from './judgeByRule.ts';

/**
 * The verdict after a stage that checks claims; the answer by rule after one whose agents ended without an
 * analysis. Undefined for other stages, and where the claims cannot be read.
 * @param executions of the stage, all of which have ended.
 */
export async function checkStage(
  session: Session,
  stage: Stage,
  executions: readonly Execution[],
  now: Date,
  { store, log }: Pick<StateDeps, 'store' | 'log'>,
): Promise<ClaimsCheck | undefined> {
  const isByRule = stage.kind === 'investigation' && needsRule(session, executions);
  if (stage.kind !== 'claims' && !isByRule) return undefined;
  const { value, failure } = await captureFailure<ClaimsCheck | undefined>(
    isByRule ? answerByRule(session, store, now) : checkClaims(session, stage, store),
  );
  if (failure !== undefined) log.warn({ code: failure.code }, `claims cannot be read: ${failure.message}`);
  return value;
}
