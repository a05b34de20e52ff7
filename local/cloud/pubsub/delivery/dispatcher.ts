// Gives the messages of subscriptions to their consumers when they are due, and takes them back at their deadlines.

import type { StatusError } from '../../protocol/status.ts';
import { type AckId, formatAckId, parseAckId } from '../fields/ackIds.ts';
import { durationMs } from '../fields/durations.ts';
import { failedPrecondition, notFound } from '../fields/errors.ts';
import type { Delivery, Room } from '../store/queue.ts';
import type { PubsubState } from '../store/state.ts';
import type { Subscription } from '../store/subscriptionTable.ts';
import { failDelivery } from './failDelivery.ts';

/** Messages given to one at once, so that several get some. */
const MAX_BATCH = 100;

export type Outcome = 'acked' | 'failed';

/** What takes messages: the pushes of a subscription, a pull, a stream. */
export interface Consumer {
  kind: 'push' | 'pull';
  /** How much it takes now. When that grows, it calls `deliverSoon`. */
  room(): Room;
  /** How long it has for a message. */
  deadlineSeconds(subscription: Subscription): number;
  take(deliveries: Delivery[], subscription: Subscription): void;
  /** A delivery that it took has ended, by an ack, by a nack, or because its deadline passed. */
  settled(ackId: string, outcome: Outcome): void;
  /** It gets nothing any more. Called once, after it was detached. */
  end(reason: StatusError): void;
}

export interface Dispatcher {
  /** Has a consumer get messages, until the returned function is called. What it took stays its own. */
  attach(subscription: number, consumer: Consumer): () => void;
  /** For a subscription that has new messages or settings, or a consumer that takes more. Many calls are one delivery. */
  deliverSoon(subscription: number): void;
  /** The same, at once. */
  deliverNow(subscription: number): void;
  /** Deliveries have ended: their consumers may take others. */
  settle(ids: AckId[], outcome: Outcome): void;
  close(): void;
}

export function createDispatcher(state: PubsubState): Dispatcher {
  const { database, subscriptions, queue, storing, clock } = state;
  const consumers = new Map<number, Consumer[]>();
  const holders = new Map<string, Consumer>();
  const timers = new Map<number, () => void>();
  const woken = new Set<number>();
  let closed = false;

  const detach = (id: number, consumer: Consumer): void => {
    const left = (consumers.get(id) ?? []).filter((other) => other !== consumer);
    if (left.length > 0) consumers.set(id, left);
    else consumers.delete(id);
  };

  const deliverSoon = (id: number): void => {
    if (woken.size === 0) {
      setImmediate(() => {
        const ids = [...woken];
        woken.clear();
        for (const each of ids) deliverNow(each);
      });
    }
    woken.add(id);
  };

  const settle = (ids: AckId[], outcome: Outcome): void => {
    for (const id of ids) {
      const ackId = formatAckId(id);
      const holder = holders.get(ackId);
      holders.delete(ackId);
      holder?.settled(ackId, outcome);
    }
    for (const id of new Set(ids.map(({ subscription }) => subscription))) deliverSoon(id);
  };

  /** Ends what consumers hold of a subscription that is gone. */
  const dropHeld = (id: number): void => {
    for (const [ackId, holder] of holders) {
      if (parseAckId(ackId).subscription !== id) continue;
      holders.delete(ackId);
      holder.settled(ackId, 'failed');
    }
  };

  /** Ends consumers that cannot get anything from this subscription. */
  const endConsumers = (id: number, subscription: Subscription | undefined): void => {
    if (subscription === undefined || subscription.settings.detached) dropHeld(id);
    const isPush = subscription?.settings.pushConfig.pushEndpoint !== '';
    for (const consumer of consumers.get(id) ?? []) {
      const reason = reasonToEnd(consumer, subscription, isPush);
      if (reason === undefined) continue;
      detach(id, consumer);
      consumer.end(reason);
    }
  };

  /** Takes back what is late, and drops what is too old. */
  const takeBackLate = (subscription: Subscription, nowMs: number): void => {
    const { late, receivers } = database.atomically(() => {
      const late = queue.late(subscription.id, nowMs);
      const receivers = late.flatMap((id) => failDelivery(state, subscription, id));
      queue.dropOld(subscription.id, nowMs - durationMs(subscription.settings.messageRetentionDuration));
      return { late, receivers };
    });
    settle(late, 'failed');
    for (const { id } of receivers) deliverSoon(id);
  };

  /** Gives one batch to a consumer, unless it takes none now or no message is due for any. */
  const giveBatch = (
    subscription: Subscription,
    consumer: Consumer,
    nowMs: number,
  ): 'given' | 'full' | 'none due' => {
    const room = consumer.room();
    if (room.messages <= 0) return 'full';
    const deadlineMs = nowMs + consumer.deadlineSeconds(subscription) * 1000;
    const batch = { ...room, messages: Math.min(room.messages, MAX_BATCH) };
    // Stored before it is sent: the attempt counts also when the process is killed in the middle of it.
    const deliveries = database.atomically(() => queue.lease(subscription.id, batch, { nowMs, deadlineMs }));
    if (deliveries.length === 0) return 'none due';
    for (const { ackId } of deliveries) holders.set(formatAckId(ackId), consumer);
    consumer.take(deliveries, subscription);
    return 'given';
  };

  /** Gives batches to all consumers in turn, until no message is due or nobody takes one. */
  const giveAll = (subscription: Subscription, nowMs: number): void => {
    for (let given = true; given; ) {
      given = false;
      for (const consumer of consumers.get(subscription.id) ?? []) {
        const outcome = giveBatch(subscription, consumer, nowMs);
        // A thousand consumers that wait are not asked each.
        if (outcome === 'none due') return;
        given = given || outcome === 'given';
      }
    }
  };

  const planNext = (id: number, nowMs: number): void => {
    timers.get(id)?.();
    timers.delete(id);
    const { deadlineMs, dueMs } = queue.nextTimes(id, nowMs);
    const times = [deadlineMs, consumers.has(id) ? dueMs : undefined].filter((ms) => ms !== undefined);
    if (times.length === 0) return;
    timers.set(
      id,
      clock.after(Math.min(...times) - nowMs, () => deliverNow(id)),
    );
  };

  const deliverNow = (id: number): void => {
    if (!closed) storing.run(`deliver ${id}`, () => deliver(id));
  };

  const deliver = (id: number): void => {
    const subscription = subscriptions.withId(id);
    endConsumers(id, subscription);
    if (subscription === undefined) return;
    // One moment for all: what becomes due after it is planned, so nothing is due unnoticed in between.
    const nowMs = state.nowMs();
    takeBackLate(subscription, nowMs);
    giveAll(subscription, nowMs);
    planNext(id, nowMs);
  };

  return {
    attach(id, consumer) {
      consumers.set(id, [...(consumers.get(id) ?? []), consumer]);
      return () => detach(id, consumer);
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

function reasonToEnd(
  { kind }: Consumer,
  subscription: Subscription | undefined,
  isPush: boolean,
): StatusError | undefined {
  if (subscription === undefined) return notFound('Subscription does not exist');
  const { name, settings } = subscription;
  if (settings.detached) return failedPrecondition(`Subscription is detached: (resource=${name})`);
  if (kind === 'push' && !isPush)
    return failedPrecondition(`Subscription is no push subscription: (resource=${name})`);
  if (kind === 'pull' && isPush)
    return failedPrecondition(`Subscription is a push subscription: (resource=${name})`);
  return undefined;
}
