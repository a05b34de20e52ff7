// Pub/Sub v1 for one machine, for the unmodified clients of Google. Features that it lacks are refused.

import { createRequire } from 'node:module';
import type { CloudDatabase } from '../database/database.ts';
import { type Clock, systemClock } from '../protocol/clock.ts';
import type { CloudService } from '../protocol/services.ts';
import { createDeliveries } from './delivery/deliveries.ts';
import { createDispatcher } from './delivery/dispatcher.ts';
import { createPushers } from './delivery/pushers.ts';
import { createPushTokens, type PushTokens } from './delivery/pushTokens.ts';
import { publisherRpcs } from './rpcs/publisher.ts';
import { subscriberRpcs } from './rpcs/subscriber.ts';
import { schemaRpcs } from './schemas/schemas.ts';
import { openState } from './store/state.ts';

/** A running Pub/Sub. */
interface PubsubService {
  /** Publisher, Subscriber and SchemaService, for one server. */
  services: CloudService[];
  /** The tokens of pushes. */
  tokens: PushTokens;
  /** Aborts all pushes and timers. The caller closes the database afterwards. */
  close(): void;
}

/** Options for tests and for a restart. */
interface PubsubOptions {
  /** For deadlines, back-off and retention. Default: the clock of this machine. */
  clock?: Clock;
  /**
   * Whether stored subscriptions start without their push endpoints: their messages stay pending until an
   * update sets another endpoint. Default: false.
   */
  forgetEndpoints?: boolean;
  /** Push requests of one subscription at a time. Default: 1000. */
  maxOutstanding?: number | undefined;
}

/**
 * Pub/Sub on a database. Stored unacked messages are delivered and keep their attempts: pushed ones
 * immediately, pulled ones after their ack deadlines, because their subscribers can still work on them.
 */
export function createPubsubService(database: CloudDatabase, options: PubsubOptions = {}): PubsubService {
  const clock = options.clock ?? systemClock;
  const state = openState(database, clock);
  const dispatcher = createDispatcher(state);
  const deliveries = createDeliveries(state, dispatcher);
  const tokens = createPushTokens(clock);
  const pushers = createPushers(state, dispatcher, deliveries, tokens, options.maxOutstanding);
  for (const subscription of state.subscriptions.all()) {
    const { id, settings } = subscription;
    database.atomically(() => {
      if (settings.pushConfig.pushEndpoint !== '') state.queue.requeueAll(id, state.nowMs());
      if (!options.forgetEndpoints) return;
      const pushConfig = { ...settings.pushConfig, pushEndpoint: '' };
      state.subscriptions.update(id, { ...settings, pushConfig });
    });
    if (!options.forgetEndpoints) pushers.refresh(subscription);
  }
  const protos = createRequire(import.meta.url).resolve('@google-cloud/pubsub/build/protos/protos.json');
  return {
    services: [
      { protos, name: 'google.pubsub.v1.Publisher', rpcs: publisherRpcs(state, dispatcher) },
      {
        protos,
        name: 'google.pubsub.v1.Subscriber',
        rpcs: subscriberRpcs(state, dispatcher, deliveries, pushers),
      },
      { protos, name: 'google.pubsub.v1.SchemaService', rpcs: schemaRpcs(state) },
    ],
    tokens,
    close() {
      state.storing.close();
      dispatcher.close();
      pushers.close();
    },
  };
}
