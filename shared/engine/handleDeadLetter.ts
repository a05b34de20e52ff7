// The body of `buryIteration`: a message of the topic `iterations-dead` ends the execution it is about.

import type { StateDeps } from '../core/kernel/deps.ts';
import type { PubsubMessage } from '../core/kernel/pubsubEvent.ts';
import { buryIteration } from '../core/rescue/buryIteration.ts';
import { receiveMessage } from '../kits/messages/receiveMessage.ts';
import { parseIterationMessage, unknownIteration } from './iterationMessage.ts';

/**
 * Handles one event of the topic `iterations-dead`.
 * @throws RetryableError when it must be delivered again.
 */
export async function handleDeadLetter(event: unknown, deps: StateDeps): Promise<void> {
  await receiveMessage('buryIteration', event, deps, async (message) => {
    const parsed = parseIterationMessage(message);
    const outcome = await buryIteration(parsed, countDeliveryAttempts(message), deps);
    if (outcome.kind === 'rejected') throw unknownIteration(outcome.reason, parsed);
    if (outcome.kind !== 'ended') deps.telemetry?.suspect(parsed.sessionId);
    deps.log.warn({ outcome: outcome.kind }, 'dead letter handled');
  });
}

/** How often Pub/Sub tried to deliver the message; undefined without an attribute. */
function countDeliveryAttempts({ attributes }: PubsubMessage): number | undefined {
  const count = Number(attributes.CloudPubSubDeadLetterSourceDeliveryCount);
  return Number.isInteger(count) && count > 0 ? count : undefined;
}
