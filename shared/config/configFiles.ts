// The list of the files of a configuration besides those of agents, which `agentFiles.ts` checks together.

import { catchUpFile } from './catchUpFile.ts';
import { destinationsFile } from './destinations.ts';
import { lookupsFile } from './enrichTables.ts';
import { resourcesFile } from './resources.ts';
import { schedulesFile } from './schedulesFile.ts';
import { telemetryFile } from './telemetry.ts';
import { triageFile } from './triageFile.ts';
import { webhooksFile } from './webhooks.ts';

/** The files of alerts, messages and checks. */
export const SESSION_FILES = [
  resourcesFile,
  triageFile,
  destinationsFile,
  lookupsFile,
  schedulesFile,
  webhooksFile,
] as const;

/** Files that single commands or services use. They are checked when all others are valid. */
export const OTHER_FILES = [catchUpFile, telemetryFile] as const;
