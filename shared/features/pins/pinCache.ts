// Caches the pins of servers for the sessions of this process.

import type { RuntimeDeps } from '../../core/kernel/deps.ts';
import type { PinnedTool } from '../../kits/agents/pinnedTools.ts';

/** The pinned state of a server in a session. */
export interface Pins {
  /** By name. */
  tools: ReadonlyMap<string, PinnedTool>;
  /** Digest of its instructions; null when it had none. */
  instructions: string | null;
}

/** Pins that a process read or wrote, by path and nonce of the session. Only stored pins. */
export function findPinCache({ featureCaches }: Pick<RuntimeDeps, 'featureCaches'>): Map<string, Pins> {
  const found = featureCaches.get('pins') as Map<string, Pins> | undefined;
  if (found !== undefined) return found;
  const empty = new Map<string, Pins>();
  featureCaches.set('pins', empty);
  return empty;
}
