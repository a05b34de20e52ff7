// Pub/Sub v1 for one machine: what the unmodified clients of Google need, and nothing that would only look like it.

import { createRequire } from 'node:module';
import { type Clock, systemClock } from '../../../shared/runtime/kernel/deps.ts';
import type { CloudDatabase } from '../database/database.ts';
import type { CloudService } from '../protocol/services.ts';
import { createDeliveries } from './delivery/deliveries.ts';
import { createDispatcher } from './delivery/dispatcher.ts';
import { createPushers } from './delivery/pushers.ts';
import { publisherRpcs } from './rpcs/publisher.ts';
import { subscriberRpcs } from './rpcs/subscriber.ts';
import { schemaRpcs } from './schemas/schemas.ts';
import { openState } from './store/state.ts';

export interface PubsubService {
  /** Publisher, Subscriber and SchemaService, for one server. */
  services: CloudService[];
  /** Aborts all pushes and timers. The database is the caller's, and is to be closed after this. */
  close(): void;
}

export interface PubsubOptions {
  /** Decides about deadlines, back-off and retention. Default: this machine's. */
  clock?: Clock;
  /**
   * Whether stored subscriptions begin without their push endpoints: what they have waits until they are given others.
   * Default: they push where they did before.
   */
  forgetEndpoints?: boolean;
}

/**
 * Pub/Sub on a database. What is stored there and not acked is delivered, with the attempts it had: what was being pushed
 * when the process ended at once, what was pulled after its ack deadline, for its subscriber may still be at work.
 */
export function createPubsubService(database: CloudDatabase, options: PubsubOptions = {}): PubsubService {
  const state = openState(database, options.clock ?? systemClock);
  const dispatcher = createDispatcher(state);
  const deliveries = createDeliveries(state, dispatcher);
  const pushers = createPushers(state, dispatcher, deliveries);
  for (const subscription of state.subscriptions.all()) {
    const { id, settings } = subscription;
    database.atomically(() => {
      if (settings.pushConfig.pushEndpoint !== '') state.queue.giveAllBack(id, state.nowMs());
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
    close() {
      state.storing.close();
      dispatcher.close();
      pushers.close();
    },
  };
}
