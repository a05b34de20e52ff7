// Acks, nacks and deadline extensions of subscribers.

import { type AckId, parseAckId } from '../fields/ackIds.ts';
import { invalid } from '../fields/errors.ts';
import type { PubsubState } from '../store/state.ts';
import type { Subscription } from '../store/subscriptionTable.ts';
import type { Dispatcher } from './dispatcher.ts';
import { failDelivery } from './failDelivery.ts';

const MAX_DEADLINE_SECONDS = 600;

/** The result of acks or new deadlines. */
export interface Confirmation {
  /** The ack ids that took effect. */
  ackIds: string[];
  /** The ack ids that were too late. */
  invalidAckIds: string[];
}

/** Changes to deliveries that subscribers request. */
export interface Deliveries {
  /**
   * Acks messages. An ack takes effect until the message is redelivered; with exactly-once delivery only
   * until its deadline.
   */
  acknowledge(subscription: Subscription, ackIds: string[]): Confirmation;
  /**
   * Moves deadlines.
   * @param seconds from now, at most 600; 0 is a nack.
   * @throws StatusError INVALID_ARGUMENT
   */
  modifyDeadline(subscription: Subscription, ackIds: string[], seconds: number): Confirmation;
}

/** The operations on a state and its dispatcher. */
export function createDeliveries(state: PubsubState, dispatcher: Dispatcher): Deliveries {
  const { database, queue } = state;

  /** Applies `change` to all valid ack ids in one transaction. */
  const apply = (
    subscription: Subscription,
    ackIds: string[],
    isValid: (id: AckId) => boolean,
    change: (id: AckId) => void,
  ) => {
    const parsed = ackIds.map((ackId) => ({ ackId, id: parseAckId(ackId) }));
    const valid = database.atomically(() =>
      parsed.filter(({ id }) => {
        // Ack ids of a deleted subscription with the same name have expired.
        if (id.subscription !== subscription.id || !isValid(id)) return false;
        change(id);
        return true;
      }),
    );
    const validIds = new Set(valid.map(({ ackId }) => ackId));
    return {
      ids: valid.map(({ id }) => id),
      confirmation: {
        ackIds: [...validIds],
        invalidAckIds: ackIds.filter((ackId) => !validIds.has(ackId)),
      },
    };
  };

  const isLeased = (id: AckId): boolean => queue.isLeased(id, state.nowMs());

  return {
    acknowledge(subscription, ackIds) {
      const isValid = subscription.settings.enableExactlyOnceDelivery ? isLeased : queue.isLatest;
      const { retainAckedMessages } = subscription.settings;
      const { ids, confirmation } = apply(subscription, ackIds, isValid, (id) =>
        queue.ack(id, retainAckedMessages),
      );
      dispatcher.settle(ids, 'acked');
      return confirmation;
    },

    modifyDeadline(subscription, ackIds, seconds) {
      checkDeadline(seconds);
      const receivers = new Set<number>();
      const { ids, confirmation } = apply(subscription, ackIds, isLeased, (id) => {
        if (seconds > 0) return queue.extend(id, state.nowMs() + seconds * 1000);
        for (const receiver of failDelivery(state, subscription, id)) receivers.add(receiver.id);
      });
      if (seconds === 0) dispatcher.settle(ids, 'failed');
      for (const id of [...receivers, subscription.id]) dispatcher.deliverSoon(id);
      return confirmation;
    },
  };
}

/** @throws StatusError INVALID_ARGUMENT */
function checkDeadline(seconds: number): void {
  if (seconds < 0) throw invalid('Ack deadline cannot be negative');
  if (seconds > MAX_DEADLINE_SECONDS) throw invalid('Ack deadline is more than 600 seconds');
}
