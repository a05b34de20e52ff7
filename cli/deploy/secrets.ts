// Secrets of an installation in Secret Manager. Terraform creates them without their values.

import type { DeploymentManifest, ManifestService } from '../../deploy/manifestFile.ts';
import { MODEL_KEYS } from '../../functions/manifest.ts';
import { composeSecretId } from '../../shared/contract/resourceIds.ts';
import { SECRET_MANAGER } from '../google/addresses.ts';
import { type GoogleApi, GoogleApiError } from '../google/googleApi.ts';
import { deployCommand, type Target } from './target.ts';

/** Google's limit of a value. */
const MAX_BYTES = 64 * 1024;

/** How secrets are found: the part of `deploy.tfvars.json` that changes it. */
export interface SecretSettings {
  /** Whether Gemini is called through Vertex AI, which needs no key. Default: true. */
  vertex?: boolean;
  /** Secrets that the module does not create, `projects/PROJECT/secrets/ID`, by variable. */
  secret_ids?: Record<string, string>;
}

/** A variable's secret, `projects/PROJECT/secrets/ID`: of `secret_ids`, else by its name. */
function composeSecretPath(
  variable: string,
  { project, name }: Target,
  { secret_ids: ids = {} }: SecretSettings,
): string {
  return ids[variable] ?? `projects/${project}/secrets/${composeSecretId(variable, name)}`;
}

/** The secrets that a service does not work without. Without Vertex AI, the key of the Gemini API is one. */
function neededSecrets(
  { secrets, optionalSecrets = [] }: ManifestService,
  { vertex = true }: SecretSettings,
): string[] {
  const keys = optionalSecrets.filter((one) => one === 'GEMINI_API_KEY' && !vertex);
  return [...keys, ...secrets];
}

/** The secrets that a service gets when they have a version. Vertex AI needs no key of the Gemini API. */
export function usedSecrets(
  { secrets, optionalSecrets = [] }: ManifestService,
  { vertex = true }: SecretSettings,
): string[] {
  return [...secrets, ...optionalSecrets.filter((one) => !vertex || !MODEL_KEYS.includes(one))];
}

/**
 * The newest enabled version of each secret, by the name of its variable. A secret without one is left out.
 * @throws GoogleApiError, except for a project whose Secret Manager is not enabled: it has no secrets.
 */
export async function enabledVersions(
  google: GoogleApi,
  target: Target,
  { services }: DeploymentManifest,
  settings: SecretSettings,
): Promise<Record<string, string>> {
  const variables = [...new Set(services.flatMap((service) => usedSecrets(service, settings)))].sort();
  const found = await Promise.all(
    variables.map(async (variable) => {
      const secret = composeSecretPath(variable, target, settings);
      return [variable, await enabledVersion(google, secret)] as const;
    }),
  );
  return Object.fromEntries(found.flatMap(([variable, version]) => (version ? [[variable, version]] : [])));
}

async function enabledVersion(google: GoogleApi, secret: string): Promise<string | undefined> {
  try {
    // Newest first.
    const answer = await google.find<{ versions?: { name: string }[] }>({
      url: `${SECRET_MANAGER}/${secret}/versions?filter=state:ENABLED&pageSize=1`,
    });
    return answer?.versions?.[0]?.name.split('/').at(-1);
  } catch (error) {
    if (error instanceof GoogleApiError && error.reason === 'SERVICE_DISABLED') return undefined;
    throw error;
  }
}

/** A service that cannot be created, because secrets of it have no version. */
export interface WaitingService {
  service: string;
  /** Names of the variables. */
  missing: string[];
}

/** The services that wait for secrets. @param versions of the secrets that have one, by variable. */
export function waitingServices(
  { services }: DeploymentManifest,
  versions: Readonly<Record<string, string>>,
  settings: SecretSettings,
): WaitingService[] {
  const missingOf = (service: ManifestService) =>
    neededSecrets(service, settings).filter((one) => versions[one] === undefined);
  return services
    .map((service) => ({ service: service.name, missing: missingOf(service) }))
    .filter(({ missing }) => missing.length > 0);
}

/** The line that adds the value of a secret. */
export function secretCommand(target: Target, variable: string): string {
  return `${deployCommand(target, ` secret ${variable}`)} < FILE`;
}

/**
 * Adds a version to a secret.
 * @returns the secret, `projects/PROJECT/secrets/ID`, and the number of the version.
 * @throws Error for an empty or too large value, and when the secret does not exist: the first deployment
 *   creates it, unless `secret_ids` names another.
 */
export async function addVersion(
  google: GoogleApi,
  target: Target,
  { variable, value, settings }: { variable: string; value: Buffer; settings: SecretSettings },
): Promise<{ secret: string; version: string }> {
  if (value.length === 0) throw new Error('standard input is empty: pipe the value, or redirect a file');
  if (value.length > MAX_BYTES)
    throw new Error(`the value has ${value.length} bytes; Secret Manager stores at most ${MAX_BYTES}`);
  const secret = composeSecretPath(variable, target, settings);
  const added = await google.find<{ name: string }>({
    method: 'POST',
    url: `${SECRET_MANAGER}/${secret}:addVersion`,
    body: { payload: { data: value.toString('base64') } },
  });
  if (added === undefined)
    throw new Error(
      settings.secret_ids?.[variable] === undefined
        ? `there is no ${secret}. \`${deployCommand(target)}\` creates the secrets that the configuration names`
        : `there is no ${secret}, which secret_ids of deploy.tfvars.json names: create it first`,
    );
  return { secret, version: added.name.split('/').at(-1) ?? '' };
}
