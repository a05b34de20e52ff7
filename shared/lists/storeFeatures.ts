// What features do when documents are stored.

import type { Announce } from '../core/contract/announce.ts';
import type { Store } from '../core/contract/store.ts';
import { announceDeliveries } from '../features/deliveries/outbox/announceDeliveries.ts';
import { telemetryStore } from '../features/telemetry/telemetryStore.ts';

type AnnounceDeps = Parameters<typeof announceDeliveries>[0];
type ObserveDeps = Parameters<typeof telemetryStore>[1];

const ANNOUNCERS: readonly ((deps: AnnounceDeps) => Announce)[] = [announceDeliveries];
const OBSERVERS: readonly (typeof telemetryStore)[] = [telemetryStore];

/** The hook that announces changes; undefined without a feature that does. */
export const createAnnounce = (deps: AnnounceDeps): Announce | undefined => ANNOUNCERS[0]?.(deps);

/** The store as features observe it: they see every commit, and decide nothing. */
export const observeStore = (store: Store, deps: ObserveDeps): { store: Store; finish(): Promise<void> } =>
  OBSERVERS[0]?.(store, deps) ?? { store, finish: async () => {} };
