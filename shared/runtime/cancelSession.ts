// Cancelling an investigation. Nobody is asked to stop: the executions are ended under their holders, who can write
// nothing from then on and abort what they wait for at their next renewal, within 5 s.

import { RetryableError } from '../errors.ts';
import { isTerminal, type TerminalStatus } from '../schema/common.ts';
import { paths, sessionType, stageType } from '../schema/documents.ts';
import type { Session } from '../schema/session.ts';
import { replace } from '../store/store.ts';
import { advanceStage, loadStoredExecutions } from './advanceStage.ts';
import { CRASH_POINTS } from './crashPoints.ts';
import { CANCELLED } from './decide.ts';
import type { StateDeps } from './deps.ts';
import { endOpen } from './endExecution.ts';

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
export async function cancelSession(sessionId: string, deps: StateDeps): Promise<CancelOutcome> {
  const path = paths.session(sessionId);
  for (let race = 0; race < MAX_RACES; race++) {
    const session = await deps.store.get(path, sessionType);
    if (session === undefined) return { kind: 'unknown_session' };
    const { status } = session.value;
    if (isTerminal(status)) return { kind: 'already_ended', status };
    if (status === 'in_progress') {
      const marked: Session = { ...session.value, status: 'cancelling' };
      const result = await deps.store.commit([replace(path, sessionType, marked, session.version)]);
      if (!result.ok) continue;
    }
    await deps.reach?.(CRASH_POINTS.afterCancelRequest);
    await finishCancelling(session.value, deps);
    return { kind: 'cancelled' };
  }
  throw new RetryableError('STORE_CONFLICT', `session ${sessionId} kept changing under ${MAX_RACES} tries`);
}

/**
 * Ends the open executions of a session that is marked, and with the last of them the session. A marked session starts
 * no further stage, so its current one is the last.
 * @throws RetryableError when others keep changing them, or the store fails.
 */
export async function finishCancelling(
  { sessionId, currentStageId }: Pick<Session, 'sessionId' | 'currentStageId'>,
  deps: StateDeps,
): Promise<void> {
  const stage = await deps.store.get(paths.stage(sessionId, currentStageId), stageType);
  const ids = stage?.value.expectedExecutions ?? [];
  for (let race = 0; race < MAX_RACES; race++) {
    const executions = await loadStoredExecutions(sessionId, ids, deps);
    const open = executions.filter(({ value }) => !isTerminal(value.status));
    if (open.length === 0) return advanceStage({ sessionId, stageId: currentStageId }, deps);
    await Promise.all(open.map((execution) => endOpen(execution, CANCELLED, deps)));
  }
  throw new RetryableError(
    'STORE_CONFLICT',
    `executions of ${sessionId} kept changing under ${MAX_RACES} tries`,
  );
}
