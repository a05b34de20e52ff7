// The pushers of all push subscriptions.

import { parseAckId } from '../fields/ackIds.ts';
import type { PubsubState } from '../store/state.ts';
import type { Subscription } from '../store/subscriptionTable.ts';
import type { Deliveries } from './deliveries.ts';
import type { Dispatcher } from './dispatcher.ts';
import { createPusher } from './pusher.ts';
import { createPushClient } from './pushRequest.ts';

export interface Pushers {
  /** Has a subscription pushed if it is to be: after it was created, changed, or read from a file. */
  refresh(subscription: Subscription): void;
  /** Aborts all pushes; nothing becomes of them. */
  close(): void;
}

export function createPushers(state: PubsubState, dispatcher: Dispatcher, deliveries: Deliveries): Pushers {
  const client = createPushClient();
  const attached = new Set<number>();
  let closed = false;

  const start = (id: number): void => {
    attached.add(id);
    const pusher = createPusher({
      state,
      client,
      onRoom: () => dispatcher.deliverSoon(id),
      onAnswer(subscription, ackId, outcome) {
        if (closed) return;
        state.storing.run(`answer ${ackId}`, () => {
          if (outcome === 'acked') deliveries.acknowledge(subscription, [ackId]);
          else deliveries.modifyDeadline(state.subscriptions.withId(id) ?? subscription, [ackId], 0);
          // It may have been given back meanwhile, by changed settings.
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
