// Step 8 of intake for a new session, commit: stores it in one batch and publishes its first iterations.

import { alertBodyType } from '../../../alerts/schema/alert.ts';
import type { Announced } from '../../../core/contract/announce.ts';
import { announce } from '../../../core/contract/announce.ts';
import { createDocument, type Write } from '../../../core/contract/store.ts';
import { RetryableError } from '../../../core/errors.ts';
import { CRASH_POINTS } from '../../../core/kernel/crashPoints.ts';
import type { AlertDeps, StateDeps } from '../../../core/kernel/deps.ts';
import { RACE_LOST } from '../../../core/kernel/documents/retryConflict.ts';
import { sessionEvent } from '../../../core/kernel/session/sessionEvents.ts';
import { deriveFields } from '../../../core/kernel/stageFeature.ts';
import { publishIteration } from '../../../core/kernel/state/nextIteration.ts';
import { paths, sessionType } from '../../../core/schema/coreDocuments.ts';
import type { Execution } from '../../../core/schema/execution.ts';
import { continueSession } from '../../../core/session/continueSession.ts';
import { startStage } from '../../../core/stage/startStage.ts';
import { bodyPieces } from '../../../kits/alerts/alertBody.ts';
import { deferralEvent, waitingWrites } from '../../../kits/alerts/deferredSession.ts';
import { alertKeyWrite, findSessionId } from '../../../kits/alerts/fates/alertKey.ts';
import type { AttemptOutcome, FirstOutcome } from '../../../kits/alerts/intakeOutcome.ts';
import { ID_DIGITS, ownSessionId } from '../../../kits/alerts/sessionId.ts';
import type { InformedAlert } from './addContext.ts';

/**
 * Stores the session of an alert, unless an earlier delivery did.
 * @returns `RACE_LOST` if the delivery of another alert opened a session of the same problem.
 * @throws RetryableError when store or publisher fail; `STORE_CONFLICT` if other sessions have all ids that
 * this one can get.
 */
export async function commitSession(alert: InformedAlert, deps: AlertDeps): Promise<AttemptOutcome> {
  const { key, problem } = alert;
  for (const digits of ID_DIGITS) {
    const sessionId = ownSessionId(alert, digits);
    const { writes, after, executions } = planSession(alert, sessionId, deps.clock.now(), deps);
    await deps.failpoint?.(CRASH_POINTS.ingestBeforeCommit);
    const { ok } = await announce({}, after, writes, deps);
    if (ok) {
      await deps.failpoint?.(CRASH_POINTS.ingestAfterCommit);
      await Promise.all(executions.map((execution) => publishIteration(deps.publisher, execution)));
      await deps.failpoint?.(CRASH_POINTS.ingestAfterPublish);
      return openingOutcome(alert, sessionId);
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

function openingOutcome({ deferral, alert }: InformedAlert, sessionId: string): FirstOutcome {
  return deferral === undefined
    ? { outcome: 'opened', sessionId }
    : { outcome: 'deferred', sessionId, deferral, alert };
}

/** The batch of a new session. */
interface SessionPlan {
  /** The session, its alert, events and first stage. */
  writes: Write[];
  /** The documents that are announced. */
  after: Announced;
  /** The executions whose first iterations are published after the commit; none for a deferred session. */
  executions: Execution[];
}

/**
 * Plans the batch of a new session: the session, the key of its alert, its problem, the body, its first stage
 * and its events.
 * @param now for the problem.
 */
function planSession(
  alert: InformedAlert,
  sessionId: string,
  now: Date,
  deps: Pick<StateDeps, 'wording' | 'stageFeatures'>,
): SessionPlan {
  const { body, deferral, notices, problem } = alert;
  const session = { ...alert.session, sessionId };
  const { createdAt, expireAt } = session;
  const { stage, executions, writes } =
    deferral === undefined
      ? startStage(session, { index: 1, kind: 'investigation', findings: [] }, createdAt, deps)
      : {
          stage: undefined,
          executions: [],
          writes: [deferralEvent(session, deferral), ...waitingWrites(session, createdAt)],
        };
  const position = deferral === undefined ? 1 : 2;
  const events = notices.map((notice, index) => sessionEvent(session, position + index, notice, createdAt));
  const pieces = bodyPieces(body, sessionId, expireAt).map((piece) =>
    createDocument(alertBodyType.paths.alertBody(sessionId, piece.part), alertBodyType, piece),
  );
  return {
    executions,
    after: { session, stages: stage === undefined ? [] : [stage] },
    writes: [
      createDocument(paths.session(sessionId), sessionType, deriveFields(session, undefined, deps)),
      alertKeyWrite(alert, session, openingOutcome(alert, sessionId), createdAt),
      ...(problem?.openingWrites(session, now) ?? []),
      ...pieces,
      ...writes,
      ...events,
    ],
  };
}
