// The body of `runIteration`: a message of the topic `iterations` is one iteration of one execution.

import type { RuntimeDeps } from '../deps.ts';
import { runIteration } from '../iteration/runIteration.ts';
import { logFields, parseIterationMessage, unknownIteration } from './iterationMessage.ts';
import { receiveMessage } from './receiveMessage.ts';

/**
 * Handles one event of the topic `iterations`.
 * @throws RetryableError when it must be delivered again.
 */
export async function handleIteration(event: unknown, deps: RuntimeDeps): Promise<void> {
  await receiveMessage('runIteration', event, deps, async (message) => {
    const parsed = parseIterationMessage(message);
    const outcome = await runIteration(parsed, deps);
    if (outcome.kind === 'rejected') throw unknownIteration(outcome.reason, parsed);
    deps.log.info(logFields(parsed, message, outcome), 'iteration handled');
  });
}
