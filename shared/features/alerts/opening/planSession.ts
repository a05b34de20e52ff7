// Step 7 of intake for a new session, plan: the batch that stores it. Pure.

import { alertBodyType } from '../../../alerts/schema/alert.ts';
import type { Announced } from '../../../core/contract/announce.ts';
import { createDocument, type Write } from '../../../core/contract/store.ts';
import type { StateDeps } from '../../../core/kernel/deps.ts';
import { sessionEvent } from '../../../core/kernel/session/sessionEvents.ts';
import { deriveFields } from '../../../core/kernel/stageFeature.ts';
import { paths, sessionType } from '../../../core/schema/coreDocuments.ts';
import type { Execution } from '../../../core/schema/execution.ts';
import { startStage } from '../../../core/stage/startStage.ts';
import { bodyPieces } from '../../../kits/alerts/alertBody.ts';
import { alertKeyWrite } from '../../../kits/alerts/alertKey.ts';
import { deferralEvent, waitingWrites } from '../../../kits/alerts/deferredSession.ts';
import type { InformedAlert } from './addContext.ts';

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
export function planSession(
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
      alertKeyWrite(alert, session, createdAt),
      ...(problem?.openingWrites(session, now) ?? []),
      ...pieces,
      ...writes,
      ...events,
    ],
  };
}
