// The consumers of each subscription, and which consumer holds which delivery.

import type { StatusError } from '../../protocol/status.ts';
import { type AckId, formatAckId, parseAckId } from '../fields/ackIds.ts';
import { failedPrecondition, notFound } from '../fields/errors.ts';
import type { Capacity, Delivery } from '../store/queue.ts';
import type { Subscription } from '../store/subscriptionTable.ts';

/** How a delivery ended: acked, or nacked or past its deadline. */
export type Outcome = 'acked' | 'failed';

/** Receives messages: the pusher of a subscription, a pull, a stream. */
export interface Consumer {
  /** A consumer ends when its subscription changes between push and pull. */
  kind: 'push' | 'pull';
  /** How much it accepts now. It calls `deliverSoon` when that grows. */
  capacity(): Capacity;
  /** The ack deadline of a delivery, from its start. */
  deadlineSeconds(subscription: Subscription): number;
  /** Receives leased messages, within its capacity. */
  take(deliveries: Delivery[], subscription: Subscription): void;
  /** A delivery that it took has ended. */
  settled(ackId: string, outcome: Outcome): void;
  /** It receives no further messages. Called once, after it was detached. */
  end(reason: StatusError): void;
}

/** The attached consumers and the deliveries that they hold. */
interface Consumers {
  /** Adds a consumer after the others of the subscription. */
  attach(subscription: number, consumer: Consumer): void;
  /** Removes a consumer; without effect if it is not attached. */
  detach(subscription: number, consumer: Consumer): void;
  /** The consumers of a subscription, in the order in which they were attached. */
  of(subscription: number): readonly Consumer[];
  /** Records that a consumer holds deliveries. */
  hold(deliveries: readonly Delivery[], consumer: Consumer): void;
  /** Notifies the holders of deliveries that have ended. Deliveries without a holder are ignored. */
  settle(ids: readonly AckId[], outcome: Outcome): void;
  /**
   * Detaches and ends the consumers that cannot receive from a subscription: it was deleted or detached, or
   * has changed between push and pull. Deliveries of a deleted or detached subscription fail.
   * @param subscription undefined when it was deleted.
   */
  endUnfit(id: number, subscription: Subscription | undefined): void;
}

/** No consumers at first. */
export function createConsumers(): Consumers {
  const attached = new Map<number, Consumer[]>();
  const holders = new Map<string, Consumer>();

  const settle = (ackId: string, outcome: Outcome): void => {
    const holder = holders.get(ackId);
    holders.delete(ackId);
    holder?.settled(ackId, outcome);
  };
  const detach = (id: number, consumer: Consumer): void => {
    const left = (attached.get(id) ?? []).filter((other) => other !== consumer);
    if (left.length > 0) attached.set(id, left);
    else attached.delete(id);
  };

  return {
    attach: (id, consumer) => void attached.set(id, [...(attached.get(id) ?? []), consumer]),
    detach,
    of: (id) => attached.get(id) ?? [],
    hold(deliveries, consumer) {
      for (const { ackId } of deliveries) holders.set(formatAckId(ackId), consumer);
    },
    settle(ids, outcome) {
      for (const id of ids) settle(formatAckId(id), outcome);
    },
    endUnfit(id, subscription) {
      if (subscription === undefined || subscription.settings.detached) {
        for (const ackId of holders.keys()) {
          if (parseAckId(ackId).subscription === id) settle(ackId, 'failed');
        }
      }
      for (const consumer of attached.get(id) ?? []) {
        const reason = reasonToEnd(consumer, subscription);
        if (reason === undefined) continue;
        detach(id, consumer);
        consumer.end(reason);
      }
    },
  };
}

function reasonToEnd({ kind }: Consumer, subscription: Subscription | undefined): StatusError | undefined {
  if (subscription === undefined) return notFound('Subscription does not exist');
  const { name, settings } = subscription;
  const isPush = settings.pushConfig.pushEndpoint !== '';
  if (settings.detached) return failedPrecondition(`Subscription is detached: (resource=${name})`);
  if (kind === 'push' && !isPush)
    return failedPrecondition(`Subscription is no push subscription: (resource=${name})`);
  if (kind === 'pull' && isPush)
    return failedPrecondition(`Subscription is a push subscription: (resource=${name})`);
  return undefined;
}
