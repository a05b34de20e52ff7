// The body of `deliver`: a message of the topic `deliveries` requests the messages of a session at a
// destination, or that a press of a button or a mention is handled.

import { TerminalError } from '../../../core/errors.ts';
import { addLogContext } from '../../../core/kernel/logContext.ts';
import { deliveryMessageSchema } from '../../../kits/deliveries/deliveryMessage.ts';
import { receiveMessage } from '../../../kits/messages/receiveMessage.ts';
import { parseJson } from '../../../text/json.ts';
import { deliverGroup } from '../deliverGroup.ts';
import { deliverThread } from '../deliverThread.ts';
import { tryNow } from '../destinationCircuit.ts';
import type { InboxDeps } from '../inbox/deps.ts';
import { handleEntry } from '../inbox/handleEntry.ts';

/**
 * Handles one event of the topic `deliveries`.
 * @throws RetryableError when it must be delivered again.
 */
export async function handleDelivery(event: unknown, deps: InboxDeps): Promise<void> {
  await receiveMessage('deliver', event, deps, async ({ data }) => {
    const json = parseJson(Buffer.from(data).toString('utf8'));
    const parsed = deliveryMessageSchema.safeParse(json);
    if (!parsed.success) throw new TerminalError('MESSAGE_MALFORMED', 'not a request for a delivery');
    if ('groupId' in parsed.data) return deliverGroup(parsed.data.groupId, deps);
    if ('inboxId' in parsed.data) return handleEntry(parsed.data.inboxId, deps);
    const { sessionId, destination, isAsked } = parsed.data;
    addLogContext({ sessionId });
    if (isAsked) await tryNow(destination, deps);
    await deliverThread({ sessionId, destination }, deps);
  });
}
