// What a program registers in an engine: its agents and chains with their tools, servers and models. A
// registration that is refused leaves nothing behind.

import type { Skill } from '../core/contract/skills.ts';
import { TerminalError } from '../core/errors.ts';
import { agentRole, type ChainSnapshot, listChainAgents, type PlannedAgent } from '../core/schema/agent.ts';
import type { Chain } from './agentOptions.ts';
import type { McpSource } from './mcp.ts';
import type { Model } from './model.ts';
import type { Tool } from './tool.ts';

/** All that a program has registered, each name once. */
export interface Registry {
  /** The agents and chains that runs can be started of. */
  readonly chains: Map<string, Chain>;
  /** The agents that others can ask. */
  readonly askable: Record<string, PlannedAgent>;
  /** The names of all agents that this program can run. */
  readonly roles: Set<string>;
  /** The tools in code, by their names for models. */
  readonly tools: Map<string, Tool>;
  readonly servers: Map<string, McpSource>;
  readonly skills: Set<Skill>;
  /** The key of the Gemini API; absent: the environment's. */
  apiKey?: string;
}

/** An empty registry. */
export function createRegistry(): Registry {
  return {
    chains: new Map(),
    askable: {},
    roles: new Set(),
    tools: new Map(),
    servers: new Map(),
    skills: new Set(),
  };
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
    skillFault(agent.skills, registry) ??
    keyFault(agent.models, registry);
  if (fault !== undefined) throw new TerminalError('CONFIG_INVALID', `${agent.kind} ${agent.name}: ${fault}`);
}

/** Adds an agent or a chain that `checkRegistration` accepts. @returns the servers that are new. */
export function addRegistration(agent: Chain, registry: Registry): McpSource[] {
  const { name, chain, askable, tools, skills, models } = agent;
  const { chains, roles, servers } = registry;
  const added = tools.filter((one) => one.kind === 'mcp').filter((one) => !servers.has(one.name));
  chains.set(name, agent);
  for (const one of tools)
    if (one.kind === 'mcp') servers.set(one.name, one);
    else registry.tools.set(one.definition.name, one);
  for (const { apiKey } of models) if (apiKey !== undefined) registry.apiKey = apiKey;
  for (const one of askable) registry.askable[one.name] = one;
  for (const one of skills) registry.skills.add(one);
  for (const one of [...listChainAgents(chain), ...listSummary(chain), ...askable]) roles.add(agentRole(one));
  return [...new Set(added)];
}

/** @throws TerminalError `CONFIG_UNKNOWN_AGENT` for an agent of another engine. */
export function requireOwn({ name, chain }: Pick<Chain, 'name' | 'chain'>, { chains }: Registry): void {
  if (chains.get(name)?.chain === chain) return;
  throw new TerminalError(
    'CONFIG_UNKNOWN_AGENT',
    `agent ${name} is not of this engine; start it with the engine that registers it`,
  );
}

const listSummary = ({ summary }: ChainSnapshot) => (summary === undefined ? [] : [summary]);

function nameFault({ kind, name, uses }: Chain, { chains }: Registry): string | undefined {
  if (chains.has(name)) return 'name: another agent or chain has this name; rename one of them';
  const foreign = uses.find((one) => chains.get(one.name) !== one);
  const option = kind === 'agent' ? 'asks' : 'stages';
  return foreign && `${option}: agent ${foreign.name} is not of this engine; register it with this one`;
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

function skillFault(skills: readonly Skill[], registry: Registry): string | undefined {
  const all = [...registry.skills, ...skills];
  const twice = skills.find((skill) => all.some((one) => one !== skill && one.name === skill.name));
  return twice && `skills: two skills have the name ${twice.name}; rename one of them`;
}

function keyFault(models: readonly Model[], { apiKey: own }: Registry): string | undefined {
  const keys = new Set([own, ...models.map(({ apiKey }) => apiKey)].filter((key) => key !== undefined));
  return keys.size > 1
    ? 'model: its apiKey is not that of the models before; an engine uses one key'
    : undefined;
}
