// The APIs of Google and the agents of its services that an installation needs.
// deploy/terraform/settings/apis.tf has the same, for deployments without the command.

import type { DeploymentManifest } from '../../deploy/manifestFile.ts';
import { type SecretSettings, usedSecrets } from './secrets.ts';

/** APIs that `deploy` and the first plan call. */
const BOOTSTRAP_APIS = listApiHosts(
  'cloudresourcemanager',
  'serviceusage',
  'storage',
  'secretmanager',
  'firestore',
);

/** APIs that every installation needs. */
const ALWAYS = [
  'run',
  'pubsub',
  'firestore',
  'firebaserules',
  'cloudscheduler',
  'iam',
  'cloudresourcemanager',
  'monitoring',
  'logging',
  'artifactregistry',
];

/**
 * The hosts of the APIs that an installation needs: `run.googleapis.com`.
 * @param settings variables of `deploy.tfvars.json`.
 */
export function neededApis(
  { services }: DeploymentManifest,
  settings: SecretSettings & Record<string, unknown>,
): string[] {
  const { vertex = true, telemetry = true, deploy = 'zip', network = null, budget = null } = settings;
  const optional: Record<string, boolean> = {
    storage: deploy === 'zip',
    secretmanager: services.some((service) => usedSecrets(service, settings).length > 0),
    iap: services.some(({ invoker }) => invoker === 'iap'),
    aiplatform: vertex,
    telemetry: telemetry === true,
    compute: network !== null,
    billingbudgets: budget !== null,
  };
  return listApiHosts(...ALWAYS, ...Object.keys(optional).filter((api) => optional[api]));
}

/** The hosts of the APIs that a deployment enables before its first plan. As `neededApis`. */
export const enabledFirst = (...of: Parameters<typeof neededApis>): string[] => [
  ...new Set([...BOOTSTRAP_APIS, ...neededApis(...of)]),
];

function listApiHosts(...apis: string[]): string[] {
  return apis.map((api) => `${api}.googleapis.com`);
}

/** The agent of a service of Google in a project, as a member of a policy. */
export function composeServiceAgent(
  service: 'pubsub' | 'iap' | 'monitoring-notification',
  projectNumber: string,
): string {
  return `serviceAccount:service-${projectNumber}@gcp-sa-${service}.iam.gserviceaccount.com`;
}
