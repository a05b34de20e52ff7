// The family of a Gemini model: thought signatures are valid within one only.

import { bareModelName, geminiVersion } from '../../contract/geminiVersion.ts';

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
