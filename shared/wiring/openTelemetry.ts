// Wires the export of spans and metrics, if INQUEST_TELEMETRY is `on`. Its settings, serializer and tokens
// are loaded in the background, so that no start waits for them.

import type { Logger } from '../core/contract/logger.ts';
import type { Telemetry } from '../core/contract/telemetry.ts';
import { TerminalError } from '../core/errors.ts';
import { deriveTraceId } from '../core/kernel/session/spanIds.ts';
import { readConfigFolder, readDatabaseName, readProjectId } from '../environment.ts';
import { createExporter, type ExporterSettings } from '../telemetry/exporter.ts';

/** Google's Telemetry API takes spans with it. */
const SCOPE = 'https://www.googleapis.com/auth/cloud-platform';

/** Exports nothing, so that only the totals of metrics are kept. */
const COUNTS_ONLY: Telemetry = {
  isSampled: () => false,
  record: () => {},
  suspect: () => {},
  exportMetrics: async () => {},
  flush: async () => new Set(),
};

/**
 * The exporter of this process; undefined if telemetry is off.
 * @throws TerminalError `CONFIG_INVALID` for another `INQUEST_TELEMETRY` than on, off, metrics or none.
 */
export function openTelemetry(env: NodeJS.ProcessEnv, log: Logger): Telemetry | undefined {
  const { INQUEST_TELEMETRY: given } = env;
  if (!given || given === 'off') return undefined;
  if (given === 'metrics') return COUNTS_ONLY;
  if (given !== 'on')
    throw new TerminalError('CONFIG_INVALID', `INQUEST_TELEMETRY is "${given}": expected on, off or metrics`);
  return createExporter({
    load: () => loadSettings(env),
    traceIdOf: deriveTraceId,
    warn: (fields, message) => log.warn(fields, message),
  });
}

async function loadSettings(env: NodeJS.ProcessEnv): Promise<ExporterSettings> {
  const [{ loadTelemetry }, { encodeSpans }, { encodeMetrics }] = await Promise.all([
    import('../config/telemetry.ts'),
    import('../telemetry/encodeSpans.ts'),
    import('../telemetry/encodeMetrics.ts'),
  ]);
  const { targets, signals, content, sample } = loadTelemetry(readConfigFolder(env), env);
  const googleToken = tokenSource();
  const name = env.INQUEST_NAME || 'inquest';
  const resource = { 'service.name': name, 'gcp.project_id': readProjectId(env) };
  return {
    targets: targets.map(({ url, auth, headers }) => ({
      url,
      headers: async () => ({
        ...headers,
        ...(auth === 'google' && {
          authorization: `Bearer ${await googleToken()}`,
          'x-goog-user-project': readProjectId(env),
        }),
      }),
    })),
    signals,
    content,
    sample,
    encode: (spans) =>
      encodeSpans(
        { ...resource, 'service.instance.id': env.K_REVISION || env.INQUEST_SERVICE || 'local' },
        spans,
      ),
    // The totals belong to the database: new revisions continue them, restored ones have own series.
    encodeMetrics: (snapshot) =>
      encodeMetrics(
        {
          ...resource,
          'service.instance.id': readDatabaseName(env) ?? name,
          'cloud.region': env.INQUEST_REGION || 'global',
        },
        snapshot,
      ),
  };
}

/** Returns tokens of the service's own account. The library keeps each until shortly before it expires. */
function tokenSource(): () => Promise<string> {
  let auth: Promise<{ getAccessToken(): Promise<string | null | undefined> }> | undefined;
  return async () => {
    auth ??= import('../tools/mcp/auth/googleAuthSdk.ts').then(
      ({ GoogleAuth }) => new GoogleAuth({ scopes: [SCOPE] }),
    );
    return (await (await auth).getAccessToken()) ?? '';
  };
}
