// `agents validate`, and the files of agents.

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { missingToolText } from '../../../shared/config/checkServers.ts';
import { ConfigError } from '../../../shared/config/configError.ts';
import { loadSessionConfig } from '../../../shared/config/load.ts';
import { parseYaml } from '../../../shared/config/yamlFile.ts';
import type { AgentText } from '../../../shared/contract/agentText.ts';
import { errorMessage } from '../../../shared/core/errors.ts';
import { readConfigFolder } from '../../../shared/environment.ts';
import { asObject } from '../../../shared/text/json.ts';
import { EXTENSION_NAMES } from '../../../shared/wiring/extensions.ts';
import type { ApiOptions } from '../../options/commandOptions.ts';
import { report, write } from '../../process/output.ts';
import { UsageError } from '../../process/usageError.ts';
import { type Inspection, inspectServers, readConfig } from '../../system/inspectConfig.ts';

/** Options of all commands for agents. */
export interface FolderOption extends ApiOptions {
  config?: string;
}

/** Prints a line per agent of the files or configuration. @throws ConfigError with all faults. */
export async function validateAgents(files: string[], { config }: FolderOption): Promise<void> {
  const folder = config ?? readConfigFolder(process.env);
  const { agents } = loadSessionConfig(folder, EXTENSION_NAMES);
  if (agents === undefined) throw new Error('a loaded configuration has its agents');
  if (files.length === 0) {
    const { apart } = await inspectFolder(folder);
    for (const remark of new Set([...agents.remarks, ...apart])) write(`note: ${remark}`);
    return write(`${agents.names.length} agents can be used: ${agents.names.join(', ')}`);
  }
  const { tools: offered, withheld } = await inspectFolder(folder);
  const faults = files.map(readAgentFile).flatMap((text) => {
    try {
      const { remarks, tools } = agents.check(text);
      const missing = tools.flatMap((name) => missingToolText(name, offered, withheld) ?? []);
      for (const remark of [...remarks, ...missing.map((one) => `${text.file}: ${one}`)])
        write(`note: ${remark}`);
      write(`${text.file}: the agent ${text.name} can be used`);
      return [];
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      return error.faults;
    }
  });
  if (faults.length > 0) throw new ConfigError(faults);
}

/** The tools of a configuration's servers; none where it is unusable here, with a line. */
async function inspectFolder(folder: string): Promise<Pick<Inspection, 'tools' | 'withheld' | 'apart'>> {
  try {
    return await inspectServers(
      folder,
      readConfig(folder, process.env),
      process.env,
      new AbortController().signal,
    );
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    report(`the servers were not asked for their tools: ${error.message}`);
    return { tools: new Map(), withheld: new Map(), apart: [] };
  }
}

/** The text of a file and its agent's name, by default the file's. @throws UsageError */
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
