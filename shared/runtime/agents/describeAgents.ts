// The agents of a configuration and of the store, each once and as it counts, for people.

import path from 'node:path';
import type { AgentRequest } from '../../config/agentTypes.ts';
import { agentYaml } from '../../config/agentYaml.ts';
import type { AgentCatalog, AgentSource, SessionConfig } from '../../config/config.ts';
import type { ToolRule } from '../../config/toolRules.ts';
import type { Store } from '../../contract/store.ts';
import { errorMessage } from '../../errors.ts';
import { agentsOf, type PlannedAgent, roleOf } from '../../schema/agent.ts';
import { paths, storedAgentType } from '../../schema/documents.ts';
import type { Unreadable } from '../../schema/readable.ts';
import type { StoredAgent } from '../../schema/storedAgent.ts';
import { getReadable } from '../views/readable.ts';
import { listStoredAgents } from './editAgents.ts';

/** An agent as it is listed. */
interface AgentRow {
  name: string;
  /** `store`, or the file. */
  from: string;
  strategy: string;
  model: string;
  structured: boolean;
  description: string;
  /** Why a stored agent cannot be used, so that the one of the files counts; null for one that can. */
  fault: string | null;
}

/** An agent of the store or the files, as it counts. */
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

/** An agent with where it is used, and who wrote it last if it is stored. */
export interface ListedAgent extends AgentRow {
  /** The chains whose stages, syntheses or questions it works for. */
  chains: string[];
  stored: Pick<StoredAgent, 'version' | 'updatedBy' | 'updatedAt'> | null;
}

/** An agent with all that is configured of it. */
export interface DescribedAgent extends ListedAgent {
  /** Its text, in the notation of agents/NAME.yaml. */
  yaml: string;
  /** Null for one that cannot be used. */
  agent: PlannedAgent | null;
  tools: ToolRule[];
}

/** What agents are read from. */
interface Agents {
  catalog: AgentCatalog;
  chains: SessionConfig['chains'];
}

/**
 * All agents by name. One of the store that cannot be read has the fault, and the agent of the files counts.
 * @throws RetryableError when the store fails.
 */
export async function listAgents({ catalog, chains }: Agents, store: Store): Promise<ListedAgent[]> {
  const faults = new Map<string, Unreadable>();
  const agents = await listStoredAgents(store, (one) => faults.set(path.basename(one.path), one));
  const stored = new Map(agents.map((agent) => [agent.name, agent]));
  const names = [...new Set([...catalog.names, ...stored.keys(), ...faults.keys()])].sort();
  return names.map((name) =>
    withFault(listed(name, { catalog, chains }, stored.get(name)), faults.get(name)),
  );
}

/**
 * One agent; undefined when there is none of the name.
 * @param request what is requested of it beside its configuration. Default: nothing.
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
  const row = withFault(listed(name, agents, stored), unreadable);
  const agent = row.fault === null ? planOf(name, catalog, stored, request) : null;
  return {
    ...row,
    yaml: stored?.yaml ?? (source && agentYaml(name, source)) ?? '',
    agent,
    tools: catalog.toolRules(agent?.tools ?? []),
  };
}

/** A row that has as its fault that the document of the store cannot be read. */
function withFault(row: ListedAgent, unreadable: Unreadable | undefined): ListedAgent {
  return unreadable === undefined ? row : { ...row, from: 'store', fault: unreadable.message };
}

function listed(name: string, { catalog, chains }: Agents, stored: StoredAgent | undefined): ListedAgent {
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

/** The file as the configuration's folder has it: where that is on this machine says nothing. */
function shortName({ yaml, isSchema }: AgentSource): string {
  const base = path.basename(yaml.file);
  return isSchema ? `agents/${base}` : base;
}
