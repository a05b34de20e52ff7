// What a Gemini model's name tells: its family (thought signatures are valid within one only) and its generation.

export interface GeminiVersion {
  major: number;
  minor: number;
}

/** The bare model name: `models/x` and `projects/…/publishers/google/models/x` both give `x`. */
export function bareModelName(model: string): string {
  return model.slice(model.lastIndexOf('/') + 1);
}

/** `gemini-3.8-flash` gives 3 and 8; null for aliases like `gemini-flash-latest` and for other models. */
export function geminiVersion(model: string): GeminiVersion | null {
  const match = /^gemini-(\d+)(?:\.(\d+))?(?:-|$)/.exec(bareModelName(model));
  return match === null ? null : { major: Number(match[1]), minor: Number(match[2] ?? 0) };
}

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

/** Whether the model checks signatures on function calls and takes thinking levels: Gemini 3 on, and aliases, which follow the newest. */
export function isGemini3OrLater(model: string): boolean {
  const version = geminiVersion(model);
  return version === null ? bareModelName(model).startsWith('gemini-') : version.major >= 3;
}
