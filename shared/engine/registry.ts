// What a program registers in an engine: its agents and chains with their tools, servers and models. A
// registration that is refused leaves nothing behind.

import { TerminalError } from '../core/errors.ts';
import type { PlannedAgent } from '../core/schema/agent.ts';
import type { Agent, Chain } from './agent.ts';
import type { McpSource } from './mcp.ts';
import type { Model } from './model.ts';
import type { Tool } from './tool.ts';

/** All that a program has registered, each name once. */
export interface Registry {
  /** The agents and chains that runs can be started of. */
  readonly chains: Map<string, Pick<Chain, 'chain'>>;
  /** The agents that others can ask. */
  readonly askable: Record<string, PlannedAgent>;
  /** The names of all agents that this program can run. */
  readonly roles: Set<string>;
  /** The tools in code, by their names for models. */
  readonly tools: Map<string, Tool>;
  readonly servers: Map<string, McpSource>;
  /** The key of the Gemini API; absent: the environment's. */
  apiKey?: string;
}

/** An empty registry. */
export function createRegistry(): Registry {
  return { chains: new Map(), askable: {}, roles: new Set(), tools: new Map(), servers: new Map() };
}

/**
 * Refuses an agent or a chain that does not fit the registry.
 * @param canApprove whether decisions about calls can be signed.
 * @throws TerminalError `CONFIG_INVALID` with the agent, the option and the fix.
 */
export function checkRegistration(agent: Chain, registry: Registry, canApprove: boolean): void {
  const fault =
    nameFault(agent, registry) ??
    toolFault(agent.tools, registry, canApprove) ??
    keyFault(agent.models, registry);
  if (fault !== undefined) throw new TerminalError('CONFIG_INVALID', `agent ${agent.name}: ${fault}`);
}

/** Adds an agent or a chain that `checkRegistration` accepts. @returns the servers that are new. */
export function addRegistration(agent: Chain, registry: Registry): McpSource[] {
  const { name, chain, agents, askable, tools, models } = agent;
  const { chains, roles, servers } = registry;
  const added = tools.filter((one) => one.kind === 'mcp').filter((one) => !servers.has(one.name));
  chains.set(name, agent);
  for (const one of tools)
    if (one.kind === 'mcp') servers.set(one.name, one);
    else registry.tools.set(one.definition.name, one);
  for (const { apiKey } of models) if (apiKey !== undefined) registry.apiKey = apiKey;
  for (const one of askable) registry.askable[one.name] = one;
  for (const one of [...agents, ...askable]) roles.add(one.name);
  for (const stage of chain.stages) for (const one of stage.agents) roles.add(one.replicaOf ?? one.name);
  return [...new Set(added)];
}

/** @throws TerminalError `CONFIG_UNKNOWN_AGENT` for an agent of another engine. */
export function requireOwn({ name, chain }: Pick<Agent, 'name' | 'chain'>, { chains }: Registry): void {
  if (chains.get(name)?.chain === chain) return;
  throw new TerminalError(
    'CONFIG_UNKNOWN_AGENT',
    `agent ${name} is not of this engine; start it with the engine that registers it`,
  );
}

function nameFault({ name }: Chain, { chains }: Registry): string | undefined {
  return chains.has(name) ? 'name: another agent or chain has this name; rename one of them' : undefined;
}

function toolFault(
  tools: readonly (Tool | McpSource)[],
  registry: Registry,
  canApprove: boolean,
): string | undefined {
  const all = [...registry.tools.values(), ...registry.servers.values(), ...tools];
  for (const one of tools) {
    const name = toolName(one);
    if (all.some((other) => other !== one && other.kind === one.kind && toolName(other) === name))
      return one.kind === 'mcp'
        ? `tools: two MCP servers have the name ${name}; set name in one mcp()`
        : `tools: two tools have the name ${name}; rename one of them`;
    if (one.kind === 'tool' && one.definition.waits === 'person' && !canApprove)
      return `tools: ${name} needs approval; set approvals: { key } in durable()`;
  }
  return undefined;
}

const toolName = (one: Tool | McpSource): string => (one.kind === 'mcp' ? one.name : one.definition.name);

function keyFault(models: readonly Model[], { apiKey: own }: Registry): string | undefined {
  const keys = new Set([own, ...models.map(({ apiKey }) => apiKey)].filter((key) => key !== undefined));
  return keys.size > 1
    ? 'model: its apiKey is not that of the models before; an engine uses one key'
    : undefined;
}
