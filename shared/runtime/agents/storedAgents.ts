// Agents of the store, which count instead of those of the configuration's files. An instance keeps what it read.

import { createAgentCache } from '../../agents/agentCache.ts';
import type { AgentText } from '../../config/agentTypes.ts';
import { paths, storedAgentType } from '../../schema/documents.ts';
import type { StateDeps } from '../deps.ts';
import { captureFailure } from '../reading.ts';

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

/** The version that an agent without a document has in the cache. */
const ABSENT = '';

/** Reads agents from the store, through a cache of 100. */
export function createStoredAgents({
  store,
  clock,
  log,
}: Pick<StateDeps, 'store' | 'clock' | 'log'>): StoredAgents {
  const cache = createAgentCache<AgentText | undefined>({ now: () => clock.now().getTime() });
  return {
    clear: cache.clear,
    async get(name) {
      const fresh = cache.fresh(name);
      if (fresh !== undefined) return fresh.value;
      const { value: stored, failure } = await captureFailure(store.get(paths.agent(name), storedAgentType));
      if (failure !== undefined) {
        log.error({ agent: name, code: failure.code }, `${failure.message}; the agent of the files is used`);
        return undefined;
      }
      const version = stored === undefined ? ABSENT : String(stored.version);
      const known = cache.ofVersion(name, version);
      if (known !== undefined) return known.value;
      const yaml = stored?.value.yaml ?? null;
      const text = yaml === null ? undefined : { name, yaml };
      cache.keep(name, version, text);
      return text;
    },
  };
}
