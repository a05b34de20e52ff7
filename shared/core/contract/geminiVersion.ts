// Derives the generation of a Gemini model from its name.

/** The version in a model's name: 3 and 8 for `gemini-3.8-flash`. */
export interface GeminiVersion {
  /** The number before the dot. */
  major: number;
  /** The number after the dot; 0 for a name without one. */
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
 * Whether the model checks signatures on function calls, takes thinking levels and combines native tools with
 * function tools: Gemini 3 on, and aliases, which follow the newest.
 */
export function isGemini3OrLater(model: string): boolean {
  const version = geminiVersion(model);
  return version === null ? bareModelName(model).startsWith('gemini-') : version.major >= 3;
}
