// Wires the services of the API: stored state, the configuration of chains, and access rules.

import type { Access } from '../api/access/access.ts';
import { cloudAccess } from '../api/access/cloudAccess.ts';
import { firebaseVerifier, iapVerifier } from '../api/access/googleTokens.ts';
import { localAccess } from '../api/access/localAccess.ts';
import type { ApiLimits } from '../api/limits/apiLimits.ts';
import type { ApiDeps } from '../api/route.ts';
import { type AccessConfig, memberOf } from '../config/access.ts';
import type { SessionConfig } from '../config/config.ts';
import { loadAccess } from '../config/load.ts';
import type { Embed } from '../contract/embedder.ts';
import { configFolderOf } from '../environment.ts';
import { TerminalError } from '../errors.ts';
import { cleanText } from '../masking/cleanText.ts';
import { createMasker } from '../masking/masker.ts';
import { AGENT_MASKING } from '../runtime/agents/editAgents.ts';
import { createAlertCheck } from '../runtime/entry/checkAlert.ts';
import { embedWithin } from '../runtime/kernel/tokens/embedWithin.ts';
import { openDayLedger } from '../runtime/kernel/tokens/tokenLedger.ts';
import { emulatorOf, emulatorOnCloudRun } from '../store/emulator.ts';
import { createAlertServices, secretsOf } from './alertServices.ts';
import { documentUrls } from './documentUrl.ts';
import { openEmbedder } from './openEmbedder.ts';
import { openRawDocuments } from './openRawDocuments.ts';
import { openWebhooks } from './openWebhooks.ts';

const TIMEOUT_MS = 10_000;

/**
 * The services of `api`. With a Firestore emulator it is that of one machine (`isLocal`), where every caller is admin; else
 * callers need a key or a token.
 * @throws ConfigError, also for access.yaml; TerminalError `CONFIG_INVALID` for an emulator on Cloud Run, where the API of one
 *   machine would let everyone in.
 */
export function createApiServices(env: NodeJS.ProcessEnv): {
  deps: ApiDeps;
  access: Access;
  limits: Partial<ApiLimits>;
  isLocal: boolean;
} {
  const fault = emulatorOnCloudRun(env);
  if (fault !== undefined) throw new TerminalError('CONFIG_INVALID', fault);
  const { config, deps } = createAlertServices(env);
  const accessConfig = loadAccess(configFolderOf(env));
  const known = secretsOf(config, env);
  const masker = createMasker({ known, rules: config.masking });
  const mask = (text: string) => cleanText(masker, text).text;
  const isLocal = emulatorOf('firestore', env) !== undefined;
  return {
    deps: {
      ...deps,
      config,
      documents: openRawDocuments(env, TIMEOUT_MS),
      embed: embedWithinDay(openEmbedder(env, known), config, deps),
      checkAlert: createAlertCheck(deps.maskerFor),
      webhooks: openWebhooks(config.webhooks ?? {}, env, deps.log),
      documentUrl: documentUrls(env),
      agentMasker: createMasker({ known, rules: AGENT_MASKING }),
      mask,
    },
    isLocal,
    limits: limitsOf(accessConfig),
    access: isLocal ? localAccess(mask) : openCloudAccess(accessConfig, deps),
  };
}

/** The limits that access.yaml sets. */
function limitsOf(config: AccessConfig): Partial<ApiLimits> {
  const names = [
    'proxies',
    'unauthenticatedPerMinute',
    'webhooksPerMinute',
    'streamsPerCaller',
    'streamsPerInstance',
  ] as const;
  return Object.fromEntries(
    names.flatMap((name) => (config[name] === undefined ? [] : [[name, config[name]]])),
  );
}

/** Texts that the API embeds belong to no session, so only the daily token limit of all chains applies. */
function embedWithinDay(
  embed: Embed,
  { budgets, defaultChain }: Pick<SessionConfig, 'budgets' | 'defaultChain'>,
  deps: Pick<ApiDeps, 'store' | 'clock' | 'log'>,
): Embed {
  const ofAll = budgets(defaultChain).dailyTokens.filter(({ chain }) => chain === null);
  return embedWithin(embed, openDayLedger(ofAll, deps));
}

function openCloudAccess(config: AccessConfig, { store, clock }: Pick<ApiDeps, 'store' | 'clock'>): Access {
  const { iap, firebase } = config;
  const project = iap?.project ?? firebase?.project;
  const external = project === undefined ? undefined : { project, tenants: iap?.identityTenants };
  const now = () => clock.now();
  return cloudAccess({
    memberOf: (person) => memberOf(config, person),
    requestsPerMinute: config.requestsPerMinute,
    store,
    clock,
    iap: iap && iapVerifier(iap.audience, undefined, external, now),
    firebase: firebase && firebaseVerifier(firebase.project, undefined, now),
  });
}
