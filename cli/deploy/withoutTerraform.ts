// The lines that deploy from a machine without Terraform: in Cloud Shell, or by Infrastructure Manager.

import type { Tier } from './buckets.ts';
import { deployCommand, type Target } from './target.ts';
import { STAGED } from './variables.ts';

const INSTALL =
  'neither terraform nor tofu is on the PATH. Install one of them (1.5.7 or later), or choose one of these ways.';

/** The account that Infrastructure Manager runs as; docs/deploy.md lists its roles. */
const ACCOUNT = 'inquest-deployer';

/** Why Cloud Shell is a way, on a machine that has a binary. */
export const WITHOUT_CREDENTIALS =
  'this machine has no credentials for Google Cloud: gcloud auth application-default login, or deploy from Cloud Shell.';

/** Options of the call that its commands repeat. */
interface Repeated {
  tier?: Tier | undefined;
  /** Whether a test alert is sent. Default: no. */
  test?: boolean | undefined;
  /** `--member`. */
  member?: string | undefined;
}

/** The lines that deploy from Cloud Shell, which has Terraform and the user's credentials. */
export function cloudShellLines(
  target: Target,
  { tier, test = false, member }: Repeated,
  reason: string = INSTALL,
): string[] {
  const options = `${tier === undefined ? '' : ` --tier ${tier}`}${member === undefined ? '' : ` --member ${member}`}${test ? ' --test' : ''}`;
  return [
    reason,
    '',
    '1. Cloud Shell (https://shell.cloud.google.com) has Terraform, and you are logged in. Clone the sources there, or upload them, and in their folder:',
    '   npm ci',
    `   ${deployCommand(target)}${options}`,
    ...(target.config === undefined ? [] : [`   The folder ${target.config} must be there, too.`]),
  ];
}

/**
 * The lines for people. The staged folder is complete, without a backend: Infrastructure Manager keeps the
 * state itself, so that an installation is deployed in one of the two ways only.
 */
export function linesWithoutTerraform(target: Target, repeated: Repeated): string[] {
  const { project, region, name, folder } = target;
  const account = `projects/${project}/serviceAccounts/${ACCOUNT}@${project}.iam.gserviceaccount.com`;
  return [
    ...cloudShellLines(target, repeated),
    '',
    '2. Infrastructure Manager runs Terraform in the project and keeps the state. Once, create its account, with the roles of docs/deploy.md:',
    `   gcloud services enable config.googleapis.com cloudresourcemanager.googleapis.com --project=${project}`,
    `   gcloud iam service-accounts create ${ACCOUNT} --project=${project}`,
    '   Then, and for each release:',
    `   gcloud infra-manager deployments apply projects/${project}/locations/${region}/deployments/${name} \\`,
    `     --local-source=${folder} --inputs-file=${folder}/${STAGED.inputs} \\`,
    `     --service-account=${account}`,
    `   ${folder} holds the module, its variables and the archive.`,
  ];
}

/** The command that deletes an installation of Infrastructure Manager. */
export const deleteManaged = ({ project, region, name }: Target): string =>
  `gcloud infra-manager deployments delete projects/${project}/locations/${region}/deployments/${name}`;

/** The lines that delete an installation without Terraform. */
export function destroyLines(target: Target): string[] {
  return [
    INSTALL,
    '',
    '1. Deployed from a terminal: in Cloud Shell (https://shell.cloud.google.com), in this folder of the sources:',
    `   npm ci && ${deployCommand(target)} --destroy`,
    '',
    '2. Deployed by Infrastructure Manager:',
    `   gcloud firestore databases update --database=${target.name} --no-delete-protection --project=${target.project}`,
    `   ${deleteManaged(target)}`,
  ];
}
