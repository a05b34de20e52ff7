// Selects a local system's model: a given script, the real one with a key, or the example's script.

import { realpathSync } from 'node:fs';
import type { Example } from '../../local/examples.ts';
import { realModel, type SelectedModel, scriptedModel, withoutServer } from '../../local/model.ts';
import type { Config } from '../../shared/config/config.ts';
import { isNative } from '../../shared/core/contract/modelFacts.ts';
import { UsageError } from '../process/usageError.ts';

/** The inputs of the selection. */
interface ModelChoice {
  config: Config;
  configFolder: string;
  example: Example;
  /** A script for the scripted Gemini, which takes precedence over keys. */
  script?: string | undefined;
  /** Where the scripted Gemini listens. Default: any free port. */
  port?: number | undefined;
}

/**
 * Selects the model, and starts it if it is scripted.
 * @throws UsageError when Gemini is needed and there is neither a key nor a script for this configuration;
 *   ConfigError for an invalid script.
 */
export async function chooseModel(env: NodeJS.ProcessEnv, choice: ModelChoice): Promise<SelectedModel> {
  const { config, configFolder, example, script, port } = choice;
  if (script !== undefined) return scriptedModel({ scriptFile: script, why: script, port });
  const real = realModel(env);
  if (real !== undefined) return real;
  if (!asksGemini(config)) return withoutServer('as models.yaml says; no Gemini');
  if (isSameFolder(configFolder, example.configFolder)) {
    return scriptedModel({ scriptFile: example.scriptFile, why: 'no GEMINI_API_KEY is set', port });
  }
  throw new UsageError(
    `no model answers for ${configFolder}: set GEMINI_API_KEY, or give a script of answers with --script FILE (one to copy: ${example.scriptFile})`,
  );
}

/** Whether an agent of a chain uses a Gemini model, directly or as a fallback. */
export function asksGemini({ chains }: Config): boolean {
  return Object.values(chains).some(({ stages, summary }) =>
    [...stages.flatMap(({ agents, synthesis }) => [...agents, synthesis]), summary].some(
      (agent) => agent && [agent.model, ...agent.fallback].some(({ provider }) => isNative(provider)),
    ),
  );
}

/** Whether two existing folders are the same. */
function isSameFolder(a: string, b: string): boolean {
  return realpathSync(a) === realpathSync(b);
}
