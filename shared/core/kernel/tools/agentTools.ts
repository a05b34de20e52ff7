// The tools of an agent during one iteration.

import type { ToolDefinition, ToolExecutor } from '../../contract/tools.ts';

/** Parts of a definition that can differ. `new`: the tool was not pinned. `gone`: no longer listed. */
export type ChangedPart = 'new' | 'gone' | 'description' | 'parameters' | 'rights';

/** A tool that differs from the one that the session pinned. */
export interface ToolChange {
  /** Name of the server in servers.yaml. */
  server: string;
  /** `server.tool`. */
  name: string;
  /** The parts that differ; `new` for a tool that was not pinned, `gone` for one no longer listed. */
  parts: readonly ChangedPart[];
}

/** The instructions of a server for models, unmasked. */
export interface RawInstructions {
  /** Name of the server in servers.yaml. */
  server: string;
  /** The server's own text, untrusted. */
  text: string;
}

/** The scope of a server's calls, unmasked. */
export interface ServerScope {
  /** Name of the server in servers.yaml. */
  server: string;
  /** The bound parameters, with values from the alert's labels. */
  values: Readonly<Record<string, string>>;
}

/** The tools that an agent is offered, with their differences from the pinned ones. */
export interface AgentTools extends ToolExecutor {
  /** Tools of `list()` that are not part of the prompt: the agent searches them. Absent: none. */
  readonly hidden?: readonly ToolDefinition[];
  /** Tools that are not offered because they changed. Their calls are answered with an error. */
  readonly changes: readonly ToolChange[];
  /** Pinned instructions of the servers with at least one offered tool, sorted by server. */
  readonly instructions: readonly RawInstructions[];
  /** Servers with an offered tool whose calls are limited to a scope, sorted. Absent: none. */
  readonly scopes?: readonly ServerScope[];
  /** Servers with an offered tool whose instructions changed since they were pinned, sorted. */
  readonly changedServers: readonly string[];
}

/** The tools that the prompt lists. */
export function promptTools({ list, hidden = [] }: Pick<AgentTools, 'list' | 'hidden'>): ToolDefinition[] {
  return hidden.length === 0 ? list() : list().filter((tool) => !hidden.includes(tool));
}

/** The tools as their servers offer them, without pins. */
export function unpinnedTools(executor: ToolExecutor): AgentTools {
  return { ...executor, changes: [], instructions: [], changedServers: [] };
}
