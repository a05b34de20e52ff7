// Reads a file like agents/NAME.yaml for a command.

import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { AgentText } from '../../../shared/config/agentTypes.ts';
import { parseYaml } from '../../../shared/config/yamlFile.ts';
import { errorMessage } from '../../../shared/errors.ts';
import { asObject } from '../../../shared/text/json.ts';
import { UsageError } from '../../process/usageError.ts';

/** The text of a file and the name of its agent. Default of the name: the name of the file. @throws UsageError */
export function readAgentFile(file: string): AgentText {
  let yaml: string;
  try {
    yaml = readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${errorMessage(error)}`);
  }
  const { name } = asObject(asObject(parseYaml(file, yaml).value).json_schema_extra);
  return { name: typeof name === 'string' ? name : path.basename(file, '.yaml'), yaml, file };
}
