// A store that exports as with telemetry, to another process, whose CPU time is not counted.

import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { Store } from '../../shared/core/contract/store.ts';
import { systemClock } from '../../shared/core/kernel/deps.ts';
import { deriveTraceId } from '../../shared/core/kernel/session/spanIds.ts';
import { telemetryStore } from '../../shared/features/telemetry/telemetryStore.ts';
import { createLogger } from '../../shared/log.ts';
import { encodeMetrics } from '../../shared/telemetry/encodeMetrics.ts';
import { encodeSpans } from '../../shared/telemetry/encodeSpans.ts';
import { createExporter } from '../../shared/telemetry/exporter.ts';

/** Starts a receiver and wraps `store`. */
export async function exportingStore(store: Store) {
  const receiver = fork(new URL('telemetryReceiver.ts', import.meta.url));
  const [url] = (await once(receiver, 'message')) as [string];
  const resource = { 'service.name': 'bench' };
  const log = createLogger({ LOG_LEVEL: 'warn' });
  const telemetry = createExporter({
    load: async () => ({
      targets: [{ url, headers: async () => ({}) }],
      content: 'none',
      sample: 1,
      encode: (spans) => encodeSpans(resource, spans),
      encodeMetrics: (snapshot) => encodeMetrics(resource, snapshot),
    }),
    traceIdOf: deriveTraceId,
    warn: (fields, message) => log.warn(fields, message),
  });
  const exporting = telemetryStore(store, { telemetry, clock: systemClock, log });
  return { ...exporting, telemetry, close: () => receiver.kill() };
}
