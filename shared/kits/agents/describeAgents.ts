// Lists for people the agents of the configuration and the store, each once, in its effective form.

import path from 'node:path';
import * as z from 'zod';
import { agentYaml } from '../../config/agentYaml.ts';
import type { AgentCatalog, AgentSource, SessionConfig } from '../../config/config.ts';
import { toolRuleSchema } from '../../config/toolRules.ts';
import type { AgentRequest } from '../../contract/agentText.ts';
import type { Store } from '../../core/contract/store.ts';
import { errorMessage } from '../../core/errors.ts';
import { agentRole, listChainAgents, type PlannedAgent } from '../../core/schema/agent.ts';
import { type ReadDocument, readableType } from '../../core/schema/readable.ts';
import { getReadable } from '../views/readable.ts';
import { cutPage, idsAfter } from '../views/readPage.ts';
import { listStoredAgents } from './editAgents.ts';
import { type StoredAgent, storedAgentType } from './storedAgent.ts';

/** An agent in a list, in its effective form, with its uses. */
export const listedAgentSchema = z.strictObject({
  name: z.string(),
  from: z.string().describe('`store`, or the file of the configuration'),
  /** Empty with `fault`. */
  strategy: z.string(),
  /** The provider's id; empty with `fault`. */
  model: z.string(),
  structured: z.boolean().describe('Whether its answer has a checked form'),
  description: z.string(),
  fault: z
    .string()
    .nullable()
    .describe('Why a stored agent cannot be used; the agent of the files is used instead, if it exists'),
  chains: z.array(z.string()).describe('Chains that use it for a stage, a synthesis or questions'),
  stored: z
    .strictObject({ version: z.string(), updatedBy: z.string(), updatedAt: z.date() })
    .nullable()
    .describe('Null for an agent of the files'),
});
/** An agent in a list. */
export type ListedAgent = z.infer<typeof listedAgentSchema>;

/** The row of an agent in its effective form, from the store or the files. */
function agentRow(
  name: string,
  catalog: AgentCatalog,
  stored: StoredAgent | undefined,
): Omit<ListedAgent, 'chains' | 'stored'> {
  const source = catalog.sourceOf(name);
  const from = stored === undefined ? ((source && shortName(source)) ?? '') : 'store';
  const row = { name, from, strategy: '', model: '', structured: false, description: '', fault: null };
  try {
    const { strategy, model, outputSchema, description = '' } = planNamedAgent(name, catalog, stored);
    return { ...row, strategy, model: model.model, structured: outputSchema !== undefined, description };
  } catch (error) {
    return { ...row, fault: errorMessage(error) };
  }
}

function planNamedAgent(
  name: string,
  catalog: AgentCatalog,
  stored: StoredAgent | undefined,
  request: AgentRequest = {},
): PlannedAgent {
  return catalog.plan(name, request, stored?.yaml == null ? undefined : { name, yaml: stored.yaml });
}

/** The text of an agent and its tools. */
export const agentTextSchema = z.strictObject({
  tools: z
    .array(toolRuleSchema)
    .describe('Its tools in servers.yaml. Only a server itself knows which tools it has'),
  yaml: z.string().describe('Its text in the form of agents/NAME.yaml'),
});

/** An agent with its whole configuration; its tools are empty if it cannot be used. */
export type DescribedAgent = ListedAgent &
  z.infer<typeof agentTextSchema> & {
    /** Null for an agent that cannot be used. */
    agent: PlannedAgent | null;
  };

interface Agents {
  /** The agents of the files, and the resolver of stored ones. */
  catalog: AgentCatalog;
  /** All chains by name, to find the uses of an agent. */
  chains: SessionConfig['chains'];
}

/**
 * A page of all agents by name. Reads `limit` agents of the store and one more. An unreadable one has a
 * fault, and the agent of the files is used.
 * @throws RetryableError when the store fails.
 */
export async function listAgents(
  agents: Agents,
  { after, limit }: { after?: string | undefined; limit: number },
  store: Pick<Store, 'list'>,
): Promise<{ agents: ListedAgent[]; next: string | null }> {
  const query = { collection: storedAgentType.paths.agents, idRange: idsAfter(after), limit: limit + 1 };
  const read = await store.list(query, readableType(storedAgentType));
  const stored = new Map(read.map(({ id, value }) => [id, value]));
  const files = agents.catalog.names.filter((name) => after === undefined || name > after);
  const names = [...new Set([...files, ...stored.keys()])].sort();
  const { page, next } = cutPage(
    names.map((id) => ({ id })),
    limit,
  );
  return { agents: page.flatMap(({ id }) => listedAgent(id, agents, stored.get(id)) ?? []), next };
}

/** A stored agent; undefined after it was removed. */
const usableAgent = (stored: StoredAgent | undefined): StoredAgent | undefined =>
  stored?.yaml == null ? undefined : stored;

/**
 * The agents that can use each tool server, by its name. A stored agent that cannot be used counts as that of
 * the files.
 * @throws RetryableError when the store fails.
 */
export async function listServerUsers(catalog: AgentCatalog, store: Store): Promise<Map<string, string[]>> {
  const stored = new Map((await listStoredAgents(store)).map((agent) => [agent.name, agent]));
  const users = new Map<string, string[]>();
  for (const name of [...new Set([...catalog.names, ...stored.keys()])].sort()) {
    const rules = catalog.toolRules(listEffectiveTools(name, catalog, stored.get(name)));
    for (const server of new Set(rules.flatMap(({ server }) => server ?? [])))
      users.set(server, [...(users.get(server) ?? []), name]);
  }
  return users;
}

/** The tools of an agent in its effective form; none for one that cannot be used. */
function listEffectiveTools(name: string, catalog: AgentCatalog, stored: StoredAgent | undefined): string[] {
  try {
    return planNamedAgent(name, catalog, stored).tools;
  } catch {
    return stored === undefined ? [] : listEffectiveTools(name, catalog, undefined);
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
  const read = await getReadable(storedAgentType.paths.agent(name), storedAgentType, store);
  const row = listedAgent(name, agents, read);
  if (row === undefined) return undefined;
  const stored = usableAgent(read.value);
  const source = catalog.sourceOf(name);
  const agent = row.fault === null ? planNamedAgent(name, catalog, stored, request) : null;
  return {
    ...row,
    yaml: stored?.yaml ?? (source && agentYaml(name, source)) ?? '',
    agent,
    tools: catalog.toolRules(agent?.tools ?? []),
  };
}

/** The row of an agent with its document in the store; undefined when there is none of this name. */
function listedAgent(
  name: string,
  { catalog, chains }: Agents,
  { value, unreadable }: ReadDocument<StoredAgent> = {},
): ListedAgent | undefined {
  const stored = usableAgent(value);
  const isThere = stored !== undefined || unreadable !== undefined || catalog.sourceOf(name) !== undefined;
  if (!isThere) return undefined;
  return {
    ...agentRow(name, catalog, stored),
    ...(unreadable !== undefined && { from: 'store', fault: unreadable.message }),
    chains: Object.values(chains)
      .filter((chain) => listChainAgents(chain).some((agent) => agentRole(agent) === name))
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
