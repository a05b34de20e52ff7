// Wires the services that need only stored state: no model, tools, configuration or keys.

import { createLogger } from '../log.ts';
import { announceDeliveries } from '../runtime/features/outbox/announceDeliveries.ts';
import { telemetryStore } from '../runtime/features/telemetry/telemetryStore.ts';
import { type StateDeps, systemClock } from '../runtime/kernel/deps.ts';
import { INQUEST_WORDING } from '../wording/inquest.ts';
import { openCloud } from './openCloud.ts';
import { openTelemetry } from './openTelemetry.ts';

/** Well below the life of a lease, so that a renewal that hangs is noticed in time. */
const STORE_TIMEOUT_MS = 10_000;

/**
 * @param maskLine takes secrets out of the log. Absent where no text of others is logged.
 * @param isRedelivered whether a message is delivered again if this process dies; false for requests.
 * @throws TerminalError `CONFIG_INVALID` when the project is not set where it must be.
 */
export function createStateServices(
  env: NodeJS.ProcessEnv,
  maskLine?: (line: string) => string,
  isRedelivered = true,
): StateDeps {
  const { store, publisher } = openCloud(env, { storeTimeoutMs: STORE_TIMEOUT_MS });
  const base = {
    publisher,
    clock: systemClock,
    log: createLogger(env, undefined, maskLine),
    wording: INQUEST_WORDING,
  };
  const services = { ...base, announce: announceDeliveries(base) };
  const telemetry = openTelemetry(env, services.log);
  if (telemetry === undefined) return { ...services, store };
  // Telemetry observes every commit and decides nothing.
  const exporting = telemetryStore(store, { ...services, telemetry, isRedelivered });
  return { ...services, store: exporting.store, telemetry, finishTelemetry: exporting.finish };
}
