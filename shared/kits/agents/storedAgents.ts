// Reads agents of the store, which replace those of the configuration's files. Each instance caches them.

import { createAgentCache } from '../../agents/agentCache.ts';
import type { AgentText } from '../../contract/agentText.ts';
import type { StoredAgents } from '../../contract/storedAgents.ts';
import type { StateDeps } from '../../core/kernel/deps.ts';
import { readOrWarn, UNREADABLE } from '../../core/kernel/documents/reading.ts';
import { storedAgentType } from './storedAgent.ts';

/** The cached version of an agent without a document. */
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
      const reading = store.get(storedAgentType.paths.agent(name), storedAgentType);
      const stored = await readOrWarn(reading, `the agent ${name} of the files is used`, log);
      if (stored === UNREADABLE) return undefined;
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
