// What subscribers say about the messages they have: acked, nacked, or more time needed.

import { type AckId, parseAckId } from '../fields/ackIds.ts';
import { invalid } from '../fields/errors.ts';
import type { PubsubState } from '../store/state.ts';
import type { Subscription } from '../store/subscriptionTable.ts';
import type { Dispatcher } from './dispatcher.ts';
import { failDelivery } from './failDelivery.ts';

const MAX_DEADLINE_SECONDS = 600;

/** Which ack ids counted, and which came too late. */
export interface Confirmation {
  ackIds: string[];
  invalidAckIds: string[];
}

export interface Deliveries {
  /** An ack counts until the message is delivered again; with exactly-once delivery only until its deadline. */
  acknowledge(subscription: Subscription, ackIds: string[]): Confirmation;
  /** @param seconds from now; 0 is a nack. */
  modifyDeadline(subscription: Subscription, ackIds: string[], seconds: number): Confirmation;
}

export function createDeliveries(state: PubsubState, dispatcher: Dispatcher): Deliveries {
  const { database, queue } = state;

  /** Applies `change` to those ack ids that are still good, all in one transaction. */
  const apply = (
    subscription: Subscription,
    ackIds: string[],
    isGood: (id: AckId) => boolean,
    change: (id: AckId) => void,
  ) => {
    const parsed = ackIds.map((ackId) => ({ ackId, id: parseAckId(ackId) }));
    const good = database.atomically(() =>
      parsed.filter(({ id }) => {
        // Those of a subscription that had this name before are as good as expired.
        if (id.subscription !== subscription.id || !isGood(id)) return false;
        change(id);
        return true;
      }),
    );
    const valid = new Set(good.map(({ ackId }) => ackId));
    return {
      ids: good.map(({ id }) => id),
      confirmation: { ackIds: [...valid], invalidAckIds: ackIds.filter((ackId) => !valid.has(ackId)) },
    };
  };

  const isLeased = (id: AckId): boolean => queue.isLeased(id, state.nowMs());

  return {
    acknowledge(subscription, ackIds) {
      const isGood = subscription.settings.enableExactlyOnceDelivery ? isLeased : queue.isLatest;
      const { retainAckedMessages } = subscription.settings;
      const { ids, confirmation } = apply(subscription, ackIds, isGood, (id) =>
        queue.ack(id, retainAckedMessages),
      );
      dispatcher.settle(ids, 'acked');
      return confirmation;
    },

    modifyDeadline(subscription, ackIds, seconds) {
      checkDeadline(seconds);
      const woken = new Set<number>();
      const { ids, confirmation } = apply(subscription, ackIds, isLeased, (id) => {
        if (seconds > 0) return queue.extend(id, state.nowMs() + seconds * 1000);
        for (const receiver of failDelivery(state, subscription, id)) woken.add(receiver.id);
      });
      if (seconds === 0) dispatcher.settle(ids, 'failed');
      for (const id of [...woken, subscription.id]) dispatcher.deliverSoon(id);
      return confirmation;
    },
  };
}

/** @throws StatusError INVALID_ARGUMENT */
function checkDeadline(seconds: number): void {
  if (seconds < 0) throw invalid('Ack deadline cannot be negative');
  if (seconds > MAX_DEADLINE_SECONDS) throw invalid('Ack deadline is more than 600 seconds');
}
