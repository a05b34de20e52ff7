// Wires the API inside a command, as where it is served, but reads the configuration when needed.

import type { ApiDeps } from '../api/http/route.ts';
import type { SessionConfig } from '../config/config.ts';
import { loadSessionConfig } from '../config/load.ts';
import { loadOff } from '../config/switches.ts';
import type { Embed } from '../contract/embedder.ts';
import type { Masker, MaskerFor } from '../core/contract/guard.ts';
import type { Sign } from '../core/contract/signatures.ts';
import { systemClock } from '../core/kernel/deps.ts';
import { AGENT_MASKING } from '../kits/agents/editAgents.ts';
import { createStoredAgents } from '../kits/agents/storedAgents.ts';
import { createAlertCheck } from '../kits/alerts/checkAlert.ts';
import { PARTS } from '../lists/parts.ts';
import { createAnnounce } from '../lists/storeFeatures.ts';
import { exportConversation } from '../llm/interchange/exportConversation.ts';
import { createLogger } from '../log.ts';
import { cleanText } from '../masking/cleanText.ts';
import { createMasker } from '../masking/masker.ts';
import { createMaskers } from '../masking/maskers.ts';
import { packageVersion } from '../projectFiles.ts';
import { checkParts } from '../store/checkedParts.ts';
import { createMemoryStore } from '../store/memory/memoryStore.ts';
import { collectAlertSecrets } from './alertServices.ts';
import { composeState } from './composeState.ts';
import { documentUrls } from './documentUrl.ts';
import { EXTENSION_NAMES } from './extensions.ts';
import { openCloud } from './openCloud.ts';
import { openEmbedder } from './openEmbedder.ts';
import { openJudge } from './openJudge.ts';
import { openRawDocuments } from './openRawDocuments.ts';
import { openWebhooks } from './openWebhooks.ts';

const TIMEOUT_MS = 10_000;

/**
 * The services of one command. Connects and reads the configuration only when a request needs it: an invalid
 * configuration does not prevent viewing or cancelling sessions.
 * @param folder of the configuration.
 * @param sign signs decisions.
 * @param database `memory`: an empty one, for requests about the configuration. Default: the database that
 * the environment names.
 */
export function createCommandServices(
  env: NodeJS.ProcessEnv,
  folder: string,
  sign: Sign,
  database: 'cloud' | 'memory' = 'cloud',
): {
  deps: ApiDeps;
  /** Project and emulator, for people. */
  where: string;
  close(): Promise<void>;
} {
  const cloud = openCloud(env, { storeTimeoutMs: TIMEOUT_MS });
  const { publisher, where, close } = cloud;
  const documents = openRawDocuments(env, TIMEOUT_MS);
  const log = createLogger({ LOG_LEVEL: 'silent' });
  const off = loadOff(folder);
  const services = { publisher, log, clock: systemClock };
  const isMemory = database === 'memory';
  const store = isMemory ? checkParts(createMemoryStore(), PARTS) : cloud.store;
  const announce = isMemory ? undefined : createAnnounce(services, off);
  const state = composeState({ ...services, store, announce }, off);
  const config = createLazily<SessionConfig>(() => loadSessionConfig(folder, EXTENSION_NAMES));
  const known = createLazily(() => ({ secrets: collectAlertSecrets(config, env) }));
  const maskers = createLazily<{ of: MaskerFor }>(() => ({
    of: createMaskers({ known: known.secrets, rules: config.masking }),
  }));
  const masker = createLazily<Masker>(() => createMasker({ known: known.secrets, rules: config.masking }));
  const embedder = createLazily<{ embed: Embed }>(() => ({
    embed: openEmbedder(env, known.secrets, config.embeddingModel),
  }));
  const maskerFor: MaskerFor = (key) => maskers.of(key);
  const deps: ApiDeps = {
    ...state,
    sign,
    maskerFor,
    storedAgents: createStoredAgents(state),
    config,
    documents,
    judge: () => openJudge(env, known.secrets, config.judgeModel),
    embed: (...asked) => embedder.embed(...asked),
    checkAlert: createAlertCheck(maskerFor),
    webhooks: openWebhooks({}, env, log),
    slackApps: {},
    version: packageVersion(),
    documentUrl: documentUrls(env),
    exportConversation,
    agentMasker: createLazily(() => createMasker({ known: known.secrets, rules: AGENT_MASKING })),
    mask: (text) => cleanText(masker, text).text,
  };
  return {
    deps,
    where,
    async close() {
      await Promise.all([close(), documents.close()]);
    },
  };
}

/** An object that is made when something of it is read first. */
function createLazily<T extends object>(make: () => T): T {
  let made: T | undefined;
  return new Proxy({} as T, {
    get(_, name) {
      made ??= make();
      return Reflect.get(made, name);
    },
  });
}
