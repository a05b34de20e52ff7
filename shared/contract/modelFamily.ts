// The family of a model: thought signatures, and other data that only its maker reads, are valid within one only.

import type { ModelSettings } from '../schema/agent.ts';
import { bareModelName, geminiVersion } from './geminiVersion.ts';

/**
 * The models among which thought signatures may be exchanged: those of one version (`gemini-2.5`, `gemini-3`).
 * Narrow on purpose, because a foreign signature is refused with 400 while a missing old one only costs context.
 * Names without a version are a family of their own.
 */
export function modelFamily(model: string): string {
  const version = geminiVersion(model);
  if (version === null) return bareModelName(model);
  return version.minor === 0 ? `gemini-${version.major}` : `gemini-${version.major}.${version.minor}`;
}

/** Whether one model may be sent the signatures of another: those of one provider and one family. */
export function sharesSignatures(
  one: Pick<ModelSettings, 'provider' | 'model'>,
  other: Pick<ModelSettings, 'provider' | 'model'>,
): boolean {
  return one.provider === other.provider && modelFamily(one.model) === modelFamily(other.model);
}
