// Checks that the keys and provider packages of fallback models are available here. Otherwise a missing one
// would fail only when the fallback is needed.

import { realModel } from '../../local/model.ts';
import { fallbackModels } from '../../shared/config/fallbackModels.ts';
import type { Fault } from '../../shared/config/yamlFile.ts';
import { isNative, KEY_VARIABLES, needsKey } from '../../shared/core/contract/modelFacts.ts';
import { errorMessage } from '../../shared/core/errors.ts';
import { loadLangchain } from '../../shared/llm/langchain/packages.ts';
import { EXTENSION_NAMES } from '../../shared/wiring/extensions.ts';

/**
 * Returns a fault for each fallback model whose provider cannot be called from here. Skips providers that the
 * agent uses itself, because its first model call would fail.
 * @param folder of a configuration that `loadConfig` has accepted.
 */
export async function fallbackKeyFaults(folder: string, env: NodeJS.ProcessEnv): Promise<Fault[]> {
  const models = fallbackModels(folder).filter(
    ({ provider, ownProviders }) => !ownProviders.includes(provider),
  );
  const faults = models.map(async ({ name, provider, faultOf }) => {
    const missing = missingKey(provider, env) ?? (await missingPackage(provider));
    return missing === undefined ? [] : [faultOf(`model "${name}" cannot take over: ${missing}`)];
  });
  return (await Promise.all(faults)).flat();
}

/** The missing variable, in a sentence; undefined when it is set, or when the provider needs no key. */
function missingKey(provider: string, env: NodeJS.ProcessEnv): string | undefined {
  if (isNative(provider)) {
    return realModel(env) === undefined
      ? 'GEMINI_API_KEY is not set here; set it, or give --no-keys'
      : undefined;
  }
  const variable = KEY_VARIABLES[provider];
  if (variable === undefined || !needsKey(provider, env) || env[variable]) return undefined;
  return `${variable} is not set here; set it, or give --no-keys`;
}

async function missingPackage(provider: string): Promise<string | undefined> {
  if (isNative(provider) || EXTENSION_NAMES.providers.includes(provider)) return undefined;
  return loadLangchain(provider).then(() => undefined, errorMessage);
}
