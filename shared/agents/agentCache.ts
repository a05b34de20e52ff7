// Caches parsed agents by name. Entries contain nothing about users or requests, so the key needs neither.

/** Milliseconds for which an entry is used without a version check: the longest delay of an edit. */
const AGENT_CACHE_TTL_MS = 300_000;
const MAX_ENTRIES = 100;

interface Entry<T> {
  /** The parsed form of the agent. */
  value: T;
  /** Changes with every edit of the agent. */
  version: string;
  /** Epoch milliseconds of the last look. */
  checkedAt: number;
}

/** Cached values of agents, by name. */
interface AgentCache<T> {
  /** The cached value if its version was checked less than `ttlMs` ago. */
  fresh(name: string): { value: T } | undefined;
  /** The cached value of this version of the agent, at any age. Counts as a version check. */
  ofVersion(name: string, version: string): { value: T } | undefined;
  /** Keeps a value; the entry that was kept longest without a change goes first. */
  keep(name: string, version: string, value: T): void;
  /** Forgets one agent, or all without a name. @returns how many were forgotten. */
  clear(name?: string): number;
}

/**
 * @param options.now epoch milliseconds.
 * @param options.ttlMs default 300 s. @param options.maxEntries default 100.
 */
export function createAgentCache<T>(options: {
  now: () => number;
  ttlMs?: number;
  maxEntries?: number;
}): AgentCache<T> {
  const { now, ttlMs = AGENT_CACHE_TTL_MS, maxEntries = MAX_ENTRIES } = options;
  const entries = new Map<string, Entry<T>>();
  return {
    fresh(name) {
      const entry = entries.get(name);
      return entry !== undefined && now() - entry.checkedAt < ttlMs ? entry : undefined;
    },
    ofVersion(name, version) {
      const entry = entries.get(name);
      if (entry?.version !== version) return undefined;
      entry.checkedAt = now();
      return entry;
    },
    keep(name, version, value) {
      entries.delete(name);
      const [oldest] = entries.keys();
      if (entries.size >= maxEntries && oldest !== undefined) entries.delete(oldest);
      entries.set(name, { value, version, checkedAt: now() });
    },
    clear(name) {
      if (name !== undefined) return entries.delete(name) ? 1 : 0;
      const count = entries.size;
      entries.clear();
      return count;
    },
  };
}
