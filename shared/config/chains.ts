// Finds a chain by name.

import { TerminalError } from '../core/errors.ts';
import type { ChainSnapshot } from '../core/schema/agent.ts';
import { quoteText } from '../text/cut.ts';
import { describeExpected } from '../text/suggest.ts';
import type { SessionConfig } from './config.ts';

/** Longest name that is quoted in an error, in characters. */
const MAX_QUOTE = 100;

/**
 * The chain called `name`, by default the default chain, as a session carries it.
 * @throws TerminalError `CONFIG_UNKNOWN_CHAIN` naming the known ones.
 */
export function resolveChain(
  config: Pick<SessionConfig, 'chains' | 'defaultChain'>,
  name: string = config.defaultChain,
): ChainSnapshot {
  return chainEntry(config.chains, name);
}

/** The entry of `chains` under `name`. Throws like `resolveChain`. */
export function chainEntry<T>(chains: Readonly<Record<string, T>>, name: string): T {
  const entry = Object.hasOwn(chains, name) ? chains[name] : undefined;
  if (entry !== undefined) return entry;
  throw new TerminalError(
    'CONFIG_UNKNOWN_CHAIN',
    `unknown chain "${quoteText(name, MAX_QUOTE)}"; ${describeExpected(name, Object.keys(chains))}`,
  );
}
