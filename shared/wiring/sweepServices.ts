// Wires the features of `sweep`.

import type { SweepFeature } from '../core/kernel/feature/sweepFeature.ts';
import { readConfigFolder, readOff } from '../environment.ts';
import { backgroundSweep, deployedSweepFeatures, loadConfiguredSweep } from '../lists/sweepFeatures.ts';
import { interactionRemover } from '../llm/interactions/removeInteraction.ts';
import { openRawDocuments } from './openRawDocuments.ts';

const TIMEOUT_MS = 10_000;

/**
 * The features of the sweep, with those of the configuration that `env` names.
 * @throws ConfigError with one line per fault of schedules.yaml.
 */
export async function loadSweepFeatures(env: NodeJS.ProcessEnv): Promise<readonly SweepFeature[]> {
  const off = readOff(env);
  const documents = openRawDocuments(env, TIMEOUT_MS);
  const folder = readConfigFolder(env);
  // It gets the key only where models.yaml has a model that answers in the background.
  const hasKey = Boolean(env.GEMINI_API_KEY || env.GOOGLE_API_KEY);
  const background = hasKey ? [backgroundSweep(interactionRemover(env))] : [];
  return deployedSweepFeatures([...(await loadConfiguredSweep(folder, off)), ...background], documents, off);
}
