// Wires what opening a session needs: stored state and the configuration of agents. No model, no tools, and so no keys.

import type { SessionConfig } from '../config/config.ts';
import { loadSessionConfig } from '../config/load.ts';
import { configFolderOf } from '../environment.ts';
import { knownSecrets } from '../masking/knownSecrets.ts';
import type { AlertDeps } from '../runtime/deps.ts';
import { createMaskers } from '../runtime/maskers.ts';
import { lineMasker } from './lineMasker.ts';
import { OWN_SOURCE_NAMES } from './ownSources.ts';
import { createStateServices } from './stateServices.ts';

/**
 * The services of `ingestAlert`. Call it once per process, when the module loads: a wrong configuration stops the start.
 * @throws ConfigError with one line per fault; variables that servers.yaml names need not be set.
 */
export function createAlertServices(env: NodeJS.ProcessEnv): { config: SessionConfig; deps: AlertDeps } {
  const config = loadSessionConfig(configFolderOf(env), OWN_SOURCE_NAMES);
  const maskerFor = createMaskers({ known: knownSecrets(env), rules: config.masking });
  return { config, deps: { ...createStateServices(env, lineMasker(maskerFor)), maskerFor } };
}
