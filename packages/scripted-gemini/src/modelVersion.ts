// Reads the version of a model from its name: the rules of the API depend on it.

/** A Gemini model and its version. */
export interface ModelVersion {
  /** The name in the request. */
  name: string;
  /** The number before the dot. */
  major: number;
  /** The number after the dot; 0 without one. */
  minor: number;
}

/** The version of aliases such as `gemini-flash-latest`. */
const LATEST = { major: 3, minor: 8 };

/** The version in a model id such as `gemini-3.8-flash`; undefined for other models. */
export function parseModel(name: string): ModelVersion | undefined {
  if (/^gemini-[a-z-]+-latest$/.test(name)) return { name, ...LATEST };
  const match = /^gemini-(\d+)(?:\.(\d+))?(?:-|$)/.exec(name);
  return match ? { name, major: Number(match[1]), minor: Number(match[2] ?? 0) } : undefined;
}

/** Whether a model is of this version or a later one. */
export function atLeast(model: ModelVersion, major: number, minor = 0): boolean {
  return model.major > major || (model.major === major && model.minor >= minor);
}
