// The scripted model: a scripted Gemini for investigations. It is used instead of the API in tests, and when
// no API key is set.

import { readFile } from 'node:fs/promises';
import {
  type FindTurn,
  findConversation,
  findTurn,
  joinText,
  type ScriptedGemini,
  type ServeOptions,
  serveScript,
  type Turn,
} from '../../packages/scripted-gemini/src/index.ts';
import { ConfigError } from '../../shared/config/configError.ts';
import { validateFile } from '../../shared/config/validate.ts';
import { type Fault, parseYaml, type YamlFile } from '../../shared/config/yamlFile.ts';
import { scriptedVersion } from '../../shared/core/contract/scriptedModel.ts';
import { errorMessage } from '../../shared/core/errors.ts';
import { toWireName } from '../../shared/llm/wireNames.ts';
import { CLAIMS_ROLE } from '../../shared/wording/claims.ts';
import { SUMMARY_ROLE } from '../../shared/wording/executiveSummary.ts';
import type { ModelScript, NamedAlert, ParsedModelScript } from './modelScript.ts';
import { modelScriptSchema } from './modelScript.ts';
import { isAbout } from './namedAlert.ts';
import { noModelTurn } from './noModel.ts';

/** Unindented lines of the ledger's frame are hypotheses. Text of others opens no frame. */
const LEDGER_FRAME = /<data-([0-9a-f]{12}) source="ledger">\n([\s\S]*?)\n<\/data-\1>/;

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

/**
 * Finds turns for a script. A request about an alert that the script does not name gets the answer that no
 * model is connected.
 */
function createFindTurn({ for: alerts, summary }: Pick<ParsedModelScript, 'for' | 'summary'>): FindTurn {
  return (script, model, request) => {
    const isNamed = alerts?.some((alert) => isAbout(request, alert)) === true;
    const modelVersion = scriptedVersion(model, isNamed);
    const answer = (turn: Turn, conversation: string) => ({ turn, conversation, number: 1, modelVersion });
    if (alerts !== undefined && !isNamed) return answer(noModelTurn(request), 'no model');
    const system = joinText(request.systemInstruction);
    if (system.includes(SUMMARY_ROLE)) return answer(summary, 'summary');
    const conversation = findConversation(script, model, request);
    // A script without an own answer about claims concludes the hypotheses that its agents marked as the
    // cause.
    if (system.includes(CLAIMS_ROLE) && conversation?.when?.system === undefined)
      return answer(claimsTurn(joinText(request.contents?.[0])), 'claims');
    const found = findTurn(script, model, request);
    return 'error' in found ? found : { ...found, modelVersion };
  };
}

function claimsTurn(prompt: string): Turn {
  const lines = LEDGER_FRAME.exec(prompt)?.[2]?.split('\n') ?? [];
  const cause = lines.flatMap((line) => /^(\S+) .*\(cause\)/.exec(line)?.slice(1, 2) ?? []);
  return { text: JSON.stringify({ conclusion: cause.length > 0 ? 'cause' : 'unknown', cause }) };
}

/**
 * A checked script from a YAML or JSON file, or from an object.
 * @throws ConfigError `CONFIG_INVALID` with every fault: `file:line:column field: expected value`.
 */
export async function loadModelScript(script: ModelScript | string): Promise<ParsedModelScript> {
  if (typeof script === 'string') return validateScript(parseYaml(script, await readScriptFile(script)));
  return validateScript({
    file: 'script',
    value: script,
    text: '',
    faults: [],
    cuts: [],
    position: () => ({ line: 1, column: 1 }),
  });
}

function validateScript(yaml: YamlFile): ParsedModelScript {
  const faults: Fault[] = [...yaml.faults];
  const script = validateFile(yaml, modelScriptSchema, faults);
  if (script === undefined || faults.length > 0) throw new ConfigError(faults);
  return script;
}

async function readScriptFile(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const message = `cannot be read: ${errorMessage(error)}`;
    throw new ConfigError([{ file, position: null, path: '', message }]);
  }
}
