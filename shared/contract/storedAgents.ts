// The interface through which the runtime reads agents of the store.

import type { AgentText } from './agentText.ts';

/** The agents of the store, as this instance knows them. */
export interface StoredAgents {
  /**
   * Returns the agent with a name; undefined if the version in the files applies. Up to 300 s old, and the
   * same object until it changes. An unreadable document is logged, and the version in the files applies.
   * @throws RetryableError when the store fails, or for a document of newer code.
   */
  get(name: string): Promise<AgentText | undefined>;
  /** Removes one agent from the cache, or all if `name` is absent. @returns the number of removed agents. */
  clear(name?: string): number;
}
