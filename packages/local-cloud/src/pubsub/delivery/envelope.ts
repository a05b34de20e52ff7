// The formats of a delivered message: the body of a push request, and the message of a pull.

import type { Message } from '../../protocol/protoFiles.ts';
import { formatAckId } from '../fields/ackIds.ts';
import type { Delivery } from '../store/queue.ts';
import type { Subscription } from '../store/subscriptionTable.ts';

/** The body of a push request. Empty fields are omitted; ids and times have both of their names. */
export function pushBody({ message, ackId }: Delivery, { name, settings }: Subscription): string {
  const id = String(message.id);
  const time = new Date(message.publishMs).toISOString();
  return JSON.stringify({
    ...(settings.deadLetterPolicy && { deliveryAttempt: ackId.attempt }),
    message: {
      ...(Object.keys(message.attributes).length > 0 && { attributes: message.attributes }),
      ...(message.data.length > 0 && { data: Buffer.from(message.data).toString('base64') }),
      messageId: id,
      message_id: id,
      ...(message.orderingKey !== '' && { orderingKey: message.orderingKey }),
      publishTime: time,
      publish_time: time,
    },
    subscription: name,
  });
}

/** A `ReceivedMessage`. It has the attempt with a dead-letter policy, else 0. */
export function receivedMessage({ message, ackId }: Delivery, { settings }: Subscription): Message {
  return {
    ackId: formatAckId(ackId),
    message: {
      data: message.data,
      attributes: message.attributes,
      messageId: String(message.id),
      publishTime: {
        seconds: String(Math.floor(message.publishMs / 1000)),
        nanos: (message.publishMs % 1000) * 1e6,
      },
      orderingKey: message.orderingKey,
    },
    deliveryAttempt: settings.deadLetterPolicy ? ackId.attempt : 0,
  };
}
