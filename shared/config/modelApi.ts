// The API of a model and the backend of its requests: one form of the two together is not known.

import { usesVertex } from '../core/contract/modelFacts.ts';
import { asObject } from '../text/json.ts';
import { ConfigError } from './configError.ts';
import { faultAt, type YamlFile } from './yamlFile.ts';

/** Refuses models that Vertex AI would be asked for. @throws ConfigError with each of them. */
export function refuseUnknownApis(models: YamlFile, env: NodeJS.ProcessEnv): void {
  if (!usesVertex(env)) return;
  const message =
    'interactions is not known on Vertex AI; remove it, or set GEMINI_API_KEY instead of GOOGLE_GENAI_USE_VERTEXAI';
  const faults = Object.entries(asObject(asObject(models.value).models)).flatMap(([name, model]) =>
    asObject(model).api === 'interactions' ? [faultAt(models, ['models', name, 'api'], message)] : [],
  );
  if (faults.length > 0) throw new ConfigError(faults);
}
