// Loads only schedules.yaml, for the sweep, which needs nothing else of the configuration.

import { bySchema, loadOneFile } from './loadOneFile.ts';
import { type Schedules, schedulesFileSchema } from './schedulesFile.ts';

/**
 * The schedules of a folder; none where the file or folder is missing. The names of chains are not checked.
 * @throws ConfigError with every fault of the file.
 */
export function loadSchedules(folder: string): Schedules {
  const read = bySchema(() => schedulesFileSchema(undefined));
  return loadOneFile(folder, { name: 'schedules.yaml', absent: { schedules: {}, afterChanges: {} }, read })
    .schedules;
}
