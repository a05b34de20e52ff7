// `agents validate`: whether agents can be used, and what of them has no effect.

import { ConfigError } from '../../../shared/config/configError.ts';
import { readAgentFile } from './agentFile.ts';
import { type FolderOption, readCatalog, write } from './catalog.ts';

/** Prints a line for each agent. @throws ConfigError with the faults of all files. */
export async function validateAgents(files: string[], folder: FolderOption): Promise<void> {
  const catalog = readCatalog(folder);
  if (files.length === 0) {
    for (const remark of catalog.remarks) write(`note: ${remark}`);
    return write(`${catalog.names.length} agents can be used: ${catalog.names.join(', ')}`);
  }
  const faults = files.map(readAgentFile).flatMap((text) => {
    try {
      const { remarks } = catalog.check(text);
      for (const remark of remarks) write(`note: ${remark}`);
      write(`${text.file}: the agent ${text.name} can be used`);
      return [];
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      return error.faults;
    }
  });
  if (faults.length > 0) throw new ConfigError(faults);
}
