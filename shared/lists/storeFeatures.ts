// What features do when documents are stored.

import type { Off } from '../contract/switches.ts';
import type { Announce } from '../core/contract/announce.ts';
import type { Store } from '../core/contract/store.ts';
import { announceDeliveries } from '../features/deliveries/outbox/announceDeliveries.ts';
import { telemetryStore } from '../features/telemetry/telemetryStore.ts';
import { present, unlessOff } from './present.ts';

type AnnounceDeps = Parameters<typeof announceDeliveries>[0];
type ObserveDeps = Parameters<typeof telemetryStore>[1];

const announcers = (off: Off): readonly ((deps: AnnounceDeps) => Announce)[] =>
  present([unlessOff(off, 'deliveries', announceDeliveries)]);
const observers = (off: Off): readonly (typeof telemetryStore)[] =>
  present([unlessOff(off, 'telemetry', telemetryStore)]);

/** The hook that announces changes; undefined without a feature that does. */
export const createAnnounce = (deps: AnnounceDeps, off: Off): Announce | undefined =>
  announcers(off)[0]?.(deps);

/** The store as features observe it: they see every commit, and decide nothing. */
export const observeStore = (
  store: Store,
  deps: ObserveDeps,
  off: Off,
): { store: Store; finish(): Promise<void> } =>
  observers(off)[0]?.(store, deps) ?? { store, finish: async () => {} };
