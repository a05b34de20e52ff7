// The body of `ingestChange`: a message of the topic `changes` becomes documents of changes.

import { type ChangeDeps, takeChanges } from '../features/changes/takeChanges.ts';
import { receiveMessage } from './receiveMessage.ts';

/**
 * Handles one event of the topic `changes`.
 * @throws RetryableError when it must be delivered again.
 */
export async function handleChange(event: unknown, deps: ChangeDeps): Promise<void> {
  await receiveMessage('ingestChange', event, deps, (message) => takeChanges(message, deps));
}
