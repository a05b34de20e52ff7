// The tokens that the day must have left before a session starts.

import { firstCallTokens } from '../../core/kernel/tokens/estimateTokens.ts';
import type { Session } from '../../core/schema/session.ts';

/** The maximum tokens of a session's first call, for the most expensive of its agents. */
export function openingTokens({ chain, input }: Pick<Session, 'chain' | 'input'>): number {
  const agents = chain.stages[0]?.agents ?? [];
  return Math.max(0, ...agents.map((agent) => firstCallTokens(agent, input ?? '')));
}
