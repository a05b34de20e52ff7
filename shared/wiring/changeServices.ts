// Wires the services of `ingestChange`: documents and the rules of masking. Needs no model, tools or keys.

import { loadChangeChecks } from '../config/changeChecks.ts';
import { loadMasking } from '../config/masking.ts';
import { readConfigFolder } from '../environment.ts';
import { knownSecrets } from '../masking/knownSecrets.ts';
import { lineMasker } from '../masking/lineMasker.ts';
import { createMaskers } from '../masking/maskers.ts';
import { createStoreServices } from './storeServices.ts';

/**
 * The services of `ingestChange`. Call it once per process, when the module loads: a wrong masking.yaml stops
 * the start.
 * @throws ConfigError with one line per fault.
 */
export function createChangeServices(env: NodeJS.ProcessEnv) {
  const folder = readConfigFolder(env);
  const rules = loadMasking(folder);
  const maskerFor = createMaskers({ known: knownSecrets(env, {}, []), rules });
  return {
    ...createStoreServices(env, lineMasker(maskerFor)),
    maskerFor,
    changeChecks: loadChangeChecks(folder),
  };
}
