// The limits of an agent in words.

import { bytesText, countText, durationText, numberText } from '../../model/format.ts';
import type { AgentLimits } from './agent.ts';

/** The name of a limit, and the format of its value. */
const LIMITS: Record<string, { name: string; write: (value: never) => string }> = {
  maxIterations: { name: 'Iterations', write: (count: number) => `${numberText(count)} at most` },
  iterationTimeoutMs: { name: 'Iteration timeout', write: durationText },
  firstChunkTimeoutMs: { name: 'First response', write: durationText },
  stallTimeoutMs: { name: 'Silence within a response', write: durationText },
  modelOutageMs: { name: 'Wait for a silent model', write: durationText },
  toolTimeoutMs: { name: 'Tool call timeout', write: durationText },
  toolResultBytes: { name: 'Stored per result', write: bytesText },
  afterFailure: {
    name: 'When the last iteration fails',
    write: (what: string) => (what === 'conclude' ? 'concludes with the results so far' : 'the run fails'),
  },
  repeatedCalls: {
    name: 'The same call a third time',
    write: (what: string) => (what === 'run' ? 'runs' : 'is refused'),
  },
  conversationBytes: { name: 'Results sent in full up to', write: bytesText },
  sessionTokens: { name: 'Tokens per session', write: (count: number) => countText(count, 'token') },
  dailyTokens: { name: 'Tokens per day', write: dailyText },
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
    if (known === undefined) return { name: key, text: writeLimit(value) };
    try {
      return { name: known.name, text: known.write(value as never) };
    } catch {
      return { name: known.name, text: writeLimit(value) };
    }
  });
}

function writeLimit(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
