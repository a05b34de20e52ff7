// Keys of providers: who needs none, which values are secret, and how texts lose them.

import { knownSecrets } from '../masking/knownSecrets.ts';
import { createMasker } from '../masking/masker.ts';

/** Environment variables by name. */
export type Environment = Record<string, string | undefined>;

/** Values of `env` that must appear in no message. */
export function listKnownSecrets(env: Environment): string[] {
  return knownSecrets(env);
}

/** Masks `secrets` in any form (`[masked:known]`), and the secrets that masking finds without a list. */
export function maskKeys(text: string, secrets: readonly string[] = []): string {
  return createMasker({ known: secrets }).mask(text).text;
}
