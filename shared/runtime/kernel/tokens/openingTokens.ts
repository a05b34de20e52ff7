// The tokens that must be left of a day before a session starts.

import type { Session } from '../../../schema/session.ts';
import { firstCallTokens } from './estimateTokens.ts';

/** The tokens that a session's first call takes at most, of the agent that needs most. */
export function openingTokens({ chain, alertText }: Pick<Session, 'chain' | 'alertText'>): number {
  const agents = chain.stages[0]?.agents ?? [];
  return Math.max(0, ...agents.map((agent) => firstCallTokens(agent, alertText ?? '')));
}
