// How a scripted model states in the `modelVersion` of its answers that no model gave them.

/** First word of the `modelVersion` of every scripted answer. */
export const SCRIPTED = 'scripted';
/** The end of it where the script does not name the alert of the request. */
const NOT_NAMED = ' (alert not named)';

/** The `modelVersion` of a scripted answer. @param isNamed whether the script names the alert. */
export function scriptedVersion(model: string, isNamed: boolean): string {
  return `${SCRIPTED} ${model}${isNamed ? '' : NOT_NAMED}`;
}

/** Whether a `modelVersion` is of a script that does not name the alert. Never true for a model. */
export function isScriptForOthers(modelVersion: string | null): boolean {
  return modelVersion?.startsWith(`${SCRIPTED} `) === true && modelVersion.endsWith(NOT_NAMED);
}
