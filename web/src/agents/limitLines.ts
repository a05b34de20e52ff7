// The limits of an agent in words.

import { bytesText, countText, durationText, numberText } from '../model/format.ts';
import type { AgentLimits } from './agent.ts';

/** What a limit is called, and how its value is written. */
const LIMITS: Record<string, { name: string; write: (value: never) => string }> = {
  maxIterations: { name: 'Iterations', write: (count: number) => `${numberText(count)} at most` },
  iterationTimeoutMs: { name: 'One iteration', write: durationText },
  firstChunkTimeoutMs: { name: 'Until an answer begins', write: durationText },
  toolTimeoutMs: { name: 'One call of a tool', write: durationText },
  toolResultBytes: { name: 'Kept of a result', write: bytesText },
  afterFailure: {
    name: 'When the last iteration fails',
    write: (what: string) => (what === 'conclude' ? 'it concludes with what it has' : 'the run fails'),
  },
  repeatedCalls: {
    name: 'The same call a third time',
    write: (what: string) => (what === 'run' ? 'is run' : 'is refused'),
  },
  conversationBytes: { name: 'Results are repeated whole up to', write: bytesText },
  sessionTokens: { name: 'Tokens of a session', write: (count: number) => countText(count, 'token') },
  dailyTokens: { name: 'Tokens of a day', write: dailyText },
};

function dailyText(limits: { chain: string | null; limit: number }[]): string {
  return limits
    .map(({ chain, limit }) => `${chain === null ? 'all chains' : chain}: ${countText(limit, 'token')}`)
    .join('; ');
}

/** Names and values. A limit that is not known here stands under its own name. */
export function limitLines(limits: AgentLimits): { name: string; text: string }[] {
  return Object.entries(limits).map(([key, value]) => {
    const known = LIMITS[key];
    if (known === undefined) return { name: key, text: asText(value) };
    try {
      return { name: known.name, text: known.write(value as never) };
    } catch {
      return { name: known.name, text: asText(value) };
    }
  });
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
