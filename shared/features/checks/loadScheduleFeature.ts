// The feature of the sweep that requests checks. It loads only where there are schedules: it reads YAML.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { SweepFeature } from '../../core/kernel/feature/sweepFeature.ts';

/**
 * Loads the schedules of a configuration; undefined without any.
 * @throws ConfigError with one line per fault of schedules.yaml.
 */
export async function loadScheduleFeature(folder: string): Promise<SweepFeature | undefined> {
  if (!existsSync(join(folder, 'schedules.yaml'))) return undefined;
  const { loadSchedules } = await import('../../config/schedulesFile.ts');
  const { runSchedules } = await import('./runSchedules.ts');
  return runSchedules(loadSchedules(folder));
}
