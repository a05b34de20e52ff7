// The family of a model: thought signatures, and other data that only its provider reads, are valid only
// within one family.

import { bareModelName, geminiVersion } from '../core/contract/geminiVersion.ts';
import type { ModelSettings } from '../core/schema/agent.ts';

/**
 * The family of models that accept each other's thought signatures: those of one version (`gemini-2.5`,
 * `gemini-3`). Narrow on purpose, because the provider refuses a signature of another family with 400, while
 * a missing old signature only costs context. Names without a version are a family of their own.
 */
export function modelFamily(model: string): string {
  const version = geminiVersion(model);
  if (version === null) return bareModelName(model);
  return version.minor === 0 ? `gemini-${version.major}` : `gemini-${version.major}.${version.minor}`;
}

/** Whether a model can be sent the signatures of another: only within one provider and one family. */
export function sharesSignatures(
  one: Pick<ModelSettings, 'provider' | 'model'>,
  other: Pick<ModelSettings, 'provider' | 'model'>,
): boolean {
  return one.provider === other.provider && modelFamily(one.model) === modelFamily(other.model);
}
