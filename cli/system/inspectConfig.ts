// Finds the faults of a configuration before a system runs with it: in its files, on this machine and at its servers.

import { askServers, type ServerAnswer } from '../../local/askServers.ts';
import {
  collectedArgumentFaults,
  collectedArgumentRemarks,
  collectedToolFaults,
  commandFaults,
  schemaToolRemarks,
  serverFaults,
  toolFaults,
  type WithheldName,
} from '../../shared/config/checkServers.ts';
import type { Config } from '../../shared/config/config.ts';
import { ConfigError, type Fault, faultLine } from '../../shared/config/configError.ts';
import { loadAccess, loadConfig } from '../../shared/config/load.ts';
import { hintedToolFaults } from '../../shared/config/outsideTools.ts';
import type { RecordedServers } from '../../shared/config/schema.ts';
import { EXTENSION_NAMES } from '../../shared/wiring/extensions.ts';

/** The answers of the servers of a configuration. */
export interface Inspection {
  /** The tools of each server that answered. */
  tools: ReadonlyMap<string, readonly string[]>;
  /** The tools that are not offered, with the reasons. */
  withheld: ReadonlyMap<string, readonly WithheldName[]>;
  /**
   * Lines about tools that an agent is not offered (external tools of an agent with internal ones, and tools in its schema
   * that their server does not have), and about arguments of `collect` that a tool does not describe.
   */
  apart: string[];
  /** Processes that do not start, and tools that servers do not have. */
  faults: Fault[];
  /** Remote servers that do not answer; they can be started later. */
  unreachable: Fault[];
}

/**
 * Reads a configuration and checks that the commands of its servers exist.
 * @param recorded as for `loadConfig`.
 * @throws ConfigError with all faults: of files and names, variables that are not set, and commands that do not exist.
 */
export function readConfig(folder: string, env: NodeJS.ProcessEnv, recorded?: RecordedServers): Config {
  const config = loadConfig(folder, env, EXTENSION_NAMES, recorded);
  loadAccess(folder);
  const faults = commandFaults(folder, config, env);
  if (faults.length > 0) throw new ConfigError(faults);
  return config;
}

/**
 * Connects to each server of a configuration that `readConfig` has accepted, and compares its tools with those that agents name.
 * @throws as `askServers`.
 */
export async function inspectServers(
  folder: string,
  { servers }: Config,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<Inspection> {
  if (Object.keys(servers).length === 0)
    return { tools: new Map(), withheld: new Map(), apart: [], faults: [], unreachable: [] };
  const answers = await askServers(folder, env, signal);
  const tools = new Map(
    answers.flatMap((answer) => ('tools' in answer ? [[answer.server, answer.tools]] : [])),
  );
  const withheld = new Map(
    answers.flatMap((answer) => ('tools' in answer ? [[answer.server, answer.withheld]] : [])),
  );
  const hinted = new Map(
    answers.flatMap((answer) => ('tools' in answer ? [[answer.server, answer.hinted]] : [])),
  );
  const changing = new Map(
    answers.flatMap((answer) => ('tools' in answer ? [[answer.server, answer.changing]] : [])),
  );
  const schemas = new Map(
    answers.flatMap((answer) =>
      'tools' in answer
        ? Object.entries(answer.schemas).map(
            ([tool, schema]) => [`${answer.server}.${tool}`, schema] as const,
          )
        : [],
    ),
  );
  const outside = hintedToolFaults(folder, tools, hinted);
  const isRemote = ({ server }: Pick<ServerAnswer, 'server'>) => servers[server]?.transport === 'http';
  const failures = answers.flatMap((answer) =>
    'message' in answer ? [answer] : (answer.missing ?? []).map((one) => ({ server: answer.server, ...one })),
  );
  return {
    tools,
    withheld,
    apart: [
      ...outside.withheld.map(
        ({ agent, tool }) =>
          `${agent} is not offered ${tool}: its server marks it as an external tool, and the agent has internal tools`,
      ),
      ...schemaToolRemarks(folder, tools, withheld).map(faultLine),
      ...collectedArgumentRemarks(folder, schemas).map(faultLine),
    ],
    faults: [
      ...serverFaults(
        folder,
        failures.filter((failure) => !isRemote(failure)),
      ),
      ...toolFaults(folder, tools, withheld),
      ...collectedToolFaults(folder, changing),
      ...collectedArgumentFaults(folder, schemas),
      ...outside.faults,
    ],
    unreachable: serverFaults(folder, failures.filter(isRemote)),
  };
}
