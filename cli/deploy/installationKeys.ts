// The keys that every installation has. The command creates them after Terraform has created their secrets: a
// key that Terraform created would be in its state.

import type { DeploymentManifest } from '../../deploy/manifestFile.ts';
import { KEY_SECRETS, SIGNING_KEY, VERIFYING_KEYS } from '../../shared/core/contract/signatures.ts';
import { generateSecret } from '../../shared/kits/access/macs.ts';
import { generateDecisionKeys } from '../../shared/kits/access/signatures.ts';
import type { GoogleApi } from '../google/googleApi.ts';
import { addVersion, type SecretSettings } from './secrets.ts';
import type { Target } from './target.ts';

/**
 * Adds the keys of decisions and the secret of API keys where the manifest names them and one has no version.
 * Both keys of decisions are added: a pair that an interrupted deployment left incomplete is replaced.
 * @param versions of the secrets that have one, by variable.
 * @returns the variables that have a new version; empty for an installation that has its keys.
 * @throws as `addVersion`.
 */
export async function addMissingKeys(
  google: GoogleApi,
  target: Target,
  { manifest, settings }: { manifest: DeploymentManifest; settings: SecretSettings },
  versions: Readonly<Record<string, string>>,
): Promise<string[]> {
  const named = new Set(manifest.services.flatMap(({ optionalSecrets = [] }) => optionalSecrets));
  const added: string[] = [];
  const add = async (variable: string, value: string) => {
    await addVersion(google, target, { variable, value: Buffer.from(value), settings });
    added.push(variable);
  };
  const isMissing = (one: string) => named.has(one) && versions[one] === undefined;
  if (isMissing(KEY_SECRETS)) await add(KEY_SECRETS, generateSecret());
  if ([SIGNING_KEY, VERIFYING_KEYS].some(isMissing)) {
    const { privateKey, publicKey } = generateDecisionKeys();
    // The private key last: without the public key, no service could verify decisions.
    await add(VERIFYING_KEYS, publicKey);
    await add(SIGNING_KEY, privateKey);
  }
  return added;
}
