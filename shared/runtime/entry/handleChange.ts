// The body of `ingestChange`: a message of the topic `changes` becomes documents of changes.

import type { ChangeChecks } from '../../config/changeChecks.ts';
import type { Change } from '../../schema/features/change.ts';
import { type ChangeDeps, takeChanges } from '../features/changes/takeChanges.ts';
import { checkChange } from '../features/checks/checkChange.ts';
import { receiveMessage } from './receiveMessage.ts';

/**
 * Handles one event of the topic `changes`. `changeChecks` are the checks after changes; absent: none.
 * @throws RetryableError when it must be delivered again.
 */
export async function handleChange(
  event: unknown,
  deps: ChangeDeps & { changeChecks?: ChangeChecks | undefined },
): Promise<void> {
  const settled = (change: Change) => checkChange(change, deps.changeChecks ?? {}, deps);
  await receiveMessage('ingestChange', event, deps, (message) => takeChanges(message, deps, settled));
}
