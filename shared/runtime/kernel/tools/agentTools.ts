// The tools of an agent during one iteration.

import type { ToolExecutor } from '../../../contract/tools.ts';

/** Parts of a definition that can differ from the pinned ones. `new`: the tool was not pinned. */
export type ChangedPart = 'new' | 'description' | 'parameters' | 'rights';

/** A tool that differs from the one that the session pinned. */
export interface ToolChange {
  server: string;
  /** `server.tool`. */
  name: string;
  parts: readonly ChangedPart[];
}

/** The instructions of a server for models, unmasked. */
export interface RawInstructions {
  server: string;
  text: string;
}

/** The tools that an agent is offered, with their differences from the pinned ones. */
export interface AgentTools extends ToolExecutor {
  /** Tools that are not offered because they changed. Their calls are answered with an error. */
  readonly changes: readonly ToolChange[];
  /** Pinned instructions of the servers with at least one offered tool, sorted by server. */
  readonly instructions: readonly RawInstructions[];
  /** Servers with an offered tool whose instructions changed since they were pinned, sorted. */
  readonly changedServers: readonly string[];
}

/** The tools as their servers offer them, without pins. */
export function unpinnedTools(executor: ToolExecutor): AgentTools {
  return { ...executor, changes: [], instructions: [], changedServers: [] };
}
