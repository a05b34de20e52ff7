// The descendants of an execution: the executions that its calls created, and their descendants.

import type { Stored } from '../../contract/store.ts';
import { InquestError } from '../../errors.ts';
import { isTerminal } from '../../schema/common.ts';
import { descendantPrefix, executionType, paths } from '../../schema/coreDocuments.ts';
import { SchemaVersionError } from '../../schema/documentType.ts';
import type { Execution } from '../../schema/execution.ts';
import type { StateDeps } from '../deps.ts';
import { errorAsValue, ignoreTerminalError } from '../documents/reading.ts';
import { RACE_LOST, retryLostRaces, SESSION_RACES } from '../documents/retryConflict.ts';
import { CANCELLED, type Ending, endingDue } from '../state/decide.ts';
import { commitEnding } from './commitEnding.ts';

type ExecutionId = Pick<Execution, 'sessionId' | 'executionId'>;

/**
 * Returns the readable descendants of an execution, at any depth, in the order of their ids.
 * @throws RetryableError when the store fails, or for documents of newer code.
 */
export async function listDescendants(
  { sessionId, executionId }: ExecutionId,
  { store }: Pick<StateDeps, 'store'>,
): Promise<Stored<Execution>[]> {
  const query = { collection: paths.executions(sessionId), idPrefix: descendantPrefix(executionId) };
  const found = await store.list(query, errorAsValue(executionType));
  return found.flatMap(({ value, ...stored }) => {
    if (value instanceof SchemaVersionError) throw value;
    return value instanceof InquestError ? [] : [{ ...stored, value }];
  });
}

/** The descendants of several executions. Reads nothing for executions that never asked an agent. */
export async function listAllDescendants(
  executions: readonly Execution[],
  deps: Pick<StateDeps, 'store'>,
): Promise<Stored<Execution>[]> {
  const parents = executions.filter(({ children }) => children > 0);
  return (await Promise.all(parents.map((execution) => listDescendants(execution, deps)))).flat();
}

/**
 * Ends all open descendants of an execution that has ended, because no execution waits for them any more. The
 * caller handles their stage and their parents.
 * @throws RetryableError when other writers keep changing them, or the store fails.
 */
export async function endDescendants(ended: Execution, deps: StateDeps): Promise<void> {
  if (ended.children === 0) return;
  await retryLostRaces(`the executions below ${ended.executionId}`, SESSION_RACES, async () => {
    const open = (await listDescendants(ended, deps)).filter(({ value }) => !isTerminal(value.status));
    if (open.length === 0) return;
    const now = deps.clock.now();
    await Promise.all(
      open.map((one) =>
        commitEnding(one, chooseDescendantEnd(one.value, now), deps).catch(ignoreTerminalError),
      ),
    );
    // A holder might have written first: reads again which executions are open.
    return RACE_LOST;
  });
}

const PARENT_ENDED: Ending = {
  status: 'cancelled',
  failure: { ...CANCELLED.failure, message: 'The agent that asked this one has ended.' },
};

function chooseDescendantEnd(execution: Execution, now: Date): Ending {
  return endingDue(execution, now) ?? PARENT_ENDED;
}
