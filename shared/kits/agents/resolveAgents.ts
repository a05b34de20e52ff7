// Resolves agents when a session or execution is created: from the store, else from files.

import type { AgentPlanner, AgentRequest, AgentText } from '../../contract/agentText.ts';
import type { FeatureDeps } from '../../contract/featureDeps.ts';
import { type InquestError, TerminalError } from '../../core/errors.ts';
import type { AlertDeps } from '../../core/kernel/deps.ts';
import {
  agentRole,
  type ChainSnapshot,
  listChainAgents,
  type PlannedAgent,
} from '../../core/schema/agent.ts';

type ResolveDeps = Pick<AlertDeps, 'log'> & Pick<FeatureDeps, 'storedAgents'>;

/** The agents of the files, of which chains consist. */
interface ChainAgents {
  names: readonly string[];
  /** A chain with these agents; those that do not fit it are among `refused`. */
  chain(
    name: string,
    stored: readonly AgentText[],
  ): { chain: ChainSnapshot; refused: readonly InquestError[] };
}

/**
 * The chain with agents of the store in place of those of the files. If a stored agent no longer fits the
 * configuration, logs it and uses the agent of the files: an alert must not wait for the correction.
 * @throws RetryableError when the store fails.
 */
export async function withStoredAgents(
  chain: ChainSnapshot,
  { agents }: { agents?: ChainAgents | undefined },
  { storedAgents, log }: ResolveDeps,
): Promise<ChainSnapshot> {
  if (storedAgents === undefined || agents === undefined) return chain;
  const names = [...new Set(listChainAgents(chain).map(agentRole))].filter((name) =>
    agents.names.includes(name),
  );
  const read = await Promise.all(names.map((name) => storedAgents.get(name)));
  const texts = read.filter((text) => text !== undefined);
  if (texts.length === 0) return chain;
  const resolved = agents.chain(chain.name, texts);
  for (const error of resolved.refused)
    log.error({ code: error.code }, `a stored agent is not used, that of the files is: ${error.message}`);
  return resolved.chain;
}

/**
 * An agent outside of any chain, from the store or the files, for an execution that is created now.
 * @param request.structuredOutput overrides the agent's schema setting. Default (null or absent): the setting
 *   of the schema.
 * @throws TerminalError `CONFIG_UNKNOWN_AGENT`; `CONFIG_INVALID` for a model that cannot serve it, and for a
 *   stored agent that does not fit the configuration; RetryableError when the store fails.
 */
export async function resolveAgent(
  name: string,
  request: AgentRequest,
  { agents }: { agents?: AgentPlanner | undefined },
  { storedAgents }: Pick<ResolveDeps, 'storedAgents'>,
): Promise<PlannedAgent> {
  if (agents === undefined) throw new TerminalError('CONFIG_UNKNOWN_AGENT', 'no agents are configured');
  return agents.plan(name, request, await storedText(name, { storedAgents }));
}

/**
 * The stored agent of a name; undefined if there is none, or the name is invalid.
 * @throws RetryableError when the store fails.
 */
export async function storedText(
  name: string,
  { storedAgents }: Pick<ResolveDeps, 'storedAgents'>,
): Promise<AgentText | undefined> {
  // External names become part of a path.
  return /^[A-Za-z][A-Za-z0-9_-]{0,62}$/.test(name) ? await storedAgents?.get(name) : undefined;
}
