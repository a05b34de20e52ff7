// The body of `ingestChange`: a message of the topic `changes` becomes documents of changes.

import type { Change } from '../../changes/change.ts';
import type { ChangeChecks } from '../../config/changeChecks.ts';
import { receiveMessage } from '../../kits/messages/receiveMessage.ts';
import { checkChange } from '../checks/checkChange.ts';
import { type ChangeDeps, takeChanges } from './takeChanges.ts';

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
