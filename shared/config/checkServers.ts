// Checks that need more than the files: whether the commands of servers exist, and which tools servers have.

import { accessSync, constants, statSync } from 'node:fs';
import path from 'node:path';
import type { StdioServerConfig } from '../contract/mcpServer.ts';
import { asObject } from '../text/json.ts';
import { matchesAny } from '../text/pattern.ts';
import { checkArguments } from '../text/schema/checkArguments.ts';
import { closestTo, describeExpected } from '../text/suggest.ts';
import type { Config } from './config.ts';
import { quoteName } from './configError.ts';
import { ANY_REFERENCE, agentFault, NO_AGENTS, readAgents } from './readAgents.ts';
import { readChains } from './readChains.ts';
import { readFolder } from './readFolder.ts';
import { type Fault, faultAt, type YamlFile, type YamlPath } from './yamlFile.ts';

/** A server that could not be asked for its tools, and why. */
interface ServerFailure {
  /** Name in servers.yaml. */
  server: string;
  /** The instance of the server. Absent: the server itself, or all of its instances. */
  instance?: string;
  /** The cause, without secrets. */
  message: string;
}

/**
 * A fault for each stdio server whose command or working directory is not on this machine.
 * @param folder of a configuration that `loadConfig` has accepted, as for the functions below.
 * @param env where PATH is taken from, unless the server sets its own.
 */
export function commandFaults(
  folder: string,
  { servers }: Pick<Config, 'servers'>,
  env: NodeJS.ProcessEnv,
): Fault[] {
  const file = readFolder(folder, []).servers;
  const own = Object.entries(servers).flatMap(([name, server]) => [
    ...(server.instances === undefined ? [{ path: ['servers', name], server }] : []),
    ...Object.entries(server.instances?.list ?? {}).map(([instance, one]) => ({
      path: ['servers', name, 'instances', 'list', instance],
      server: one,
    })),
  ]);
  return own.flatMap(({ path, server }) => {
    if (server.transport !== 'stdio') return [];
    const { command, cwd = '.' } = server;
    if (!isFolder(cwd)) return [faultAt(file, [...path, 'cwd'], `${cwd} is not a folder`)];
    if (isCommand(server, env)) return [];
    const message = command.includes('/')
      ? `"${command}" is not an executable file; relative paths start at ${cwd}`
      : `the command "${command}" is not on PATH; install it, or give its whole path`;
    return [faultAt(file, [...path, 'command'], message)];
  });
}

/** A tool that a server has and does not offer, without the server's name, and why. */
export interface WithheldName {
  /** Name of the tool, without the server's. */
  tool: string;
  /** Includes the remedy in the configuration. */
  reason: string;
}

/**
 * A fault for each tool that an agent of agents.yaml, a chain or a stage names and its server does not offer.
 * Servers that `offered` lacks are not checked.
 * @param withheld tools that servers have and do not offer.
 */
export function toolFaults(
  folder: string,
  offered: ReadonlyMap<string, readonly string[]>,
  withheld: ReadonlyMap<string, readonly WithheldName[]>,
): Fault[] {
  const lists = toolLists(folder).filter(({ isOfSchema }) => !isOfSchema);
  return missingTools(lists, offered, withheld);
}

/** A remark for each tool in a schema that its server does not offer. As `toolFaults`. */
export function schemaToolRemarks(
  folder: string,
  offered: ReadonlyMap<string, readonly string[]>,
  withheld: ReadonlyMap<string, readonly WithheldName[]>,
): Fault[] {
  const lists = toolLists(folder).filter(({ isOfSchema }) => isOfSchema);
  return missingTools(lists, offered, withheld);
}

function missingTools(
  lists: readonly ToolList[],
  offered: ReadonlyMap<string, readonly string[]>,
  withheld: ReadonlyMap<string, readonly WithheldName[]>,
): Fault[] {
  return lists.flatMap(({ faultOf, tools }) =>
    tools.flatMap((name, index) => {
      const message = missingToolText(name, offered, withheld);
      return message === undefined ? [] : [faultOf(index, message)];
    }),
  );
}

/**
 * Why an agent lacks a tool that it names, `kubernetes.get_logs`; undefined if it has it. As `toolFaults`.
 */
export function missingToolText(
  name: string,
  offered: ReadonlyMap<string, readonly string[]>,
  withheld: ReadonlyMap<string, readonly WithheldName[]>,
): string | undefined {
  const [server = '', ...rest] = name.split('.');
  const tool = rest.join('.');
  const known = offered.get(server);
  if (known === undefined || tool === '' || known.includes(tool)) return undefined;
  const held = withheld.get(server)?.find((one) => one.tool === tool);
  if (held !== undefined) return `the server "${server}" does not offer "${tool}": ${held.reason}`;
  const closest = closestTo(tool, known);
  const hint = closest === undefined ? '' : `; did you mean "${server}.${closest}"?`;
  return `the server "${server}" has no tool "${tool}"; it has ${known.join(', ') || 'none'}${hint}`;
}

/**
 * For each entry under `readOnly` and `scope.tools` that names no tool of its server: a fault where a tool
 * that the list lacks has nearly the name, else a remark, because servers leave out tools that the account
 * cannot use.
 * @param listed all tools of the servers that answered, offered or not.
 */
export function readOnlyFaults(
  folder: string,
  { servers }: Pick<Config, 'servers'>,
  listed: ReadonlyMap<string, readonly string[]>,
): { faults: Fault[]; remarks: Fault[] } {
  const file = readFolder(folder, []).servers;
  const found = [...listed].flatMap(([server, tools]) => {
    const { readOnly = [], scope } = servers[server] ?? {};
    const others = tools.filter((tool) => !matchesAny(tool, readOnly));
    const patterns = [
      ...readOnly.map((pattern, index) => ({ pattern, path: ['readOnly', index] })),
      ...Object.keys(scope?.tools ?? {}).map((pattern) => ({ pattern, path: ['scope', 'tools', pattern] })),
    ];
    return patterns.flatMap(({ pattern, path }) => {
      if (tools.some((tool) => matchesAny(tool, [pattern]))) return [];
      const closest = closestTo(pattern, others);
      const hint = closest === undefined ? '' : `; did you mean "${closest}"?`;
      const message = `the server "${server}" has no tool ${quoteName(pattern)}${hint}`;
      return [{ closest, fault: faultAt(file, ['servers', server, ...path], message) }];
    });
  });
  const { faults = [], remarks = [] } = Object.groupBy(found, ({ closest }) =>
    closest === undefined ? 'remarks' : 'faults',
  );
  return { faults: faults.map(({ fault }) => fault), remarks: remarks.map(({ fault }) => fault) };
}

/**
 * A fault for each tool in `collect` that can change something: its server's hints are trusted, and do not
 * mark it as read-only.
 * @param changing tools that servers offer and that can change something.
 */
export function collectedToolFaults(
  folder: string,
  changing: ReadonlyMap<string, readonly string[]>,
): Fault[] {
  const { chains } = readAllChains(folder);
  return Object.entries(chains?.chains ?? {}).flatMap(([chain, { stages }]) =>
    stages.flatMap(({ collect = [] }, stage) =>
      collect.flatMap(({ tool }, index) => {
        const [server = '', ...rest] = tool.split('.');
        if (chains === undefined || changing.get(server)?.includes(rest.join('.')) !== true) return [];
        const message = `"${tool}" may change something, and only read-only tools are called before agents start; list it under readOnly of "${server}" in servers.yaml if it only reads, or remove this call`;
        const path = ['chains', chain, 'stages', stage, 'collect', index, 'tool'];
        return [faultAt(chains.fileOf(chain), path, message)];
      }),
    ),
  );
}

/**
 * A fault for each call that a stage collects with and whose arguments the tool does not take. Labels count
 * as text.
 * @param schemas of the arguments, by `server.tool`. Tools that it lacks are not checked.
 */
export function collectedArgumentFaults(folder: string, schemas: ReadonlyMap<string, unknown>): Fault[] {
  return collectedCalls(folder, schemas).flatMap(({ tool, args, file, path, schema }) => {
    const message = checkArguments(schema, args);
    if (message === undefined) return [];
    const place = Object.keys(args).length > 0 ? [...path, 'arguments'] : [...path, 'tool'];
    return [faultAt(file, place, `${tool} does not take these arguments: ${message}`)];
  });
}

/** A remark for each argument that the schema neither lists nor refuses. As `collectedArgumentFaults`. */
export function collectedArgumentRemarks(folder: string, schemas: ReadonlyMap<string, unknown>): Fault[] {
  return collectedCalls(folder, schemas).flatMap(({ tool, args, file, path, schema }) => {
    const { properties, additionalProperties } = asObject(schema);
    const known = Object.keys(asObject(properties));
    if (additionalProperties !== undefined || known.length === 0) return [];
    const unknown = Object.keys(args).filter((name) => !known.includes(name));
    return unknown.map((name) => {
      const message = `${tool} does not describe this argument, and can ignore it; ${describeExpected(name, known)}`;
      return faultAt(file, [...path, 'arguments', name], message, 'key');
    });
  });
}

/** The calls of `collect` whose tools have a schema, with their places. */
function collectedCalls(folder: string, schemas: ReadonlyMap<string, unknown>) {
  const { chains } = readAllChains(folder);
  return Object.entries(chains?.chains ?? {}).flatMap(([chain, { stages }]) =>
    stages.flatMap(({ collect = [] }, stage) =>
      collect.flatMap(({ tool, arguments: args = {} }, index) => {
        if (chains === undefined || !schemas.has(tool)) return [];
        const path: YamlPath = ['chains', chain, 'stages', stage, 'collect', index];
        return [{ tool, args, file: chains.fileOf(chain), path, schema: schemas.get(tool) }];
      }),
    ),
  );
}

function readAllChains(folder: string) {
  const files = readFolder(folder, []);
  const anything = {
    agents: undefined,
    models: undefined,
    servers: undefined,
    ownSources: [],
    destinations: undefined,
  };
  return { files, chains: readChains(files, undefined, anything, []) };
}

interface ToolList {
  /** Whether it is the list of an agent that is written as a schema. */
  isOfSchema: boolean;
  /** `server.tool`, names of servers, or built-in tools, in the order of the file. */
  tools: string[];
  /** The fault at the entry of `tools` with this index. */
  faultOf: (index: number, message: string) => Fault;
}

/** The lists of tools of a configuration, with their places: of agents, chains, stages and `collect`. */
function toolLists(folder: string): ToolList[] {
  const { files, chains } = readAllChains(folder);
  const agents = readAgents(files, ANY_REFERENCE, []) ?? NO_AGENTS;
  /** `key`: of a tool in an entry of the list, where an entry is more than its name. */
  const listAt = (file: YamlFile, path: YamlPath, tools: string[], ...key: string[]): ToolList => ({
    isOfSchema: false,
    tools,
    faultOf: (index, message) => faultAt(file, [...path, index, ...key], message),
  });
  return [
    ...Object.entries(agents.agents).map(([agent, { tools, schema }]) => ({
      isOfSchema: schema !== undefined,
      tools,
      faultOf: (index: number, message: string) => agentFault(agents, agent, ['tools', index], message),
    })),
    ...Object.entries(chains?.chains ?? {}).flatMap(([chain, { tools: ofChain = [], stages }]) => {
      const file = chains?.fileOf(chain) ?? files.chains;
      const ofStages = stages.flatMap(({ tools = [], collect = [] }, index) => {
        const path = ['chains', chain, 'stages', index];
        const collected = collect.map(({ tool }) => tool);
        return [
          listAt(file, [...path, 'tools'], tools),
          listAt(file, [...path, 'collect'], collected, 'tool'),
        ];
      });
      return [listAt(file, ['chains', chain, 'tools'], ofChain), ...ofStages];
    }),
  ];
}

/** The path of each remote server, `servers.NAME`, whose address is the default of an unset variable. */
export function defaultServerPaths(folder: string, env: NodeJS.ProcessEnv): string[] {
  const { servers } = asObject(readFolder(folder, []).servers.value);
  return Object.entries(asObject(servers)).flatMap(([name, server]) => {
    const { url } = asObject(server);
    const [, variable] = typeof url === 'string' ? (/\$\{(\w+):-/.exec(url) ?? []) : [];
    return variable === undefined || env[variable] ? [] : [`servers.${name}`];
  });
}

/** A fault for each server that could not be asked. */
export function serverFaults(folder: string, failures: readonly ServerFailure[]): Fault[] {
  const file = readFolder(folder, []).servers;
  return failures.map(({ server, instance, message }) => {
    const path = instance === undefined ? [server] : [server, 'instances', 'list', instance];
    return faultAt(file, ['servers', ...path], message, 'key');
  });
}

function isCommand({ command, cwd = '.', env: own }: StdioServerConfig, env: NodeJS.ProcessEnv): boolean {
  if (command.includes('/')) return isExecutable(path.resolve(cwd, command));
  // Servers run on the Node of this process then.
  if (command === 'node' && own.PATH === undefined) return true;
  const folders = (own.PATH ?? env.PATH ?? '').split(path.delimiter);
  return folders.some((folder) => isExecutable(path.resolve(cwd, folder, command)));
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

function isFolder(folder: string): boolean {
  return statSync(folder, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
