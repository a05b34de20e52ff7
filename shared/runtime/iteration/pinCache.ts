// The tools that sessions pinned, as far as this process knows them.

import type { PinnedTool } from '../../schema/pinnedTools.ts';

/** A server's tools by name, as a session pinned them. */
export type Pins = ReadonlyMap<string, PinnedTool>;

/** Pins that this process has read or written, by path and nonce of the session. Only what is stored is kept. */
export type PinCache = Map<string, Pins>;
