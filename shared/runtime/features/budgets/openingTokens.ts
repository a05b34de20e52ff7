// The tokens that the day must have left before a session starts.

import type { Session } from '../../../schema/session.ts';
import { firstCallTokens } from '../../kernel/tokens/estimateTokens.ts';

/** The maximum tokens of a session's first call, for the most expensive of its agents. */
export function openingTokens({ chain, alertText }: Pick<Session, 'chain' | 'alertText'>): number {
  const agents = chain.stages[0]?.agents ?? [];
  return Math.max(0, ...agents.map((agent) => firstCallTokens(agent, alertText ?? '')));
}
