// Wires the features of `sweep`. Those of schedules load only where needed: they read YAML.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { SweepFeature } from '../core/kernel/feature/sweepFeature.ts';
import { readConfigFolder } from '../environment.ts';
import { deployedSweepFeatures } from '../lists/sweepFeatures.ts';

/**
 * The features of the sweep, with the schedules of the configuration that `env` names.
 * @throws ConfigError with one line per fault of schedules.yaml.
 */
export async function loadSweepFeatures(env: NodeJS.ProcessEnv): Promise<readonly SweepFeature[]> {
  const folder = readConfigFolder(env);
  if (!existsSync(join(folder, 'schedules.yaml'))) return deployedSweepFeatures([]);
  const { loadSchedules } = await import('../config/schedulesFile.ts');
  const { runSchedules } = await import('../features/checks/runSchedules.ts');
  return deployedSweepFeatures([runSchedules(loadSchedules(folder))]);
}
