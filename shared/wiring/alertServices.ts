// Wires services that open sessions: stored state, agents' configuration. No model, tools or keys.

import type { SessionConfig } from '../config/config.ts';
import { loadSessionConfig } from '../config/load.ts';
import { webhookVariables } from '../config/webhooks.ts';
import type { FeatureDeps } from '../contract/featureDeps.ts';
import type { AlertDeps } from '../core/kernel/deps.ts';
import { readConfigFolder } from '../environment.ts';
import { createStoredAgents } from '../kits/agents/storedAgents.ts';
import { knownSecrets } from '../masking/knownSecrets.ts';
import { lineMasker } from '../masking/lineMasker.ts';
import { createMaskers } from '../masking/maskers.ts';
import { createRunbookFetcher } from '../runbooks/fetchRunbook.ts';
import { EXTENSION_NAMES } from './extensions.ts';
import { createStateServices } from './stateServices.ts';

/** Dependencies of `ingestAlert`. */
interface AlertServices {
  /** The validated configuration of chains, triage and webhooks. */
  config: SessionConfig;
  /** Store, publisher, log and the other services that intake calls. */
  deps: AlertDeps & FeatureDeps;
}

/**
 * The services of `ingestAlert`. Call it once per process, when the module loads: a wrong configuration stops
 * the start.
 * @param isRedelivered as of `createStateServices`.
 * @throws ConfigError with one line per fault; variables that servers.yaml names need not be set.
 */
export function createAlertServices(env: NodeJS.ProcessEnv, isRedelivered = true): AlertServices {
  const config = loadSessionConfig(readConfigFolder(env), EXTENSION_NAMES);
  const maskerFor = createMaskers({ known: collectAlertSecrets(config, env), rules: config.masking });
  const state = createStateServices(env, lineMasker(maskerFor), isRedelivered);
  for (const remark of config.agents?.remarks ?? []) state.log.warn(remark);
  const deps: AlertDeps & FeatureDeps = {
    ...state,
    maskerFor,
    storedAgents: createStoredAgents(state),
    fetchRunbook: createRunbookFetcher(),
  };
  return { config, deps };
}

/** The secrets of this process, including those of webhooks. */
export function collectAlertSecrets(
  { webhooks }: Pick<SessionConfig, 'webhooks'>,
  env: NodeJS.ProcessEnv,
): string[] {
  return knownSecrets(env, {}, webhookVariables(webhooks));
}
