// The programs of others that some tests of test/packages run. Where one is missing, its tests are skipped
// and the run's last line names it; with REQUIRE_PROGRAMS=1 they run and fail.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findPrograms } from '../../local/monitoring/programs.ts';
import { errorMessage } from '../../shared/core/errors.ts';

/** kubernetes-mcp-server for Linux with x64; the package that chooses it by platform is not installed. */
export const KUBERNETES_SERVER = join(
  fileURLToPath(new URL('../packages/node_modules', import.meta.url)),
  'kubernetes-mcp-server-linux-amd64',
  'bin',
  'kubernetes-mcp-server-linux-amd64',
);

/** Why Prometheus and Alertmanager cannot be run here; undefined where both are installed. */
function monitoringFault(): string | undefined {
  try {
    findPrograms(process.env);
    return undefined;
  } catch (error) {
    return errorMessage(error).split(';')[0];
  }
}

/** The parts that are missing here, a clause each. */
export function listMissingParts(): string[] {
  const isThere = existsSync(KUBERNETES_SERVER);
  const kubernetes = isThere ? undefined : 'kubernetes-mcp-server for Linux with x64 is not installed here';
  return [monitoringFault(), kubernetes].filter((part) => part !== undefined);
}

const isRequired = process.env.REQUIRE_PROGRAMS === '1';

/** Whether tests run that need Prometheus and Alertmanager. .ci/run installs both. */
export const runsMonitoring = isRequired || monitoringFault() === undefined;

/** Whether tests run that need kubernetes-mcp-server. `npm run test-packages` installs it. */
export const runsKubernetes = isRequired || existsSync(KUBERNETES_SERVER);
