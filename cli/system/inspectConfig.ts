// Finds a configuration's faults before a system runs: in files, on this machine, at its servers.

import { askServers } from '../../local/askServers.ts';
import {
  collectedArgumentFaults,
  collectedArgumentRemarks,
  collectedToolFaults,
  commandFaults,
  readOnlyFaults,
  schemaToolRemarks,
  serverFaults,
  toolFaults,
  type WithheldName,
} from '../../shared/config/checkServers.ts';
import type { Config } from '../../shared/config/config.ts';
import { ConfigError, faultLine } from '../../shared/config/configError.ts';
import { hintedToolFaults } from '../../shared/config/externalToolFaults.ts';
import { loadAccess, loadConfig } from '../../shared/config/load.ts';
import type { RecordedServers } from '../../shared/config/schema.ts';
import type { Fault } from '../../shared/config/yamlFile.ts';
import { EXTENSION_NAMES } from '../../shared/wiring/extensions.ts';
import { packCalls, type SystemAnswer, systemAnswers } from '../packs/packCalls.ts';

/** The answers of the servers of a configuration. */
export interface Inspection {
  /** The tools of each server that answered. */
  tools: ReadonlyMap<string, readonly string[]>;
  /** The tools that are not offered, with the reasons. */
  withheld: ReadonlyMap<string, readonly WithheldName[]>;
  /**
   * Lines about tools that an agent is not offered (external tools of an agent with internal ones, and tools
   * in its schema that their server does not have), about arguments of `collect` that a tool does not
   * describe, and about entries of `readOnly` that name no tool.
   */
  apart: string[];
  /** The systems behind servers of packs that answered a read-only call. */
  systems: SystemAnswer[];
  /** Tools that servers do not have, also under `readOnly`, and calls that they do not take. */
  faults: Fault[];
  /** Servers, and systems behind them, that do not answer; they can be started later. */
  unreachable: Fault[];
}

/**
 * Reads a configuration and checks that the commands of its servers exist.
 * @param recorded as for `loadConfig`.
 * @throws ConfigError with all faults: of files and names, variables that are not set, and commands that do
 * not exist.
 */
export function readConfig(folder: string, env: NodeJS.ProcessEnv, recorded?: RecordedServers): Config {
  const config = readFiles(folder, env, recorded);
  const faults = commandFaults(folder, config, env);
  if (faults.length > 0) throw new ConfigError(faults);
  return config;
}

/** Reads a configuration whose servers can be elsewhere. @throws ConfigError, as `readConfig`. */
export function readFiles(folder: string, env: NodeJS.ProcessEnv, recorded?: RecordedServers): Config {
  const config = loadConfig(folder, env, EXTENSION_NAMES, recorded);
  loadAccess(folder);
  return config;
}

/**
 * Connects to each server of a configuration that `readConfig` has accepted, and compares its tools with
 * those that agents name. Servers of packs get the read-only call of their pack.
 * @throws as `askServers`.
 */
export async function inspectServers(
  folder: string,
  config: Config,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<Inspection> {
  const { servers } = config;
  if (Object.keys(servers).length === 0)
    return { tools: new Map(), withheld: new Map(), apart: [], systems: [], faults: [], unreachable: [] };
  const names = Object.keys(servers);
  const calls = packCalls(names);
  const probes = names.map((name) => {
    const { tool = '', arguments: args = {} } = calls.get(name) ?? {};
    return [name, tool === '' ? null : { tool, arguments: args }] as const;
  });
  const answers = await askServers(folder, env, signal, Object.fromEntries(probes));
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
  const listed = new Map(
    answers.flatMap((answer) => ('tools' in answer ? [[answer.server, Object.keys(answer.digests)]] : [])),
  );
  const readOnly = readOnlyFaults(folder, config, listed);
  const outside = hintedToolFaults(folder, tools, hinted);
  const systems = systemAnswers(calls, answers, env);
  const silent = systems.flatMap(({ server, system, error }) =>
    error === undefined ? [] : [{ server, message: `${system} does not answer: ${error}` }],
  );
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
      ...readOnly.remarks.map(faultLine),
    ],
    systems: systems.filter(({ error }) => error === undefined),
    faults: [
      ...toolFaults(folder, tools, withheld),
      ...collectedToolFaults(folder, changing),
      ...collectedArgumentFaults(folder, schemas),
      ...readOnly.faults,
      ...outside.faults,
    ],
    unreachable: serverFaults(folder, [...failures, ...silent]),
  };
}
