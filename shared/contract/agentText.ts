// Agents as texts, and how a request changes one.

import type { PlannedAgent } from '../core/schema/agent.ts';

/** An agent as text, outside of the folder. */
export interface AgentText {
  /** The name under which it is stored. */
  name: string;
  /** As agents/NAME.yaml. */
  yaml: string;
  /** How messages name it. Default: `agents/NAME`. */
  file?: string;
}

/** Settings of a request to an agent outside of a chain. They override the agent's file. */
export interface AgentRequest {
  /** A model of models.yaml; one that the agent requires comes before it. Absent: the agent's own. */
  model?: string | undefined;
  /** Whether the answer is structured. Absent or null: the setting of the agent's schema. */
  structuredOutput?: boolean | null | undefined;
}

/** Plans agents outside of any chain. */
export interface AgentPlanner {
  /**
   * An agent outside of any chain.
   * @param stored the text that counts instead of the files; undefined for none.
   * @throws TerminalError `CONFIG_UNKNOWN_AGENT` for a name that neither defines, `CONFIG_INVALID` for a text
   *   with faults, and for a model that does not exist or cannot serve the agent.
   */
  plan(name: string, request?: AgentRequest, stored?: AgentText): PlannedAgent;
}
