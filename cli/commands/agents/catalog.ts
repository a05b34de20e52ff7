// What the commands for agents work with: the configuration, and the store where one is named.

import type { AgentCatalog } from '../../../shared/config/config.ts';
import { loadSessionConfig } from '../../../shared/config/load.ts';
import { configFolderOf } from '../../../shared/environment.ts';
import { listStoredAgents } from '../../../shared/runtime/agents/editAgents.ts';
import type { StoredAgent } from '../../../shared/schema/storedAgent.ts';
import { emulatorOf } from '../../../shared/store/emulator.ts';
import { type Cloud, openCloud } from '../../../shared/wiring/openCloud.ts';
import { OWN_SOURCE_NAMES } from '../../../shared/wiring/ownSources.ts';
import type { ApiOptions } from '../../api/apiClient.ts';
import { checkDatabaseIsNamed } from '../../options/project.ts';
import { reportUnreadable } from '../../print/reportUnreadable.ts';

const STORE_TIMEOUT_MS = 10_000;

/** Option of all commands for agents. */
export interface FolderOption extends ApiOptions {
  config?: string;
}

/** The agents of a configuration. @throws ConfigError with all faults of the configuration. */
export function readCatalog({ config }: FolderOption): AgentCatalog {
  const { agents } = loadSessionConfig(config ?? configFolderOf(process.env), OWN_SOURCE_NAMES);
  if (agents === undefined) throw new Error('a loaded configuration has its agents');
  return agents;
}

/** Runs `work` with the database that the environment names, and closes it. @throws UsageError when it names none. */
export async function withDatabase<T>(work: (cloud: Cloud) => Promise<T>): Promise<T> {
  checkDatabaseIsNamed(process.env);
  const cloud = openCloud(process.env, { storeTimeoutMs: STORE_TIMEOUT_MS });
  try {
    return await work(cloud);
  } finally {
    await cloud.close();
  }
}

/** The agents of the store, by name; none where the environment names no database. */
export async function readStored(): Promise<Map<string, StoredAgent>> {
  if (!emulatorOf('firestore', process.env) && !process.env.GOOGLE_CLOUD_PROJECT) return new Map();
  return withDatabase(async ({ store }) => {
    const stored = await listStoredAgents(store, reportUnreadable);
    return new Map(stored.map((agent) => [agent.name, agent]));
  });
}

export const write = (text: string): void => void process.stdout.write(`${text}\n`);
export const report = (line: string): void => void process.stderr.write(`${line}\n`);
