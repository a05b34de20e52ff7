// The inputs of the checks of a deployed installation.

import type { DeploymentManifest, ManifestService } from '../../deploy/manifestFile.ts';
import type { SecretSettings, WaitingService } from '../deploy/secrets.ts';
import { deployCommand, type Target } from '../deploy/target.ts';
import type { GoogleApi } from '../google/googleApi.ts';

/** An installation, and its declared state. */
export interface DeployedSystem {
  google: GoogleApi;
  target: Target;
  projectNumber: string;
  /** The manifest of the current release. */
  manifest: DeploymentManifest;
  /** Variables of `deploy.tfvars.json`. */
  settings: SecretSettings & Record<string, unknown>;
  /** The services that Terraform does not create yet, because secrets of them have no version. */
  waiting: readonly WaitingService[];
}

/** Whether a service waits for secrets. */
export const isWaiting = ({ waiting }: DeployedSystem, { name }: ManifestService): boolean =>
  waiting.some(({ service }) => service === name);

/** The fix for a resource that Terraform made otherwise. */
export const redeploy = ({ target }: DeployedSystem): string =>
  `\`${deployCommand(target)}\` restores it; its plan shows the difference`;

/** A policy of rights. */
export interface Policy {
  bindings?: { role: string; members?: string[] }[];
}

/** Whether a policy grants a role to a member. */
export function grantsRole({ bindings = [] }: Policy, role: string, member: string): boolean {
  return bindings.some((binding) => binding.role === role && binding.members?.includes(member));
}
