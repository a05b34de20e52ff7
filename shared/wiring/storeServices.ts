// Wires the services that read and write documents: no stages, model, tools, configuration or keys.

import type { FeatureDeps } from '../contract/featureDeps.ts';
import { ALL_ON } from '../contract/switches.ts';
import type { Telemetry } from '../core/contract/telemetry.ts';
import { type StateDeps, systemClock } from '../core/kernel/deps.ts';
import { readOff } from '../environment.ts';
import { createAnnounce, observeStore } from '../lists/storeFeatures.ts';
import { createLogger } from '../log.ts';
import { openCloud } from './openCloud.ts';
import { openTelemetry } from './openTelemetry.ts';

/** Well below the life of a lease, so that a renewal that hangs is noticed in time. */
const STORE_TIMEOUT_MS = 10_000;

type StoreServices = Omit<StateDeps, 'wording' | 'stageFeatures'> & Pick<FeatureDeps, 'finishTelemetry'>;

/** Takes the arguments of `createStateServices`, and throws as it does. */
export function createStoreServices(
  env: NodeJS.ProcessEnv,
  maskLine?: (line: string) => string,
  isRedelivered = true,
): StoreServices {
  const { store, publisher } = openCloud(env, { storeTimeoutMs: STORE_TIMEOUT_MS });
  const log = createLogger(env, undefined, maskLine);
  const engines = { store, publisher, clock: systemClock, log };
  const off = readOff(env);
  const telemetry = off.has('telemetry') ? undefined : openTelemetry(env, log);
  return composeStore(engines, telemetry, isRedelivered, off);
}

/** Announces changes, and exports spans of commits where telemetry is on. Tests choose the engines. */
export function composeStore<E extends Pick<StateDeps, 'store' | 'publisher' | 'clock' | 'log'>>(
  engines: E,
  telemetry: Telemetry | undefined,
  isRedelivered = true,
  off = ALL_ON,
): E & StoreServices {
  const services = { ...engines, announce: createAnnounce(engines, off) };
  if (telemetry === undefined) return services;
  const exporting = observeStore(engines.store, { ...services, telemetry, isRedelivered }, off);
  return { ...services, store: exporting.store, telemetry, finishTelemetry: exporting.finish };
}
