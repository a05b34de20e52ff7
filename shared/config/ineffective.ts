// Faults of a configuration that loads but has parts without effect. Only checks of a configuration report them, so a
// deployed configuration still starts.

import { asObject } from '../text/json.ts';
import { unknownKeys } from './agentEntry.ts';
import type { Fault } from './configError.ts';
import { labelFaults } from './labelNames.ts';
import { type ConfigFiles, readFolder, readOneFile } from './readFolder.ts';
import { strayFiles } from './strayFiles.ts';
import { faultAt, type YamlFile } from './yamlFile.ts';

/**
 * A fault for each file that is not read, text that a comma cuts, and label that no alert has. Includes configurations that fail to load, as far as their files can be read.
 * @throws ConfigError when there is no such folder.
 */
export function ineffectiveFaults(folder: string): Fault[] {
  const read = readFolder(folder, []);
  const files = yamlFiles(read);
  const access = readOneFile(folder, 'access.yaml', []);
  return [
    ...strayFiles(folder),
    ...[...files, ...(access ? [access] : [])].flatMap(({ cuts }) => cuts),
    ...[read.chains, ...read.moreChains, read.triage, read.servers].flatMap(labelFaults),
  ];
}

/** A remark for each key of a schema of agents/ that looks like a known one, also where the configuration has faults. */
export function keyRemarks(folder: string): Fault[] {
  return readFolder(folder, []).moreAgents.flatMap((file) =>
    unknownKeys(asObject(asObject(file.value).json_schema_extra)).map(({ path, message, what }) =>
      faultAt(file, path, message, what),
    ),
  );
}

function yamlFiles({ moreChains, moreAgents, runbooks: _, skills, ...files }: ConfigFiles): YamlFile[] {
  return [
    ...Object.values(files),
    ...moreChains,
    ...moreAgents,
    ...[...skills.values()].map(({ yaml }) => yaml),
  ];
}
