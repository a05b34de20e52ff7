// Pushes the messages of one subscription to its endpoint.

import { formatAckId } from '../fields/ackIds.ts';
import type { PubsubState } from '../store/state.ts';
import type { Subscription } from '../store/subscriptionTable.ts';
import type { Consumer, Outcome } from './dispatcher.ts';
import { pushBody } from './envelope.ts';
import type { PushClient } from './pushRequest.ts';
import { createPushWindow, SLOW_AFTER_MS } from './pushWindow.ts';

/** Of one batch: enough that the number of messages decides. */
const BATCH_BYTES = 10_000_000;

/**
 * @param onRoom called when it may take more without that something was settled.
 * @param onAnswer an endpoint answered for a delivery whose lease has not ended.
 * @param onEnd it gets nothing any more.
 */
export function createPusher(options: {
  state: PubsubState;
  client: PushClient;
  onRoom: () => void;
  onAnswer: (subscription: Subscription, ackId: string, outcome: Outcome) => void;
  onEnd: () => void;
}): Consumer {
  const { state, client, onRoom, onAnswer, onEnd } = options;
  const window = createPushWindow();
  /** What ends the requests under way, by ack id. */
  const underWay = new Map<string, () => void>();

  return {
    kind: 'push',
    room: () => ({ messages: window.room(), bytes: BATCH_BYTES }),
    deadlineSeconds: ({ settings }) => settings.ackDeadlineSeconds,
    take(deliveries, subscription) {
      for (const delivery of deliveries) {
        const ackId = formatAckId(delivery.ackId);
        window.begin(ackId);
        const forgetTimer = state.clock.after(SLOW_AFTER_MS, () => {
          window.slow(ackId);
          onRoom();
        });
        const { pushEndpoint } = subscription.settings.pushConfig;
        const abort = client.send(pushEndpoint, pushBody(delivery, subscription), (outcome) =>
          onAnswer(subscription, ackId, outcome),
        );
        underWay.set(ackId, () => {
          forgetTimer();
          abort();
        });
      }
    },
    settled(ackId, outcome) {
      window.end(ackId, outcome);
      underWay.get(ackId)?.();
      underWay.delete(ackId);
    },
    // Answers to what was sent before the subscription became one to pull from count until their deadlines.
    end: onEnd,
  };
}
