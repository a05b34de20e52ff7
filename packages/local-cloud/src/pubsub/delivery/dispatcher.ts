// Delivers due messages to the consumers of their subscriptions, and ends leases at their deadlines.

import type { AckId } from '../fields/ackIds.ts';
import { durationMs } from '../fields/durations.ts';
import type { Delivery } from '../store/queue.ts';
import type { PubsubState } from '../store/state.ts';
import type { Subscription } from '../store/subscriptionTable.ts';
import { type Consumer, createConsumers, type Outcome } from './consumers.ts';
import { failDelivery } from './failDelivery.ts';

/** Messages in one batch, so that several consumers share a long queue. */
const MAX_BATCH = 100;

/** Schedules deliveries. */
export interface Dispatcher {
  /** Delivers to a consumer until the returned function is called. It keeps held deliveries. */
  attach(subscription: number, consumer: Consumer): () => void;
  /**
   * Schedules a delivery for the next turn of the event loop: after new messages, changed settings or more
   * capacity. Several calls cause one delivery.
   */
  deliverSoon(subscription: number): void;
  /** Delivers immediately. */
  deliverNow(subscription: number): void;
  /** Ends deliveries and lets their consumers receive others. */
  settle(ids: AckId[], outcome: Outcome): void;
  /** Cancels all timers. No delivery starts afterwards. */
  close(): void;
}

/** The dispatcher of all subscriptions. */
export function createDispatcher(state: PubsubState): Dispatcher {
  const { subscriptions, queue, storing, clock } = state;
  const consumers = createConsumers();
  const timers = new Map<number, () => void>();
  const pending = new Set<number>();
  let closed = false;

  const deliverSoon = (id: number): void => {
    if (pending.size === 0) {
      setImmediate(() => {
        const ids = [...pending];
        pending.clear();
        for (const each of ids) deliverNow(each);
      });
    }
    pending.add(id);
  };

  const settle = (ids: AckId[], outcome: Outcome): void => {
    consumers.settle(ids, outcome);
    for (const id of new Set(ids.map(({ subscription }) => subscription))) deliverSoon(id);
  };

  const planNext = (id: number, nowMs: number): void => {
    timers.get(id)?.();
    timers.delete(id);
    const { deadlineMs, dueMs } = queue.nextTimes(id, nowMs);
    const hasConsumers = consumers.of(id).length > 0;
    const times = [deadlineMs, hasConsumers ? dueMs : undefined].filter((ms) => ms !== undefined);
    if (times.length === 0) return;
    timers.set(
      id,
      clock.after(Math.min(...times) - nowMs, () => deliverNow(id)),
    );
  };

  /** Delivers a batch to each consumer in turn, until no message is due or no consumer accepts more. */
  const deliverBatches = (subscription: Subscription, nowMs: number): void => {
    for (let delivered = true; delivered; ) {
      delivered = false;
      for (const consumer of consumers.of(subscription.id)) {
        const batch = leaseBatch(state, subscription, consumer, nowMs);
        // Ends here instead of asking each of a thousand waiting consumers.
        if (batch === 'none due') return;
        if (batch === 'full') continue;
        consumers.hold(batch, consumer);
        consumer.take(batch, subscription);
        delivered = true;
      }
    }
  };

  const deliver = (id: number): void => {
    const subscription = subscriptions.withId(id);
    consumers.endUnfit(id, subscription);
    if (subscription === undefined) return;
    // All steps use the same time: a message that becomes due after it is planned.
    const nowMs = state.nowMs();
    const { expired, receivers } = endLeases(state, subscription, nowMs);
    settle(expired, 'failed');
    for (const receiver of receivers) deliverSoon(receiver.id);
    deliverBatches(subscription, nowMs);
    planNext(id, nowMs);
  };

  const deliverNow = (id: number): void => {
    if (!closed) storing.run(`deliver ${id}`, () => deliver(id));
  };

  return {
    attach(id, consumer) {
      consumers.attach(id, consumer);
      return () => consumers.detach(id, consumer);
    },
    deliverSoon,
    deliverNow,
    settle,
    close() {
      closed = true;
      for (const cancel of timers.values()) cancel();
    },
  };
}

/**
 * Ends the leases whose deadlines have passed, and drops messages that exceed the retention.
 * @returns the ended deliveries, and the subscriptions that received dead letters.
 */
function endLeases(
  state: PubsubState,
  subscription: Subscription,
  nowMs: number,
): { expired: AckId[]; receivers: Subscription[] } {
  const { id, settings } = subscription;
  return state.database.atomically(() => {
    const expired = state.queue.expiredLeases(id, nowMs);
    const receivers = expired.flatMap((ackId) => failDelivery(state, subscription, ackId));
    state.queue.dropOld(id, nowMs - durationMs(settings.messageRetentionDuration));
    return { expired, receivers };
  });
}

function leaseBatch(
  { database, queue }: PubsubState,
  subscription: Subscription,
  consumer: Consumer,
  nowMs: number,
): Delivery[] | 'full' | 'none due' {
  const capacity = consumer.capacity();
  if (capacity.messages <= 0) return 'full';
  const deadlineMs = nowMs + consumer.deadlineSeconds(subscription) * 1000;
  const batch = { ...capacity, messages: Math.min(capacity.messages, MAX_BATCH) };
  // Stored before it is sent, so that the attempt counts even if the process is killed while it sends.
  const deliveries = database.atomically(() => queue.lease(subscription.id, batch, { nowMs, deadlineMs }));
  return deliveries.length === 0 ? 'none due' : deliveries;
}
