// The scripted model: a scripted Gemini for investigations. It is used instead of the API in tests, and when
// no API key is set.

import {
  type ScriptedGemini,
  type ServeOptions,
  serveScript,
} from '../../packages/scripted-gemini/src/index.ts';
import { toWireName } from '../../shared/llm/wireNames.ts';
import { createFindTurn } from './findModelTurn.ts';
import { loadModelScript } from './loadModelScript.ts';
import type { ModelScript, NamedAlert } from './modelScript.ts';

/** A running scripted model. */
export interface ScriptedModel extends ScriptedGemini {
  /** The alerts that the script names; undefined without `for`. */
  alerts: readonly NamedAlert[] | undefined;
}

/**
 * Starts the server.
 * @param options.script a file (YAML or JSON, described in modelScript.ts) or the script itself.
 * @throws ConfigError `CONFIG_INVALID` for an invalid script, with file, line and expected value.
 */
export async function startScriptedModel(
  options: Pick<ServeOptions, 'port' | 'sleep'> & { script: ModelScript | string },
): Promise<ScriptedModel> {
  const { script, ...serving } = options;
  const { for: alerts, summary, ...conversations } = await loadModelScript(script);
  const findTurn = createFindTurn({ for: alerts, summary });
  const gemini = await serveScript(conversations, { ...serving, findTurn, wireName: toWireName });
  return { ...gemini, alerts };
}
