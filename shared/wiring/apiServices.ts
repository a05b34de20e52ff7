// Wires the services of the API: stored state, the configuration of chains, and access rules.

import { cloudAccess } from '../api/access/cloudAccess.ts';
import { firebaseVerifier, iapVerifier, type TokenVerifier } from '../api/access/googleTokens.ts';
import { localAccess } from '../api/access/localAccess.ts';
import type { Access, ApiDeps } from '../api/http/route.ts';
import type { ApiLimits } from '../api/limits/apiLimits.ts';
import { type AccessConfig, audienceFault, findMember } from '../config/access.ts';
import type { SessionConfig } from '../config/config.ts';
import { ConfigError } from '../config/configError.ts';
import { hasBackgroundModel } from '../config/configVariables.ts';
import { loadSlackApps } from '../config/destinations.ts';
import { loadAccess } from '../config/load.ts';
import { readTestAlert } from '../config/testAlert.ts';
import type { Embed } from '../contract/embedder.ts';
import { TerminalError } from '../core/errors.ts';
import { type ApiCallers, readApiCallers, readConfigFolder } from '../environment.ts';
import { AGENT_MASKING } from '../kits/agents/editAgents.ts';
import { createAlertCheck } from '../kits/alerts/checkAlert.ts';
import { embedWithin } from '../kits/budgets/embedWithin.ts';
import { openDayLedger } from '../kits/budgets/tokenLedger.ts';
import { backgroundLive } from '../lists/liveSources.ts';
import { interactionFollower } from '../llm/interactions/followInteraction.ts';
import { exportConversation } from '../llm/interchange/exportConversation.ts';
import { cleanText } from '../masking/cleanText.ts';
import { createMasker } from '../masking/masker.ts';
import { packageVersion } from '../projectFiles.ts';
import { emulatorOnCloudRun } from '../store/emulator.ts';
import { collectAlertSecrets, createAlertServices } from './alertServices.ts';
import { documentUrls } from './documentUrl.ts';
import { localHostname } from './localHostname.ts';
import { openEmbedder } from './openEmbedder.ts';
import { openJudge } from './openJudge.ts';
import { openKeyVerifier, openSigner } from './openKeys.ts';
import { openNoticeKeys } from './openNoticeKeys.ts';
import { openRawDocuments } from './openRawDocuments.ts';
import { openWebhooks } from './openWebhooks.ts';

const TIMEOUT_MS = 10_000;

/**
 * The services of `api` and `console`. With a Firestore emulator they are those of one machine, where every
 * caller is admin and only this machine is listened to (`hostname`); else callers need a key or a token.
 * @throws ConfigError, also for access.yaml; TerminalError `CONFIG_INVALID` for a variable of access that is
 *   missing or invalid, and for an emulator on Cloud Run, where the API of one machine would let everyone in.
 */
export function createApiServices(env: NodeJS.ProcessEnv): {
  deps: ApiDeps;
  access: Access;
  limits: Partial<ApiLimits>;
  callers: ApiCallers;
  hostname: string | undefined;
} {
  const fault = emulatorOnCloudRun(env);
  if (fault !== undefined) throw new TerminalError('CONFIG_INVALID', fault);
  const { config, deps } = createAlertServices(env, false);
  const accessConfig = loadAccess(readConfigFolder(env), env.INQUEST_FIRST_MEMBER);
  const hostname = localHostname(env);
  const callers = readApiCallers(env, hostname !== undefined);
  // People who passed IAP press no buttons: only `api` has the secrets.
  const { secrets: slackApps, asked: slackAsks } =
    callers === 'console' ? NO_SLACK_APPS : openSlackApps(readConfigFolder(env), env, deps.log);
  const known = [...collectAlertSecrets(config, env), ...Object.values(slackApps)];
  const masker = createMasker({ known, rules: config.masking });
  const mask = (text: string) => cleanText(masker, text).text;
  const judge = openJudge(env, known, config.judgeModel);
  const exampleAlert = readTestAlert(readConfigFolder(env));
  return {
    deps: {
      ...deps,
      config,
      documents: openRawDocuments(env, TIMEOUT_MS),
      embed: embedWithinDay(openEmbedder(env, known, config.embeddingModel), config, deps),
      judge: () => judge,
      checkAlert: createAlertCheck(deps.maskerFor),
      webhooks: openWebhooks(config.webhooks ?? {}, env, deps.log),
      ...(hasBackgroundModel(readConfigFolder(env)) && {
        noticeKeys: openNoticeKeys(env),
        liveSource: backgroundLive(interactionFollower(env), deps.maskerFor),
      }),
      slackApps,
      slackAsks,
      startedAt: deps.clock.now(),
      exampleAlert: exampleAlert && mask(exampleAlert),
      version: packageVersion(),
      sign: openSigner(env),
      documentUrl: documentUrls(env),
      agentMasker: createMasker({ known, rules: AGENT_MASKING }),
      exportConversation,
      mask,
    },
    callers,
    hostname,
    limits: pickApiLimits(accessConfig),
    access: callers === 'local' ? localAccess(mask) : openCloudAccess(callers, accessConfig, deps, env),
  };
}

const NO_SLACK_APPS: ReturnType<typeof loadSlackApps> = { secrets: {}, asked: [] };

/** The Slack apps. An unset variable is logged, and stops only the buttons. */
function openSlackApps(
  folder: string,
  env: NodeJS.ProcessEnv,
  log: Pick<ApiDeps['log'], 'warn'>,
): ReturnType<typeof loadSlackApps> {
  try {
    return loadSlackApps(folder, env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    log.warn(`buttons in Slack are off: ${error.message}`);
    return NO_SLACK_APPS;
  }
}

/** The limits that access.yaml sets. */
function pickApiLimits(config: AccessConfig): Partial<ApiLimits> {
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

/** Programs cannot pass IAP, and its header proves nothing where it is not before the service. */
function openCloudAccess(
  callers: 'api' | 'console',
  config: AccessConfig,
  { store, clock, log }: Pick<ApiDeps, 'store' | 'clock' | 'log'>,
  env: NodeJS.ProcessEnv,
): Access {
  const { firebase } = config;
  const now = () => clock.now();
  return cloudAccess({
    memberOf: (person) => findMember(config, person),
    requestsPerMinute: config.requestsPerMinute,
    store,
    clock,
    log,
    ...(callers === 'api'
      ? {
          verifyKey: openKeyVerifier(env),
          firebase: firebase && firebaseVerifier(firebase.project, undefined, now),
        }
      : { iap: openIap(config, env, now) }),
  });
}

function openIap({ iap, firebase }: AccessConfig, env: NodeJS.ProcessEnv, now: () => Date): TokenVerifier {
  const audience = env.IAP_AUDIENCE || iap?.audience;
  const fault = audience === undefined ? 'is not set' : audienceFault(audience);
  if (audience === undefined || fault !== undefined)
    throw new TerminalError(
      'CONFIG_INVALID',
      `IAP_AUDIENCE ${fault}; the service console needs the audience that IAP signs for, there or as iap.audience of access.yaml`,
    );
  const project = iap?.project ?? firebase?.project;
  const external = project === undefined ? undefined : { project, tenants: iap?.identityTenants };
  return iapVerifier(audience, undefined, external, now);
}
