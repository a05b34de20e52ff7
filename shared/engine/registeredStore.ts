// Leaves runs of agents that this program does not register to newer code, as documents of newer versions
// are.

import type { Store } from '../core/contract/store.ts';
import { type AgentSnapshot, agentRole } from '../core/schema/agent.ts';
import { agentSnapshotType } from '../core/schema/coreDocuments.ts';
import { SchemaVersionError } from '../core/schema/documentType.ts';

/**
 * The store, in which the agent of an execution that is not registered counts as a newer document: its
 * message is delivered again for 15 minutes, after which the execution fails with `SCHEMA_TOO_NEW`.
 * @param isRegistered whether this program has an agent of that name.
 */
export function registeredStore(store: Store, isRegistered: (agent: string) => boolean): Store {
  const get: Store['get'] = async (path, type) => {
    const stored = await store.get(path, type);
    if ((type as unknown) !== agentSnapshotType || stored === undefined) return stored;
    const name = agentRole((stored.value as unknown as AgentSnapshot).agent);
    if (isRegistered(name)) return stored;
    throw new SchemaVersionError(
      'SCHEMA_TOO_NEW',
      `${path}: this program does not register the agent ${name}`,
    );
  };
  return { ...store, get };
}
