// Step 8 of intake for a new session, commit: stores it in one batch and publishes its first iterations.

import { announce } from '../../../core/contract/announce.ts';
import { RetryableError } from '../../../core/errors.ts';
import { CRASH_POINTS } from '../../../core/kernel/crashPoints.ts';
import type { AlertDeps } from '../../../core/kernel/deps.ts';
import { RACE_LOST } from '../../../core/kernel/documents/retryConflict.ts';
import { publishIteration } from '../../../core/kernel/state/nextIteration.ts';
import { continueSession } from '../../../core/session/continueSession.ts';
import { findSessionId } from '../../../kits/alerts/alertKey.ts';
import type { AttemptOutcome } from '../../../kits/alerts/intakeOutcome.ts';
import { ID_DIGITS, ownSessionId } from '../../../kits/alerts/sessionId.ts';
import type { InformedAlert } from './addContext.ts';
import { planSession } from './planSession.ts';

/**
 * Stores the session of an alert, unless an earlier delivery did.
 * @returns `RACE_LOST` if the delivery of another alert opened a session of the same problem.
 * @throws RetryableError when store or publisher fail; `STORE_CONFLICT` if other sessions have all ids that
 * this one can get.
 */
export async function commitSession(alert: InformedAlert, deps: AlertDeps): Promise<AttemptOutcome> {
  const { key, deferral, problem } = alert;
  for (const digits of ID_DIGITS) {
    const sessionId = ownSessionId(alert, digits);
    const { writes, after, executions } = planSession(alert, sessionId, deps.clock.now(), deps);
    await deps.failpoint?.(CRASH_POINTS.ingestBeforeCommit);
    const { ok } = await announce({}, after, writes, deps);
    if (ok) {
      await deps.failpoint?.(CRASH_POINTS.ingestAfterCommit);
      await Promise.all(executions.map((execution) => publishIteration(deps.publisher, execution)));
      await deps.failpoint?.(CRASH_POINTS.ingestAfterPublish);
      return deferral === undefined
        ? { outcome: 'opened', sessionId }
        : { outcome: 'deferred', sessionId, deferral, alert: alert.alert };
    }
    const earlier = await findSessionId(key, deps);
    if (earlier !== undefined) return continueSession(earlier, deps);
    if (problem !== null && (await problem.isOutdated())) return RACE_LOST;
    // Another alert's session has this id.
  }
  throw new RetryableError(
    'STORE_CONFLICT',
    'other sessions have the ids that this alert can give to its own',
  );
}
