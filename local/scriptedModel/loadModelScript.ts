// Loads and validates a script of the scripted model, and reports each fault with its position and the
// expected value.

import { readFile } from 'node:fs/promises';
import { ConfigError, type Fault } from '../../shared/config/configError.ts';
import { validateFile } from '../../shared/config/validate.ts';
import { parseYaml, type YamlFile } from '../../shared/config/yamlFile.ts';
import { errorMessage } from '../../shared/core/errors.ts';
import { type ModelScript, modelScriptSchema, type ParsedModelScript } from './modelScript.ts';

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
