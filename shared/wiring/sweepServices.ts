// Wires the features of `sweep`.

import type { SweepFeature } from '../core/kernel/feature/sweepFeature.ts';
import { readConfigFolder, readOff } from '../environment.ts';
import { deployedSweepFeatures, loadConfiguredSweep } from '../lists/sweepFeatures.ts';
import { openRawDocuments } from './openRawDocuments.ts';

const TIMEOUT_MS = 10_000;

/**
 * The features of the sweep, with those of the configuration that `env` names.
 * @throws ConfigError with one line per fault of schedules.yaml.
 */
export async function loadSweepFeatures(env: NodeJS.ProcessEnv): Promise<readonly SweepFeature[]> {
  const off = readOff(env);
  const documents = openRawDocuments(env, TIMEOUT_MS);
  return deployedSweepFeatures(await loadConfiguredSweep(readConfigFolder(env), off), documents, off);
}
