// The pushers of all push subscriptions.

import { formatAckId, parseAckId } from '../fields/ackIds.ts';
import type { PubsubState } from '../store/state.ts';
import type { Subscription } from '../store/subscriptionTable.ts';
import type { Consumer, Outcome } from './consumers.ts';
import type { Deliveries } from './deliveries.ts';
import type { Dispatcher } from './dispatcher.ts';
import { pushBody } from './envelope.ts';
import { createPushClient, type PushClient } from './pushRequest.ts';
import type { PushTokens } from './pushTokens.ts';
import { createPushWindow } from './pushWindow.ts';

/**
 * Older requests do not count in the window, so that an endpoint that works on a message for minutes receives
 * others meanwhile. Production also separates fast from slow endpoints at 1 s.
 */
const SLOW_AFTER_MS = 1000;

/** Of one batch. Large, so that only the number of messages limits it. */
const BATCH_BYTES = 10_000_000;

/** Starts and ends pushers. */
export interface Pushers {
  /** Starts a push subscription's pusher: after creation or change, or at the process's start. */
  refresh(subscription: Subscription): void;
  /** Aborts all pushes without an ack or a nack. */
  close(): void;
}

/** No pushers at first. @param maxOutstanding requests of each. Default: that of `createPushWindow`. */
export function createPushers(
  state: PubsubState,
  dispatcher: Dispatcher,
  deliveries: Deliveries,
  tokens: PushTokens,
  maxOutstanding?: number,
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
      maxOutstanding,
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

/**
 * The consumer of a push subscription.
 * @param options.onCapacity called when it accepts more messages although no delivery was settled.
 * @param options.onAnswer called with the answer of the endpoint when the delivery is still leased.
 * @param options.onEnd called when it receives no further messages.
 */
function createPusher(options: {
  state: PubsubState;
  client: PushClient;
  tokens: PushTokens;
  maxOutstanding: number | undefined;
  onCapacity: () => void;
  onAnswer: (subscription: Subscription, ackId: string, outcome: Outcome) => void;
  onEnd: () => void;
}): Consumer {
  const { state, client, tokens, onCapacity, onAnswer, onEnd } = options;
  const window = createPushWindow(options.maxOutstanding);
  /** Functions that cancel outstanding requests, by ack id. */
  const outstanding = new Map<string, () => void>();

  return {
    kind: 'push',
    capacity: () => ({ messages: window.capacity(), bytes: BATCH_BYTES }),
    deadlineSeconds: ({ settings }) => settings.ackDeadlineSeconds,
    take(deliveries, subscription) {
      for (const delivery of deliveries) {
        const ackId = formatAckId(delivery.ackId);
        window.start(ackId);
        const cancelTimer = state.clock.after(SLOW_AFTER_MS, () => {
          window.markSlow(ackId);
          onCapacity();
        });
        const { pushEndpoint, oidcToken } = subscription.settings.pushConfig;
        const token =
          oidcToken && tokens.tokenFor(oidcToken.serviceAccountEmail, oidcToken.audience || pushEndpoint);
        const abort = client.send(pushEndpoint, pushBody(delivery, subscription), token, (outcome) =>
          onAnswer(subscription, ackId, outcome),
        );
        outstanding.set(ackId, () => {
          cancelTimer();
          abort();
        });
      }
    },
    settled(ackId, outcome) {
      window.end(ackId, outcome);
      outstanding.get(ackId)?.();
      outstanding.delete(ackId);
    },
    // Answers to earlier pushes still take effect until their deadlines.
    end: onEnd,
  };
}
