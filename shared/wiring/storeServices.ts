// Wires the services that read and write documents: no stages, model, tools, configuration or keys.

import type { FeatureDeps } from '../contract/featureDeps.ts';
import { type StateDeps, systemClock } from '../core/kernel/deps.ts';
import { createAnnounce, observeStore } from '../lists/storeFeatures.ts';
import { createLogger } from '../log.ts';
import { openCloud } from './openCloud.ts';
import { openTelemetry } from './openTelemetry.ts';

/** Well below the life of a lease, so that a renewal that hangs is noticed in time. */
const STORE_TIMEOUT_MS = 10_000;

/** Takes the arguments of `createStateServices`, and throws as it does. */
export function createStoreServices(
  env: NodeJS.ProcessEnv,
  maskLine?: (line: string) => string,
  isRedelivered = true,
): Omit<StateDeps, 'wording' | 'stageFeatures'> & Pick<FeatureDeps, 'finishTelemetry'> {
  const { store, publisher } = openCloud(env, { storeTimeoutMs: STORE_TIMEOUT_MS });
  const base = { publisher, clock: systemClock, log: createLogger(env, undefined, maskLine) };
  const services = { ...base, announce: createAnnounce(base) };
  const telemetry = openTelemetry(env, services.log);
  if (telemetry === undefined) return { ...services, store };
  const exporting = observeStore(store, { ...services, telemetry, isRedelivered });
  return { ...services, store: exporting.store, telemetry, finishTelemetry: exporting.finish };
}
