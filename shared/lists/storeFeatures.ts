// What features do when documents are stored.

import type { Off } from '../contract/switches.ts';
import type { Announce } from '../core/contract/announce.ts';
import type { Logger } from '../core/contract/logger.ts';
import type { Publisher } from '../core/contract/publisher.ts';
import type { Store } from '../core/contract/store.ts';
import type { Telemetry } from '../core/contract/telemetry.ts';
import { announceCounts } from '../features/counts/announceCounts.ts';
import { announceDeliveries } from '../features/deliveries/outbox/announceDeliveries.ts';
import { telemetryStore } from '../features/telemetry/telemetryStore.ts';
import { present, unlessOff } from './present.ts';

interface AnnounceDeps {
  publisher: Publisher;
  clock: { now(): Date };
  log: Logger;
}
interface ObserveDeps extends Omit<AnnounceDeps, 'publisher'> {
  telemetry: Telemetry;
  /** Whether a message whose process dies is delivered again. Default: true. */
  isRedelivered?: boolean;
}
interface ObservedStore {
  store: Store;
  finish(): Promise<void>;
}

/** The last one commits the batch; the others pass it on. */
const announcers = (off: Off): readonly ((deps: AnnounceDeps, next?: Announce) => Announce)[] =>
  present([announceCounts, unlessOff(off, 'deliveries', announceDeliveries)]);
const observers = (off: Off): readonly ((store: Store, deps: ObserveDeps) => ObservedStore)[] =>
  present([unlessOff(off, 'telemetry', telemetryStore)]);

/** The hook that announces changes; undefined without a feature that does. */
export const createAnnounce = (deps: AnnounceDeps, off: Off): Announce | undefined =>
  announcers(off).reduceRight<Announce | undefined>((next, one) => one(deps, next), undefined);

/** The store as features observe it: they see every commit, and decide nothing. */
export const observeStore = (store: Store, deps: ObserveDeps, off: Off): ObservedStore =>
  observers(off)[0]?.(store, deps) ?? { store, finish: async () => {} };
