// The pushers of all push subscriptions.

import { parseAckId } from '../fields/ackIds.ts';
import type { PubsubState } from '../store/state.ts';
import type { Subscription } from '../store/subscriptionTable.ts';
import type { Deliveries } from './deliveries.ts';
import type { Dispatcher } from './dispatcher.ts';
import { createPusher } from './pusher.ts';
import { createPushClient } from './pushRequest.ts';
import type { PushTokens } from './pushTokens.ts';

/** Starts and ends pushers. */
export interface Pushers {
  /** Starts a push subscription's pusher: after creation or change, or at the process's start. */
  refresh(subscription: Subscription): void;
  /** Aborts all pushes without an ack or a nack. */
  close(): void;
}

/** No pushers at first. */
export function createPushers(
  state: PubsubState,
  dispatcher: Dispatcher,
  deliveries: Deliveries,
  tokens: PushTokens,
): Pushers {
  const client = createPushClient();
  const attached = new Set<number>();
  let closed = false;

  const start = (id: number): void => {
    attached.add(id);
    const pusher = createPusher({
      state,
      client,
      tokens,
      onCapacity: () => dispatcher.deliverSoon(id),
      onAnswer(subscription, ackId, outcome) {
        if (closed) return;
        state.storing.run(`answer ${ackId}`, () => {
          if (outcome === 'acked') deliveries.acknowledge(subscription, [ackId]);
          else deliveries.modifyDeadline(state.subscriptions.withId(id) ?? subscription, [ackId], 0);
          // Also ends the delivery in the pusher when the ack id was no longer valid.
          dispatcher.settle([parseAckId(ackId)], outcome);
        });
      },
      onEnd: () => attached.delete(id),
    });
    dispatcher.attach(id, pusher);
  };

  return {
    refresh({ id, settings }) {
      if (settings.pushConfig.pushEndpoint !== '' && !settings.detached && !attached.has(id)) start(id);
      dispatcher.deliverSoon(id);
    },
    close() {
      closed = true;
      client.close();
    },
  };
}
