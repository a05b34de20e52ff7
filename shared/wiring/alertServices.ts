// Wires the services that open sessions: stored state and the configuration of agents. Needs no model, tools or keys.

import type { OwnNames } from '../alerts/ownAlert.ts';
import type { SessionConfig } from '../config/config.ts';
import { loadSessionConfig } from '../config/load.ts';
import { webhookVariables } from '../config/webhooks.ts';
import { TOPICS } from '../contract/publisher.ts';
import { configFolderOf, projectIdOf } from '../environment.ts';
import { knownSecrets } from '../masking/knownSecrets.ts';
import { createRunbookFetcher } from '../runbooks/fetchRunbook.ts';
import { createStoredAgents } from '../runtime/agents/storedAgents.ts';
import { findSeen } from '../runtime/features/knowledge/findSeen.ts';
import { createMaskers } from '../runtime/kernel/maskers.ts';
import type { IntakeDeps } from '../runtime/kernel/session/intakeDeps.ts';
import { EXTENSION_NAMES } from './extensions.ts';
import { lineMasker } from './lineMasker.ts';
import { createStateServices } from './stateServices.ts';

/** Dependencies of `ingestAlert`. */
interface AlertServices {
  config: SessionConfig;
  deps: IntakeDeps;
  own: OwnNames;
}

/**
 * The services of `ingestAlert`. Call it once per process, when the module loads: a wrong configuration stops the start.
 * @param functions the names of all deployed functions; none when absent.
 * @throws ConfigError with one line per fault; variables that servers.yaml names need not be set.
 */
export function createAlertServices(
  env: NodeJS.ProcessEnv,
  functions: readonly string[] = [],
): AlertServices {
  const config = loadSessionConfig(configFolderOf(env), EXTENSION_NAMES);
  const maskerFor = createMaskers({ known: secretsOf(config, env), rules: config.masking });
  const state = createStateServices(env, lineMasker(maskerFor));
  for (const remark of config.agents?.remarks ?? []) state.log.warn(remark);
  const topics = [TOPICS.iterations, TOPICS.iterationsDead];
  const own = { projectId: projectIdOf(env), functions, topics, services: [] };
  const deps: IntakeDeps = {
    ...state,
    maskerFor,
    storedAgents: createStoredAgents(state),
    fetchRunbook: createRunbookFetcher(),
    findSeen,
  };
  return { config, deps, own };
}

/** The secrets of this process, including those of webhooks. */
export function secretsOf({ webhooks }: Pick<SessionConfig, 'webhooks'>, env: NodeJS.ProcessEnv): string[] {
  return knownSecrets(env, {}, webhookVariables(webhooks));
}
