// Wires the services of an iteration: stored state, a model client, and the tools of the configured servers.

import { randomUUID } from 'node:crypto';
import { loadIterationConfig } from '../config/loadIteration.ts';
import type { Engine } from '../engine/createEngine.ts';
import { readConfigFolder, readOff } from '../environment.ts';
import { createStoredAgents } from '../kits/agents/storedAgents.ts';
import { iterationFeatures } from '../lists/iterationFeatures.ts';
import { createLlmClient } from '../llm/chooseClient.ts';
import { findListPrices } from '../llm/listPrices.ts';
import { createGuards } from '../masking/guards.ts';
import { knownSecrets } from '../masking/knownSecrets.ts';
import { createLearnedSecrets } from '../masking/learnedSecrets.ts';
import { lineMasker } from '../masking/lineMasker.ts';
import { createServerTokens } from '../tools/mcp/auth/serverTokens.ts';
import { keepConnections } from '../tools/mcp/connectionCache.ts';
import { connectWith } from '../tools/mcp/mcpConnection.ts';
import { composeIterations } from './composeIterations.ts';
import { MODEL_CLIENTS, TOOL_SOURCES } from './extensionParts.ts';
import { EXTENSION_NAMES } from './extensions.ts';
import { openBackground } from './openBackground.ts';
import { openEmbedder } from './openEmbedder.ts';
import { openVerifier } from './openKeys.ts';
import { openLogins } from './openLogins.ts';
import { createStateServices } from './stateServices.ts';

/** The engine of iterations, and a function that closes the resources kept between iterations. */
interface IterationServices extends Engine {
  /** Closes the connections to MCP servers and ends their processes, within 7 s. Never throws. */
  closeTools(): Promise<void>;
}

/**
 * The services of `runIteration`. Call it once per process, when the module loads: an invalid configuration
 * prevents the start. Every end of the process also stops the processes of its servers.
 * @throws ConfigError with one line per fault. Unset variables of servers.yaml are faults.
 */
export function createIterationServices(env: NodeJS.ProcessEnv): IterationServices {
  const config = loadIterationConfig(readConfigFolder(env), env, EXTENSION_NAMES);
  const learned = createLearnedSecrets();
  const secrets = knownSecrets(env, config.servers);
  const maskerFor = createGuards({ known: secrets, learned, rules: config.masking });
  const state = createStateServices(env, lineMasker(maskerFor));
  const now = () => state.clock.now().getTime();
  const tokens = createServerTokens({ learned, now, logins: openLogins(env, state, randomUUID) });
  const kept = keepConnections({ now, connect: connectWith(tokens, secrets) });
  const ownSources = Object.values(TOOL_SOURCES).map((create) => create(env));
  const kill = () => kept.kill();
  process.once('exit', kill);
  const warn = (message: string, fields: object) => state.log.warn(fields, message);
  const engine = composeIterations(config, {
    ...state,
    features: iterationFeatures(readOff(env)),
    maskerFor,
    llm: createLlmClient({ env, secrets, log: warn, clients: MODEL_CLIENTS }),
    background: openBackground(env, secrets),
    embed: openEmbedder(env, secrets, config.embeddingModel),
    connect: kept.connect,
    secrets,
    ownSources,
    listPrices: findListPrices,
    verify: openVerifier(env),
    storedAgents: createStoredAgents(state),
  });
  const closeTools = (): Promise<void> => {
    process.off('exit', kill);
    return kept.close();
  };
  return { ...engine, closeTools };
}
