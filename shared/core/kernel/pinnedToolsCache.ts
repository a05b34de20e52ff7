// Caches the pins of servers for the sessions of this process.

import type { PinnedTool } from '../schema/pinnedTools.ts';

/** The pinned state of a server in a session. */
export interface Pins {
  /** By name. */
  tools: ReadonlyMap<string, PinnedTool>;
  /** Digest of its instructions; null when it had none. */
  instructions: string | null;
}

/** Pins that this process read or wrote, by path and nonce of the session. Only stored pins. */
export type PinCache = Map<string, Pins>;
