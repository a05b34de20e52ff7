// Cancelling an investigation. The executions are ended under their holders, which can write nothing from then on and
// abort what they wait for at their next renewal, within 5 s.

import { replace } from '../../contract/store.ts';
import { TerminalError } from '../../errors.ts';
import { isTerminal, type TerminalStatus } from '../../schema/common.ts';
import { paths, sessionType } from '../../schema/documents.ts';
import type { Session } from '../../schema/session.ts';
import { CRASH_POINTS } from '../crashPoints.ts';
import type { StateDeps } from '../deps.ts';
import { CANCELLED } from '../iteration/decide.ts';
import { endOpen } from '../iteration/endExecution.ts';
import { RACE_LOST, retryLostRaces } from '../races.ts';
import { advanceStage } from '../stage/advanceStage.ts';
import { loadReadableStage } from '../stage/readableStage.ts';

/** What became of a cancellation. */
export type CancelOutcome =
  | { kind: 'unknown_session' }
  /** It had ended before; nothing was changed. */
  | { kind: 'already_ended'; status: TerminalStatus }
  | { kind: 'cancelled' };

/** Holders write every few seconds at most; ten lost races are no coincidence. */
const MAX_RACES = 10;

/**
 * Cancels a session: marks it, so that nothing new starts and the sweep finishes what this process may not live to do,
 * then ends what is open. May be called again at any time.
 * @throws RetryableError when others keep changing it, or the store fails; once it is marked, the sweep goes on.
 */
export function cancelSession(sessionId: string, deps: StateDeps): Promise<CancelOutcome> {
  const path = paths.session(sessionId);
  return retryLostRaces<CancelOutcome>(`session ${sessionId}`, MAX_RACES, async () => {
    const session = await deps.store.get(path, sessionType);
    if (session === undefined) return { kind: 'unknown_session' };
    const { status } = session.value;
    if (isTerminal(status)) return { kind: 'already_ended', status };
    if (status !== 'cancelling') {
      const marked: Session = { ...session.value, status: 'cancelling' };
      const result = await deps.store.commit([replace(path, sessionType, marked, session.version)]);
      if (!result.ok) return RACE_LOST;
    }
    await deps.reach?.(CRASH_POINTS.afterCancelRequest);
    await finishCancelling(session.value, deps);
    return { kind: 'cancelled' };
  });
}

/**
 * Ends the open executions of a session that is marked, and with the last of them the session. A marked session starts
 * no further stage, so its current one is the last. With documents missing or broken the stage can never end; the
 * session can.
 * @returns how many executions were ended.
 * @throws RetryableError when others keep changing them, or the store fails.
 */
export async function finishCancelling(
  { sessionId, currentStageId }: Pick<Session, 'sessionId' | 'currentStageId'>,
  deps: StateDeps,
): Promise<number> {
  let ended = 0;
  return retryLostRaces(`the executions of session ${sessionId}`, MAX_RACES, async () => {
    const { executions } = await loadReadableStage(sessionId, currentStageId, deps);
    const open = executions.filter(({ value }) => !isTerminal(value.status));
    if (open.length > 0) {
      const tried = await Promise.all(
        open.map((execution) => endOpen(execution, CANCELLED, deps).catch(ignoreTerminal)),
      );
      ended += tried.filter((execution) => execution !== undefined).length;
      // Their holders may have been faster: read again what is open.
      return RACE_LOST;
    }
    await advanceStage({ sessionId, stageId: currentStageId }, deps).catch(ignoreTerminal);
    const session = await deps.store.get(paths.session(sessionId), sessionType);
    if (session === undefined || isTerminal(session.value.status)) return ended;
    const cancelled: Session = { ...session.value, ...CANCELLED, endedAt: deps.clock.now() };
    const result = await deps.store.commit([replace(session.path, sessionType, cancelled, session.version)]);
    return result.ok ? ended : RACE_LOST;
  });
}

/** For what a broken document made fail: trying again cannot help, and others can still be ended. */
export function ignoreTerminal(error: unknown): undefined {
  if (!(error instanceof TerminalError)) throw error;
}
