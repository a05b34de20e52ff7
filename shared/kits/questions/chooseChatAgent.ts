// Selects the agent that answers a question, as the request asks.

import type { SessionConfig } from '../../config/config.ts';
import type { FeatureDeps } from '../../contract/featureDeps.ts';
import { TerminalError } from '../../core/errors.ts';
import { agentRole, type PlannedAgent } from '../../core/schema/agent.ts';
import { storedText } from '../agents/resolveAgents.ts';
import type { RequestContext } from '../views/chat/requestContext.ts';

interface ChatChoice extends Pick<RequestContext, 'agent' | 'model'> {
  /** Whether the answer is structured; null for the agent's own setting. */
  structuredOutput: boolean | null;
  /** The agent that answers in the session by default; absent: the agent of the chain. */
  current?: PlannedAgent | undefined;
}

/**
 * Returns the agent of a chain that answers a question, with the agent and the model that a request selects.
 * @returns undefined if the request selects nothing: the agent of the session answers then.
 * @throws TerminalError `CONFIG_UNKNOWN_AGENT`, `CONFIG_UNKNOWN_CHAIN`, or `CONFIG_INVALID` for a model that
 *   does not exist or cannot serve the agent; RetryableError when the store fails.
 */
export async function chooseChatAgent(
  chainName: string,
  { agent, model, structuredOutput, current }: ChatChoice,
  { agents, chains }: Pick<SessionConfig, 'agents' | 'chains'>,
  deps: Pick<FeatureDeps, 'storedAgents'>,
): Promise<PlannedAgent | undefined> {
  const hasSelection = agent !== null || model !== null || structuredOutput !== null;
  if (!hasSelection || (agents === undefined && agent === null && model === null)) return undefined;
  if (agents === undefined) throw new TerminalError('CONFIG_UNKNOWN_AGENT', 'no agents are configured');
  const own = current ?? (Object.hasOwn(chains, chainName) ? chains[chainName]?.chat : undefined);
  const name = agent ?? (own && agentRole(own));
  const stored = name === undefined ? undefined : await storedText(name, deps);
  // The built-in agent is not defined in a file.
  const isKnown = name !== undefined && (stored !== undefined || agents.names.includes(name));
  const request = {
    agent: agent ?? (isKnown ? name : undefined),
    model: model ?? undefined,
    structuredOutput,
  };
  return agents.chat(chainName, request, stored);
}
