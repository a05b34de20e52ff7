// webhooks.yaml: the sources that can send webhooks, and the variables that hold their shared secrets.

import * as z from 'zod';
import { CHANGE_SOURCES, SECRET_SOURCES, type WebhookSource } from '../alerts/sources.ts';
import { TENANT_ID } from '../core/schema/session.ts';
import { configFile } from './configFile.ts';
import { eachOnce, type KnownNames, oneOrMany, referenceTo, strictMapping } from './fields.ts';
import { readFolder } from './readFolder.ts';
import { validateFile } from './validate.ts';
import { type Fault, faultAt } from './yamlFile.ts';

/** Two for a rotation, and room for mistakes. */
const MAX_SECRETS = 5;
const MAX_TOPICS = 100;
/** Guessing a shorter one over the network would not be hopeless. `openssl rand -hex 32` gives 64. */
const MIN_SECRET = 16;

/** Only capitals, so that a secret pasted here by mistake is rejected instead of taken for a name. */
const variable = z
  .string()
  .regex(
    /^[A-Z_][A-Z0-9_]{0,99}$/,
    'must be the name of an environment variable in capitals, such as GRAFANA_WEBHOOK_SECRET; the secret itself belongs into that variable, not into this file',
  );

/** The topics of FIFO are not delivered over HTTP. */
const topicArn = z
  .string()
  .regex(
    /^arn:aws(?:-cn|-us-gov)?:sns:[a-z]{2}(?:-[a-z]+)+-\d:\d{12}:[A-Za-z0-9_-]{1,256}$/,
    'must be the ARN of a standard topic, such as arn:aws:sns:eu-central-1:123456789012:alarms',
  );

const tenant = z
  .string()
  .regex(
    TENANT_ID,
    'must start with a letter or digit, and hold only letters, digits, "_" and "-", at most 63',
  );

const binding = (chains: KnownNames) => ({
  /** The chain that investigates the alerts. Absent: the rules of chains choose. */
  chain: referenceTo('chain', chains).optional(),
  /** Whose the alerts are. Absent: the default tenant's. */
  tenant: tenant.optional(),
});

/** webhooks.yaml. Sources that it does not list cannot send webhooks. */
export function webhooksFileSchema(chains: KnownNames) {
  const bySecret = { secretEnv: oneOrMany(variable, MAX_SECRETS), ...binding(chains) };
  const shared = strictMapping(bySecret).optional();
  // No chain: a change starts nothing.
  const change = strictMapping({ secretEnv: bySecret.secretEnv, tenant: bySecret.tenant }).optional();
  return strictMapping({
    ...keyBy(SECRET_SOURCES, shared),
    /** `signedTime: false` for a contact point without timestamp header: requests can be replayed. */
    grafana: strictMapping({ ...bySecret, signedTime: z.boolean().optional() }).optional(),
    ...keyBy(CHANGE_SOURCES, change),
    sns: strictMapping({
      topics: z.array(topicArn).min(1).max(MAX_TOPICS).superRefine(eachOnce),
      ...binding(chains),
    }).optional(),
  });
}

const keyBy = <K extends string, V>(keys: readonly K[], value: V) =>
  Object.fromEntries(keys.map((key) => [key, value])) as Record<K, V>;

export const webhooksFile = configFile({
  name: 'webhooks',
  schema: ({ chains }) => webhooksFileSchema(chains),
});

/** The contents of webhooks.yaml. */
export type WebhooksConfig = z.output<ReturnType<typeof webhooksFileSchema>>;

/** A variable that lacks its secret. */
interface MissingSecret {
  /** The source whose webhooks are refused without the secret. */
  source: WebhookSource;
  /** The error and its remedy, with the name of the variable and without its value. */
  message: string;
}

/** The names of all variables that hold secrets of webhooks. */
export function webhookVariables(config: WebhooksConfig = {}): string[] {
  return variablesBySource(config).map(({ name }) => name);
}

/** The secrets of a webhook that are set, without the line break that files of secrets end with. */
export function webhookSecrets(names: readonly string[], env: NodeJS.ProcessEnv): string[] {
  return names.map((name) => readSecretVariable(name, env)).filter((secret) => secret.length >= MIN_SECRET);
}

/** The variables that are not set, or too short to be a secret. */
export function missingWebhookSecrets(config: WebhooksConfig, env: NodeJS.ProcessEnv): MissingSecret[] {
  return variablesBySource(config).flatMap(({ source, name }) => {
    const { length } = readSecretVariable(name, env);
    if (length >= MIN_SECRET) return [];
    const what =
      length === 0
        ? 'is not set; set it to the secret that the source has, or take it out of secretEnv'
        : `has fewer than ${MIN_SECRET} characters and is not used; set a longer one here and at the source`;
    return [{ source, message: `environment variable ${name} ${what}` }];
  });
}

/** The same as faults of webhooks.yaml in `folder`, whose configuration `loadConfig` has accepted. */
export function webhookFaults(folder: string, env: NodeJS.ProcessEnv): Fault[] {
  const file = readFolder(folder, []).webhooks;
  const config = validateFile(file, webhooksFileSchema(undefined), []) ?? {};
  return missingWebhookSecrets(config, env).map(({ source, message }) =>
    faultAt(file, [source, 'secretEnv'], message),
  );
}

function variablesBySource(config: WebhooksConfig): { source: WebhookSource; name: string }[] {
  return Object.entries(config).flatMap(([source, entry]) =>
    (entry && 'secretEnv' in entry ? entry.secretEnv : []).map((name) => ({
      source: source as WebhookSource,
      name,
    })),
  );
}

function readSecretVariable(name: string, env: NodeJS.ProcessEnv): string {
  return (env[name] ?? '').trim();
}
