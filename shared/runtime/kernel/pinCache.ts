// What sessions pinned of servers, as far as this process knows it.

import type { PinnedTool } from '../../schema/pinnedTools.ts';

/** A server as a session pinned it. */
export interface Pins {
  /** By name. */
  tools: ReadonlyMap<string, PinnedTool>;
  /** Digest of its instructions; null when it had none. */
  instructions: string | null;
}

/** Pins that this process has read or written, by path and nonce of the session. Only what is stored is kept. */
export type PinCache = Map<string, Pins>;
