// Cancels an investigation. Ends executions that other processes hold: those processes can write nothing from
// then on, and abort their calls at the next lease renewal, within 5 s.

import { CRASH_POINTS } from '../kernel/crashPoints.ts';
import type { StateDeps } from '../kernel/deps.ts';
import { ignoreTerminalError } from '../kernel/documents/reading.ts';
import { RACE_LOST, retryLostRaces, SESSION_RACES } from '../kernel/documents/retryConflict.ts';
import { ignoreRecentPublication } from '../kernel/execution/publishAgain.ts';
import { saveSession } from '../kernel/session/replaceSession.ts';
import { cancellationEvent } from '../kernel/session/sessionEvents.ts';
import { CANCELLED, type Ending } from '../kernel/state/decide.ts';
import { isTerminal, type TerminalStatus } from '../schema/common.ts';
import { paths, sessionType } from '../schema/coreDocuments.ts';
import type { Session } from '../schema/session.ts';
import { advanceStage } from '../stage/advanceStage.ts';
import { cancelQuestion } from './cancelQuestion.ts';
import { endExecutions } from './endExecutions.ts';
import { endSession } from './endSession.ts';

/** The person or program that cancels, for readers of the timeline. */
interface CancelRequest {
  /** Name of the person or program; stored and shown. */
  by: string;
  /** Null when none was given. */
  reason: string | null;
}

type CancelOutcome =
  | { kind: 'unknown_session' }
  /** The session had already ended; nothing was changed. */
  | { kind: 'already_ended'; status: TerminalStatus }
  | { kind: 'cancelled' }
  /** An answer to a question about the session was cancelled; the session is unchanged. */
  | { kind: 'question_cancelled'; stageId: string };

/**
 * Cancels the answer to a question if one is open, else the whole session. Marks the session first, so that
 * no stage starts any more and the sweep can finish if this process dies, then ends its open executions. Can
 * be called repeatedly; only the first request is stored.
 * @param request who cancels and why. Default: the timeline names neither.
 * @throws RetryableError when other writers keep changing it, or the store fails; once it is marked, the
 *   sweep finishes.
 */
export function cancelSession(
  sessionId: string,
  deps: StateDeps,
  request?: CancelRequest,
): Promise<CancelOutcome> {
  const path = paths.session(sessionId);
  return retryLostRaces<CancelOutcome>(`session ${sessionId}`, SESSION_RACES, async () => {
    const session = await deps.store.get(path, sessionType);
    if (session === undefined) return { kind: 'unknown_session' };
    const { status, openStage } = session.value;
    if (openStage !== null) {
      const { stageId } = openStage;
      const isDone = await cancelQuestion(session, openStage, cancelledBy(request), deps);
      return isDone ? { kind: 'question_cancelled', stageId } : RACE_LOST;
    }
    if (isTerminal(status)) return { kind: 'already_ended', status };
    const cancellation = request === undefined ? null : { ...request, at: deps.clock.now() };
    if (status === 'deferred') {
      // A deferred session has no running executions that would have to end first.
      const value: Session = { ...session.value, cancellation };
      const ended = await endSession({ ...session, value }, CANCELLED, deps, cancellationEvent(value));
      return ended.ok ? { kind: 'cancelled' } : RACE_LOST;
    }
    if (status !== 'cancelling') {
      const marked: Session = { ...session.value, status: 'cancelling', cancellation };
      const result = await saveSession(session, marked, cancellationEvent(marked), deps);
      if (!result.ok) return RACE_LOST;
    }
    await deps.failpoint?.(CRASH_POINTS.afterCancelRequest);
    await finishCancelling(session.value, deps);
    return { kind: 'cancelled' };
  });
}

/**
 * Ends the open executions of a session that is marked as cancelling, then the session. Its current stage is
 * the last one, because a marked session starts no further stage. When documents of the stage are missing or
 * broken, the stage stays open and the session is ended without it.
 * @returns the number of executions that were ended.
 * @throws RetryableError when other writers keep changing them, or the store fails.
 */
export async function finishCancelling(
  { sessionId, currentStageId }: Pick<Session, 'sessionId' | 'currentStageId'>,
  deps: StateDeps,
): Promise<number> {
  const ended = await endExecutions({ sessionId, stageId: currentStageId }, CANCELLED, deps);
  return retryLostRaces(`session ${sessionId}`, SESSION_RACES, async () => {
    await advanceStage({ sessionId, stageId: currentStageId }, deps)
      .catch(ignoreRecentPublication)
      .catch(ignoreTerminalError);
    const session = await deps.store.get(paths.session(sessionId), sessionType);
    if (session === undefined || isTerminal(session.value.status)) return ended;
    const result = await endSession(session, CANCELLED, deps);
    return result.ok ? ended : RACE_LOST;
  });
}

/** The end of a question that a person cancels. Its error names the person and the reason. */
function cancelledBy(request: { by: string; reason: string | null } | undefined): Ending {
  if (request === undefined) return CANCELLED;
  const { by, reason } = request;
  const message = reason === null ? `Cancelled by ${by}.` : `Cancelled by ${by}: ${reason}`;
  return { status: 'cancelled', failure: { code: 'CANCELLED', message } };
}
