// Shows the agent of an execution as it was at its creation, and how it differs from the current one.

import { isDeepStrictEqual } from 'node:util';
import type { SessionConfig } from '../../config/config.ts';
import type { FeatureDeps } from '../../contract/featureDeps.ts';
import type { Store } from '../../core/contract/store.ts';
import { errorMessage } from '../../core/errors.ts';
import type { AlertDeps } from '../../core/kernel/deps.ts';
import {
  type Agent,
  agentRole,
  isSummaryStrategy,
  listChainAgents,
  type PlannedAgent,
} from '../../core/schema/agent.ts';
import { agentSnapshotType, executionType, paths, sessionType } from '../../core/schema/coreDocuments.ts';
import { isOfDocument } from '../../core/schema/readable.ts';
import { maskDescriptions } from '../../masking/maskInstructions.ts';
import { resolveAgent, withStoredAgents } from './resolveAgents.ts';

/** The compared parts of an agent, with the names that people see. */
const PARTS = {
  strategy: ({ strategy }: Agent) => strategy,
  model: ({ model, fallback }: Agent) => [model, ...fallback].map(({ prices: _, ...settings }) => settings),
  instructions: ({ instructions, outputSchema }: Agent) => [withoutNumbers(instructions), outputSchema],
  tools: ({ tools, toolDescriptions, nativeTools, combineNativeTools, outsideTools, asks }: Agent) => [
    withoutNumbers(JSON.stringify(toolDescriptions ?? {})),
    tools,
    nativeTools,
    combineNativeTools,
    outsideTools,
    asks?.map(({ name }) => name),
  ],
  resources: ({ resources = [] }: Agent) => resources,
};

type AgentPart = keyof typeof PARTS;

/** Names of the parts, in the order of display. */
export const AGENT_PARTS = Object.keys(PARTS) as AgentPart[];

interface UsedAgent {
  /** Its name in the configuration. */
  role: string;
  /** The configuration that the execution uses. */
  agent: PlannedAgent;
  /** When the execution was created. */
  at: Date;
  /** The parts that would differ now; null if the configuration no longer has such an agent. */
  differs: AgentPart[] | null;
}

/**
 * Reads the agent of an execution.
 * @returns undefined when there is no such execution.
 * @throws RetryableError when the store fails; TerminalError for a document that cannot be read.
 */
export async function readUsedAgent(
  { sessionId, executionId }: { sessionId: string; executionId: string },
  config: Pick<SessionConfig, 'agents' | 'chains'>,
  deps: Pick<AlertDeps, 'log'> &
    Pick<FeatureDeps, 'storedAgents'> & { store: Store; mask(text: string): string },
): Promise<UsedAgent | undefined> {
  const [session, execution, snapshot] = await Promise.all([
    deps.store.get(paths.session(sessionId), sessionType),
    deps.store.get(paths.execution(sessionId, executionId), executionType),
    deps.store.get(paths.agentSnapshot(sessionId, executionId), agentSnapshotType),
  ]);
  if (session === undefined || execution === undefined || snapshot === undefined) return undefined;
  const { agent, createdAt } = snapshot.value;
  const chain = session.value.chain.name;
  const now = await agentOfToday(agent, chain, config, deps).catch((error: unknown) => {
    if (!isOfDocument(error)) throw error;
    deps.log.warn(
      { agent: agentRole(agent) },
      `an agent of the store cannot be read: ${errorMessage(error)}`,
    );
    return undefined;
  });
  return {
    role: agentRole(agent),
    agent: { ...agent, limits: execution.value.limits },
    at: createdAt,
    differs: now === undefined ? null : differingParts(agent, maskTexts(now, deps.mask)),
  };
}

function maskTexts(agent: Agent, mask: (text: string) => string): Agent {
  const { instructions, toolDescriptions } = agent;
  return { ...agent, instructions: mask(instructions), ...maskDescriptions(toolDescriptions, mask) };
}

function differingParts(then: Agent, now: Agent): AgentPart[] {
  return AGENT_PARTS.filter((part) => !isDeepStrictEqual(PARTS[part](then), PARTS[part](now)));
}

/** The current agent of the chain, with its stage's models and servers, from the store if stored. */
async function agentOfToday(
  agent: Agent,
  chainName: string,
  config: Pick<SessionConfig, 'agents' | 'chains'>,
  deps: Pick<AlertDeps, 'log'> & Pick<FeatureDeps, 'storedAgents'>,
): Promise<Agent | undefined> {
  const today = Object.hasOwn(config.chains, chainName) ? config.chains[chainName] : undefined;
  if (today !== undefined) {
    const chain = await withStoredAgents(today, config, deps);
    const planned = [...listChainAgents(chain), ...(chain.summary ? [chain.summary] : [])];
    const own = planned.find(({ name }) => name === agent.name);
    if (own !== undefined) return { ...own, strategy: strategyAs(agent, own) };
  }
  if (!config.agents?.names.includes(agentRole(agent))) return undefined;
  try {
    return await resolveAgent(agentRole(agent), {}, config, deps);
  } catch (error) {
    deps.log.debug({ agent: agentRole(agent) }, `an agent cannot be used today: ${errorMessage(error)}`);
    return undefined;
  }
}

/** The stage determines the strategy of a summary, whatever its agent is configured with. */
function strategyAs(then: Agent, now: Agent): string {
  return isSummaryStrategy(then.strategy) ? then.strategy : now.strategy;
}

/** The numbers in marks of masked values differ from session to session. */
function withoutNumbers(text: string): string {
  return text.replace(/\[masked:([a-z][a-z0-9-]*)#[0-9a-f]+\]/g, '[masked:$1]');
}
