// Cancels the answer to a question. The session keeps its conclusion, and another question can be asked.

import type { Stored } from '../contract/store.ts';
import { CRASH_POINTS } from '../kernel/crashPoints.ts';
import type { StateDeps } from '../kernel/deps.ts';
import { ignoreTerminalError } from '../kernel/documents/reading.ts';
import { RACE_LOST, retryLostRaces, SESSION_RACES } from '../kernel/documents/retryConflict.ts';
import { ignoreRecentPublication } from '../kernel/execution/publishAgain.ts';
import { saveSession } from '../kernel/session/replaceSession.ts';
import type { Ending } from '../kernel/state/decide.ts';
import { paths, sessionType } from '../schema/coreDocuments.ts';
import type { Session } from '../schema/session.ts';
import { advanceStage } from '../stage/advanceStage.ts';
import { closeQuestion } from '../stage/commitQuestionEnd.ts';
import { endExecutions } from './endExecutions.ts';

/**
 * Marks a question as being cancelled, so that the sweep finishes if this process dies, then ends it.
 * @param ending how its execution ends.
 * @returns false when another writer changed the session.
 * @throws RetryableError when other writers keep changing it, or the store fails.
 */
export async function cancelQuestion(
  session: Stored<Session>,
  openStage: NonNullable<Session['openStage']>,
  ending: Ending,
  deps: StateDeps,
): Promise<boolean> {
  const { sessionId } = session.value;
  if (!openStage.cancelling) {
    const marked: Session = { ...session.value, openStage: { ...openStage, cancelling: true } };
    const result = await saveSession(session, marked, [], deps);
    if (!result.ok) return false;
  }
  await deps.failpoint?.(CRASH_POINTS.afterCancelRequest);
  await endQuestion({ sessionId, stageId: openStage.stageId }, ending, deps);
  return true;
}

/**
 * Ends a question together with its readable documents. If the stage is missing or broken, closes the
 * question without it.
 * @returns the number of executions that were ended.
 * @throws RetryableError when other writers keep changing them, or the store fails.
 */
export async function endQuestion(
  { sessionId, stageId }: { sessionId: string; stageId: string },
  ending: Ending,
  deps: StateDeps,
): Promise<number> {
  const ended = await endExecutions({ sessionId, stageId }, ending, deps);
  await advanceStage({ sessionId, stageId }, deps).catch(ignoreRecentPublication).catch(ignoreTerminalError);
  return retryLostRaces(`session ${sessionId}`, SESSION_RACES, async () => {
    const session = await deps.store.get(paths.session(sessionId), sessionType);
    if (session?.value.openStage?.stageId !== stageId) return ended;
    const closed = closeQuestion(session.value, stageId, ending, deps.clock.now());
    const result = await saveSession(session, closed, [], deps);
    return result.ok ? ended : RACE_LOST;
  });
}
