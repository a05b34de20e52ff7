// The environment variables that a configuration needs: the keys of its providers, the variables of its
// servers, and the secrets of its webhooks. `check-config`, the build of a deployment and the local system
// decide by it which service gets which.

import { type ConfigVariable, loginVariable } from '../contract/configVariable.ts';
import { KEY_VARIABLES, needsKey, PROVIDER_SETTINGS } from '../core/contract/modelFacts.ts';
import { isSecretName, PLAIN_HEADER } from '../masking/knownSecrets.ts';
import { asArray, asObject } from '../text/json.ts';
import { type ConfigFileName, readOneFile } from './readFolder.ts';
import { referencedVariables } from './variables.ts';

/**
 * The variables that the configuration in `folder` needs, each once for each use, by use and name. Reads
 * servers.yaml, models.yaml, webhooks.yaml, destinations.yaml and telemetry.yaml without checking them: a
 * missing or invalid part needs no variable, and `loadConfig` reports it.
 * @param env whose `OPENAI_BASE_URL` can make the key of OpenAI optional. Default: every provider needs its
 * key.
 */
export function configVariables(
  folder: string,
  env: Readonly<Record<string, string | undefined>> = {},
): ConfigVariable[] {
  const read = (name: ConfigFileName) => asObject(readOneFile(folder, name, []).value);
  const variables = [
    // Searches embed their texts with it, whatever the models are. On Vertex AI there is no key.
    { name: 'GEMINI_API_KEY', use: 'gemini', isSecret: true, isOptional: true } as const,
    ...(hasBackgroundModel(folder) ? BACKGROUND_VARIABLES : []),
    ...providersIn(read('models')).flatMap((provider) => ofProvider(provider, env)),
    ...Object.entries(asObject(read('servers').servers)).flatMap(([name, server]) =>
      ofServer(name, asObject(server)),
    ),
    ...Object.values(read('webhooks')).flatMap((source) => ofWebhook(asObject(source))),
    ...Object.values(asObject(read('destinations').destinations)).flatMap((one) =>
      ofDestination(asObject(one)),
    ),
    ...asArray(read('telemetry').targets).flatMap((target) => ofTarget(asObject(target))),
  ];
  const grouped = Map.groupBy(variables, ({ use, name }) => `${use} ${name}`);
  return [...grouped.keys()].sort().flatMap((key) => joinVariables(grouped.get(key) ?? []));
}

/** The variables of models that answer while nothing runs: where webhooks come, and what proves them. */
const BACKGROUND_VARIABLES: readonly ConfigVariable[] = [
  { name: 'GEMINI_API_KEY', use: 'background', isSecret: true, isOptional: true },
  { name: 'GEMINI_WEBHOOK_URL', use: 'gemini', isSecret: false, isOptional: true },
  { name: 'GEMINI_WEBHOOK_SECRET', use: 'webhooks', isSecret: true, isOptional: true },
  { name: 'GEMINI_WEBHOOK_AUDIENCE', use: 'webhooks', isSecret: false, isOptional: true },
];

/** Whether models.yaml has a model that answers while nothing runs. */
export function hasBackgroundModel(folder: string): boolean {
  const { models } = asObject(readOneFile(folder, 'models', []).value);
  return Object.values(asObject(models)).some((model) => asObject(model).wait === 'background');
}

/** Whether a destination of `folder` publishes to the topic of events of the installation. */
export function usesEventsTopic(folder: string): boolean {
  const { destinations } = asObject(readOneFile(folder, 'destinations', []).value);
  return Object.values(asObject(destinations))
    .map(asObject)
    .some(({ kind, topic, project }) => kind === 'pubsub' && topic === undefined && project === undefined);
}

/** The providers that a models.yaml names. */
export function readModelProviders(folder: string): string[] {
  return providersIn(asObject(readOneFile(folder, 'models', []).value));
}

function providersIn(models: Record<string, unknown>): string[] {
  const providers = Object.values(asObject(models.models)).map((model) => asObject(model).provider);
  return [...new Set(providers.filter((provider) => typeof provider === 'string'))];
}

function ofProvider(provider: string, env: Parameters<typeof needsKey>[1]): ConfigVariable[] {
  const key = KEY_VARIABLES[provider];
  return [
    ...(key === undefined
      ? []
      : [{ name: key, use: 'providers', isSecret: true, isOptional: !needsKey(provider, env) } as const]),
    ...(PROVIDER_SETTINGS[provider] ?? []).map(
      (name) => ({ name, use: 'providers', isSecret: isSecretName(name), isOptional: true }) as const,
    ),
  ];
}

/** The fields of a server with variables, beside `headers`, `env`, `githubApp` and `oauth`. */
const EXPANDED = ['command', 'args', 'cwd', 'url', 'audience', 'scopes', 'impersonate', 'quotaProject'];
/** Their fields that hold secrets. */
const CREDENTIALS = ['privateKey', 'clientSecret'];

/** Credentials are in headers and variables of processes; elsewhere the variable's name decides. */
function ofServer(
  name: string,
  { headers, env, instances, ...others }: Record<string, unknown>,
): ConfigVariable[] {
  return [
    ...Object.values(asObject(asObject(instances).list)).flatMap((one) => ofServer(name, asObject(one))),
    ...(asObject(others.oauth).grant === 'login'
      ? [{ name: loginVariable(name), use: 'tools', isSecret: true, isOptional: true } as const]
      : []),
    ...Object.entries(asObject(headers)).flatMap(([header, value]) =>
      ofText(value).map((variable) => ({
        ...variable,
        isSecret: variable.isSecret || !PLAIN_HEADER.test(header),
      })),
    ),
    ...Object.entries(asObject(env)).flatMap(([name, value]) =>
      ofText(value).map((variable) => ({ ...variable, isSecret: variable.isSecret || isSecretName(name) })),
    ),
    ...[others.githubApp, others.oauth].flatMap((settings) =>
      Object.entries(asObject(settings)).flatMap(([field, value]) =>
        ofText(value).map((variable) => ({
          ...variable,
          isSecret: variable.isSecret || CREDENTIALS.includes(field),
        })),
      ),
    ),
    ...EXPANDED.flatMap((field) => ofText(others[field])),
  ];
}

/** The variables that a text of servers.yaml, or a list of texts, names. */
function ofText(value: unknown): ConfigVariable[] {
  if (typeof value === 'string')
    return referencedVariables(value).map(({ name, hasDefault }) => ({
      name,
      use: 'tools',
      isSecret: isSecretName(name),
      isOptional: hasDefault,
    }));
  return asArray(value).flatMap(ofText);
}

function ofWebhook({ secretEnv }: Record<string, unknown>): ConfigVariable[] {
  const names = (typeof secretEnv === 'string' ? [secretEnv] : asArray(secretEnv)).filter(
    (name) => typeof name === 'string',
  );
  return names.map((name) => ({ name, use: 'webhooks', isSecret: true, isOptional: false }));
}

/** The settings of a destination that hold secrets: their variables are secrets, whatever their names are. */
const DESTINATION_SECRETS = ['token', 'signingSecret', 'secrets', 'password', 'url'];
/** Those that only prove requests of the destination's service. */
const PROOFS = ['signingSecret'];

function ofDestination(settings: Record<string, unknown>): ConfigVariable[] {
  return Object.entries(settings).flatMap(([field, value]) =>
    ofText(value).map((variable) => ({
      ...variable,
      use: PROOFS.includes(field) ? ('proofs' as const) : ('destinations' as const),
      isSecret: variable.isSecret || DESTINATION_SECRETS.includes(field),
    })),
  );
}

/** Headers authenticate, so that their variables are secrets. */
function ofTarget({ url, headers }: Record<string, unknown>): ConfigVariable[] {
  return [
    ...ofText(url).map((variable) => ({ ...variable, use: 'telemetry' as const })),
    ...Object.values(asObject(headers)).flatMap((value) =>
      ofText(value).map((variable) => ({ ...variable, use: 'telemetry' as const, isSecret: true })),
    ),
  ];
}

/** One variable: a secret if it is one anywhere, and optional if it is everywhere. */
function joinVariables(same: readonly ConfigVariable[]): ConfigVariable[] {
  const [first] = same;
  if (first === undefined) return [];
  return [
    {
      ...first,
      isSecret: same.some(({ isSecret }) => isSecret),
      isOptional: same.every(({ isOptional }) => isOptional),
    },
  ];
}
