// How the runtime asks for agents of the store.

import type { AgentText } from '../../config/agentTypes.ts';

/** The agents of the store, as this instance knows them. */
export interface StoredAgents {
  /**
   * The agent of a name; undefined when the files count. Up to 300 s old, and the same object as long as it does not change.
   * A document that cannot be read is logged, and the files count.
   * @throws RetryableError when the store fails, or for a document of newer code.
   */
  get(name: string): Promise<AgentText | undefined>;
  /** Forgets one agent, or all without a name, so that they are read anew. @returns how many were forgotten. */
  clear(name?: string): number;
}
