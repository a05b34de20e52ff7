// Writes agents into the store and lists them. Rejects all that the configuration would reject.

import type { AgentCatalog } from '../../config/config.ts';
import type { AgentText } from '../../contract/agentText.ts';
import type { Masker } from '../../core/contract/guard.ts';
import { type Store, saveDocument } from '../../core/contract/store.ts';
import { TerminalError } from '../../core/errors.ts';
import type { Clock } from '../../core/kernel/deps.ts';
import { DOCUMENT_RACES, RACE_LOST, retryLostRaces } from '../../core/kernel/documents/retryConflict.ts';
import { DEFAULT_MASKING, type MaskingRules } from '../../masking/masker.ts';
import { listReadable } from '../views/readable.ts';
import { type StoredAgent, storedAgentType } from './storedAgent.ts';

/** UTF-8 bytes of an agent: the document of a session contains all its agents. */
const MAX_AGENT_BYTES = 150_000;

/** Rules that search for secrets in agents, without those that also match random-looking names. */
export const AGENT_MASKING: MaskingRules = { ...DEFAULT_MASKING, off: ['nearby'] };

type AgentEdit = 'created' | 'changed' | 'unchanged';

interface EditDeps {
  store: Store;
  clock: Clock;
}

/** All usable agents of the store, by name. @throws RetryableError when the store fails. */
export async function listStoredAgents(store: Store): Promise<StoredAgent[]> {
  const { values } = await listReadable({ collection: storedAgentType.paths.agents }, storedAgentType, store);
  return values.filter(({ yaml }) => yaml !== null);
}

/**
 * Stores an agent, which replaces the agent of the files from the next session on; instances use a cached
 * version for up to 300 s.
 * @param options.by who writes it.
 * @throws ConfigError with all faults; TerminalError `CONFIG_INVALID` for an agent that is too large or
 *   contains a secret, RetryableError `STORE_CONFLICT` when others keep changing it.
 */
export async function pushAgent(
  text: AgentText,
  { by, ...checks }: { by: string; catalog: AgentCatalog; masker: Masker },
  deps: EditDeps,
): Promise<{ edit: AgentEdit; remarks: string[] }> {
  const { version, remarks } = checkAgent(text, checks);
  return { edit: await writeAgent(text.name, text.yaml, { by, version }, deps), remarks };
}

/**
 * Checks whether an agent can be stored.
 * @returns its version, and a line for each part that has no effect.
 * @throws ConfigError with all faults; TerminalError `CONFIG_INVALID` for an agent that is too large or
 *   contains a secret.
 */
export function checkAgent(
  text: AgentText,
  { catalog, masker }: { catalog: AgentCatalog; masker: Masker },
): { version: string; remarks: string[] } {
  const file = text.file ?? text.name;
  if (Buffer.byteLength(text.yaml) > MAX_AGENT_BYTES)
    throw new TerminalError(
      'CONFIG_INVALID',
      `${file} is larger than ${MAX_AGENT_BYTES / 1000} kB; make it shorter`,
    );
  const { version, remarks } = catalog.check(text);
  const { kinds } = masker.mask(text.yaml);
  const [kind] = Object.keys(kinds);
  if (kind !== undefined) {
    const message = `${file} holds a secret (${kind}), and is not stored; take it out of the text`;
    throw new TerminalError('CONFIG_INVALID', message);
  }
  return { version, remarks };
}

/**
 * Removes an agent from the store, so that the agent of the files is used again.
 * @returns false when the store has no usable agent of this name. Throws like `pushAgent`.
 */
export async function removeAgent(name: string, by: string, deps: EditDeps): Promise<boolean> {
  const stored = await deps.store.get(storedAgentType.paths.agent(name), storedAgentType);
  if (stored === undefined || stored.value.yaml === null) return false;
  await writeAgent(name, null, { by, version: stored.value.version }, deps);
  return true;
}

async function writeAgent(
  name: string,
  yaml: string | null,
  { by, version }: { by: string; version: string },
  { store, clock }: EditDeps,
): Promise<AgentEdit> {
  const path = storedAgentType.paths.agent(name);
  return retryLostRaces<AgentEdit>(path, DOCUMENT_RACES, async () => {
    const stored = await store.get(path, storedAgentType);
    if (stored?.value.yaml === yaml) return 'unchanged';
    const now = clock.now();
    const createdAt = stored?.value.createdAt ?? now;
    const value: StoredAgent = { name, yaml, version, updatedBy: by, createdAt, updatedAt: now };
    const result = await store.commit([saveDocument(path, storedAgentType, value, stored?.version)]);
    if (!result.ok) return RACE_LOST;
    return stored === undefined || stored.value.yaml === null ? 'created' : 'changed';
  });
}
