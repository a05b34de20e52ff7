// What the fallback models of a configuration lack on this machine: a key, or the package of their provider. It would show
// only when they are needed.

import { realModel } from '../../local/model.ts';
import type { Fault } from '../../shared/config/configError.ts';
import { fallbackModels } from '../../shared/config/fallbackModels.ts';
import { isNative, KEY_VARIABLES } from '../../shared/contract/modelFacts.ts';
import { errorMessage } from '../../shared/errors.ts';
import { loadLangchain } from '../../shared/llm/langchain/packages.ts';
import { EXTENSION_NAMES } from '../../shared/wiring/extensions.ts';

/**
 * A fault for each fallback model of a provider that cannot be asked from here. A provider that the agent asks anyway is
 * not looked at: its first question shows it.
 * @param folder of a configuration that `loadConfig` has accepted.
 */
export async function fallbackKeyFaults(folder: string, env: NodeJS.ProcessEnv): Promise<Fault[]> {
  const models = fallbackModels(folder).filter(
    ({ provider, ownProviders }) => !ownProviders.includes(provider),
  );
  const faults = models.map(async ({ name, provider, faultOf }) => {
    const what = missingKey(provider, env) ?? (await missingPackage(provider));
    return what === undefined ? [] : [faultOf(`model "${name}" cannot take over: ${what}`)];
  });
  return (await Promise.all(faults)).flat();
}

/** What is to be set; undefined when it is, or when the provider has other credentials than a key. */
function missingKey(provider: string, env: NodeJS.ProcessEnv): string | undefined {
  if (isNative(provider)) {
    return realModel(env) === undefined
      ? 'GEMINI_API_KEY is not set here; set it, or give --no-keys'
      : undefined;
  }
  const variable = KEY_VARIABLES[provider];
  const needsNone = provider === 'openai' && Boolean(env.OPENAI_BASE_URL);
  if (variable === undefined || needsNone || env[variable]) return undefined;
  return `${variable} is not set here; set it, or give --no-keys`;
}

async function missingPackage(provider: string): Promise<string | undefined> {
  if (isNative(provider) || EXTENSION_NAMES.providers.includes(provider)) return undefined;
  return loadLangchain(provider).then(() => undefined, errorMessage);
}
