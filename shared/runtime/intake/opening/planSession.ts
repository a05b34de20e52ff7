// Step 7 of intake for a new session, plan: the batch that stores it. Pure.

import { create, type Write } from '../../../contract/store.ts';
import { alertBodyType, paths, sessionType } from '../../../schema/documents.ts';
import type { Execution } from '../../../schema/execution.ts';
import { deferralEvent } from '../../kernel/session/deferredSession.ts';
import { searchable } from '../../kernel/session/searchable.ts';
import { sessionEvent } from '../../kernel/session/sessionEvents.ts';
import { waitingWrites } from '../../kernel/session/waitingSessions.ts';
import { startStage } from '../../stage/startStage.ts';
import { openingWrites } from '../incident/openIncident.ts';
import { bodyPieces } from '../message/alertBody.ts';
import { alertKeyWrite } from '../message/alertKey.ts';
import type { InformedAlert } from './addContext.ts';

/** The batch of a new session. */
interface SessionPlan {
  writes: Write[];
  /** The executions whose first iterations are published after the commit; none for a deferred session. */
  executions: Execution[];
}

/**
 * Plans the batch of a new session: the session, the key of its alert, its incident, the body, its first stage and its events.
 * @param now for the incident.
 */
export function planSession(alert: InformedAlert, sessionId: string, now: Date): SessionPlan {
  const { body, deferral, notices, problem } = alert;
  const session = { ...alert.session, sessionId };
  const { createdAt, expireAt } = session;
  const { executions, writes } =
    deferral === undefined
      ? startStage(session, { index: 1, kind: 'investigation', findings: [] }, createdAt)
      : { executions: [], writes: [deferralEvent(session, deferral), ...waitingWrites(session, createdAt)] };
  const position = deferral === undefined ? 1 : 2;
  const events = notices.map((notice, index) => sessionEvent(session, position + index, notice, createdAt));
  const pieces = bodyPieces(body, sessionId, expireAt).map((piece) =>
    create(paths.alertBody(sessionId, piece.part), alertBodyType, piece),
  );
  return {
    executions,
    writes: [
      create(paths.session(sessionId), sessionType, searchable(session)),
      alertKeyWrite(alert, session, createdAt),
      ...(problem === null ? [] : openingWrites(alert, problem, session, now)),
      ...pieces,
      ...writes,
      ...events,
    ],
  };
}
