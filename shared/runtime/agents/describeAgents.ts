// Lists for people the agents of the configuration and the store, each once, in its effective form.

import path from 'node:path';
import type { AgentRequest } from '../../config/agentTypes.ts';
import { agentYaml } from '../../config/agentYaml.ts';
import type { AgentCatalog, AgentSource, SessionConfig } from '../../config/config.ts';
import type { ToolRule } from '../../config/toolRules.ts';
import type { Store } from '../../contract/store.ts';
import { errorMessage } from '../../errors.ts';
import { agentsOf, type PlannedAgent, roleOf } from '../../schema/agent.ts';
import { paths, storedAgentType } from '../../schema/documents.ts';
import type { StoredAgent } from '../../schema/features/storedAgent.ts';
import type { Unreadable } from '../../schema/readable.ts';
import { getReadable } from '../views/readable.ts';
import { listStoredAgents } from './editAgents.ts';

/** An agent in a list. */
interface AgentRow {
  /** The agent's name in the configuration. */
  name: string;
  /** `store`, or the file. */
  from: string;
  /** Name of its strategy; empty with `fault`. */
  strategy: string;
  /** The provider's id of its model; empty with `fault`. */
  model: string;
  /** Whether its answer is structured by default. */
  structured: boolean;
  /** Its own description; empty if it has none. */
  description: string;
  /** Why a stored agent cannot be used, so that the agent of the files is used instead; null if it can. */
  fault: string | null;
}

/** The row of an agent in its effective form, from the store or the files. */
function agentRow(name: string, catalog: AgentCatalog, stored: StoredAgent | undefined): AgentRow {
  const source = catalog.sourceOf(name);
  const from = stored === undefined ? ((source && shortName(source)) ?? '') : 'store';
  const row = { name, from, strategy: '', model: '', structured: false, description: '', fault: null };
  try {
    const { strategy, model, outputSchema, description = '' } = planOf(name, catalog, stored);
    return { ...row, strategy, model: model.model, structured: outputSchema !== undefined, description };
  } catch (error) {
    return { ...row, fault: errorMessage(error) };
  }
}

function planOf(
  name: string,
  catalog: AgentCatalog,
  stored: StoredAgent | undefined,
  request: AgentRequest = {},
): PlannedAgent {
  return catalog.plan(name, request, stored?.yaml == null ? undefined : { name, yaml: stored.yaml });
}

/** An agent with its uses and, if it is stored, its last author. */
export interface ListedAgent extends AgentRow {
  /** The chains that use it for a stage, a synthesis or questions. */
  chains: string[];
  /** Version and author of the stored text; null for an agent of the files. */
  stored: Pick<StoredAgent, 'version' | 'updatedBy' | 'updatedAt'> | null;
}

/** An agent with its whole configuration. */
export interface DescribedAgent extends ListedAgent {
  /** Its text, in the notation of agents/NAME.yaml. */
  yaml: string;
  /** Null for an agent that cannot be used. */
  agent: PlannedAgent | null;
  /** The rules of servers.yaml for its tools; empty for an agent that cannot be used. */
  tools: ToolRule[];
}

/** The sources of agents. */
interface Agents {
  /** The agents of the files, and the resolver of stored ones. */
  catalog: AgentCatalog;
  /** All chains by name, to find the uses of an agent. */
  chains: SessionConfig['chains'];
}

/**
 * All agents by name. An unreadable agent of the store has a fault, and the agent of the files is used.
 * @throws RetryableError when the store fails.
 */
export async function listAgents({ catalog, chains }: Agents, store: Store): Promise<ListedAgent[]> {
  const faults = new Map<string, Unreadable>();
  const agents = await listStoredAgents(store, (one) => faults.set(path.basename(one.path), one));
  const stored = new Map(agents.map((agent) => [agent.name, agent]));
  const names = [...new Set([...catalog.names, ...stored.keys(), ...faults.keys()])].sort();
  return names.map((name) =>
    withFault(listedAgent(name, { catalog, chains }, stored.get(name)), faults.get(name)),
  );
}

/**
 * The agents that can use each tool server, by its name. A stored agent that cannot be used counts as that of the files.
 * @throws RetryableError when the store fails.
 */
export async function listServerUsers(catalog: AgentCatalog, store: Store): Promise<Map<string, string[]>> {
  const stored = new Map((await listStoredAgents(store)).map((agent) => [agent.name, agent]));
  const users = new Map<string, string[]>();
  for (const name of [...new Set([...catalog.names, ...stored.keys()])].sort()) {
    const rules = catalog.toolRules(toolsOf(name, catalog, stored.get(name)));
    for (const server of new Set(rules.flatMap(({ server }) => server ?? [])))
      users.set(server, [...(users.get(server) ?? []), name]);
  }
  return users;
}

/** The tools of an agent in its effective form; none for one that cannot be used. */
function toolsOf(name: string, catalog: AgentCatalog, stored: StoredAgent | undefined): string[] {
  try {
    return planOf(name, catalog, stored).tools;
  } catch {
    return stored === undefined ? [] : toolsOf(name, catalog, undefined);
  }
}

/**
 * One agent; undefined when there is none of this name.
 * @param request overrides of its configuration. Default: none.
 * @throws RetryableError when the store fails.
 */
export async function describeAgent(
  name: string,
  agents: Agents,
  store: Store,
  request: AgentRequest = {},
): Promise<DescribedAgent | undefined> {
  const { catalog } = agents;
  const { value: found, unreadable } = await getReadable(paths.agent(name), storedAgentType, store);
  const stored = found?.yaml == null ? undefined : found;
  const source = catalog.sourceOf(name);
  if (stored === undefined && source === undefined && unreadable === undefined) return undefined;
  const row = withFault(listedAgent(name, agents, stored), unreadable);
  const agent = row.fault === null ? planOf(name, catalog, stored, request) : null;
  return {
    ...row,
    yaml: stored?.yaml ?? (source && agentYaml(name, source)) ?? '',
    agent,
    tools: catalog.toolRules(agent?.tools ?? []),
  };
}

/** Adds to a row the fault that the document of the store cannot be read. */
function withFault(row: ListedAgent, unreadable: Unreadable | undefined): ListedAgent {
  return unreadable === undefined ? row : { ...row, from: 'store', fault: unreadable.message };
}

function listedAgent(
  name: string,
  { catalog, chains }: Agents,
  stored: StoredAgent | undefined,
): ListedAgent {
  return {
    ...agentRow(name, catalog, stored),
    chains: Object.values(chains)
      .filter((chain) => agentsOf(chain).some((agent) => roleOf(agent) === name))
      .map((chain) => chain.name),
    stored: stored === undefined ? null : writtenBy(stored),
  };
}

function writtenBy({ version, updatedBy, updatedAt }: StoredAgent): NonNullable<ListedAgent['stored']> {
  return { version, updatedBy, updatedAt };
}

/** The file relative to the folder of the configuration; the location of that folder is irrelevant. */
function shortName({ yaml, isSchema }: AgentSource): string {
  const base = path.basename(yaml.file);
  return isSchema ? `agents/${base}` : base;
}
