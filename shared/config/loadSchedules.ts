// Loads only schedules.yaml, for the sweep, which needs nothing else of the configuration.

import { ConfigError, type Fault } from './configError.ts';
import { readOneFile } from './readFolder.ts';
import { type Schedules, schedulesFileSchema } from './schedulesFile.ts';
import { validateFile } from './validate.ts';

/**
 * The schedules of a folder; none where the file or folder is missing. The names of chains are not checked.
 * @throws ConfigError with every fault of the file.
 */
export function loadSchedules(folder: string): Schedules {
  const faults: Fault[] = [];
  const yaml = readOneFile(folder, 'schedules.yaml', faults);
  const file = yaml && validateFile(yaml, schedulesFileSchema(undefined), faults);
  if (faults.length > 0) throw new ConfigError(faults);
  return file?.schedules ?? {};
}
