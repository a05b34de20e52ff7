// Ends the executions of a stage, and all their descendants.

import type { StateDeps } from '../kernel/deps.ts';
import { ignoreTerminalError } from '../kernel/documents/reading.ts';
import { RACE_LOST, retryLostRaces, SESSION_RACES } from '../kernel/documents/retryConflict.ts';
import { ignoreRecentPublication } from '../kernel/execution/publishAgain.ts';
import type { Ending } from '../kernel/state/decide.ts';
import { isTerminal } from '../schema/common.ts';
import { endExecution } from '../stage/endExecution.ts';
import { loadReadableStage } from '../stage/readableStage.ts';

/**
 * Ends the open executions of a stage and all their descendants, including those that other processes hold.
 * @returns their number.
 * @throws RetryableError when other writers keep changing them, or the store fails.
 */
export async function endExecutions(
  { sessionId, stageId }: { sessionId: string; stageId: string },
  ending: Ending,
  deps: StateDeps,
): Promise<number> {
  let ended = 0;
  return retryLostRaces(`the executions of stage ${stageId}`, SESSION_RACES, async () => {
    const { executions, descendants } = await loadReadableStage(sessionId, stageId, deps);
    const open = [...executions, ...descendants].filter(({ value }) => !isTerminal(value.status));
    if (open.length === 0) return ended;
    const tried = await Promise.all(
      open.map((execution) =>
        endExecution(execution, ending, deps).catch(ignoreRecentPublication).catch(ignoreTerminalError),
      ),
    );
    ended += tried.filter((execution) => execution !== undefined).length;
    // A holder can have written first: read again which executions are open.
    return RACE_LOST;
  });
}
