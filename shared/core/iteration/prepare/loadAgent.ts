// Loads the agent of an execution as of its creation. It never changes, so a process caches it.

import type { RuntimeDeps } from '../../kernel/deps.ts';
import { captureFailure, type Reading } from '../../kernel/documents/reading.ts';
import { agentInUse } from '../../kernel/state/agentInUse.ts';
import type { AgentSnapshot } from '../../schema/agent.ts';
import { agentSnapshotType, paths } from '../../schema/coreDocuments.ts';
import type { Execution } from '../../schema/execution.ts';

/** A process works on few executions at a time, so the latest ones are enough. */
const MAX_CACHED = 100;

/** An agent, the nonce that frames its data, the key of its session's marks, and the labels of its input. */
export type LoadedAgent = Pick<AgentSnapshot, 'agent' | 'dataNonce' | 'maskKey' | 'labels'>;

type AgentDeps = Pick<RuntimeDeps, 'store' | 'agentCache'>;

/**
 * Loads the snapshot by id, so that it can be read at the same time as its execution; undefined if there is
 * none.
 * @throws RetryableError when the store fails, or for a document of newer code.
 */
export async function loadSnapshot(
  sessionId: string,
  executionId: string,
  { store, agentCache }: AgentDeps,
): Promise<Reading<AgentSnapshot | undefined>> {
  const path = paths.agentSnapshot(sessionId, executionId);
  const cached = agentCache.get(path);
  if (cached !== undefined) return { value: cached };
  const { value: stored, failure } = await captureFailure(store.get(path, agentSnapshotType));
  if (failure !== undefined) return { failure };
  if (stored === undefined) return { value: undefined };
  const [oldest] = agentCache.keys();
  if (agentCache.size >= MAX_CACHED && oldest !== undefined) agentCache.delete(oldest);
  agentCache.set(path, stored.value);
  return { value: stored.value };
}

/**
 * Returns the agent of an execution with its current model.
 * @param snapshot the result of `loadSnapshot`.
 * @throws RetryableError when the store fails, or for documents of newer code.
 */
export async function loadAgent(
  execution: Execution,
  snapshot: Reading<AgentSnapshot | undefined>,
  deps: AgentDeps,
): Promise<Reading<LoadedAgent>> {
  const { value: loaded, failure } = await loadWithOwnModel(execution, snapshot, deps);
  if (failure !== undefined) return { failure };
  const agent = agentInUse(loaded.agent, execution);
  if (agent !== undefined) return { value: { ...loaded, agent } };
  const message = `The agent of execution ${execution.executionId} has no model ${execution.modelIndex}.`;
  return { failure: { code: 'DOCUMENT_INVALID', message } };
}

async function loadWithOwnModel(
  execution: Execution,
  snapshot: Reading<AgentSnapshot | undefined>,
  deps: AgentDeps,
): Promise<Reading<LoadedAgent>> {
  const { sessionId, executionId } = execution;
  let { value: found, failure } = snapshot;
  if (found !== undefined && !belongsTo(found, execution)) {
    // The cache holds the agent of another execution with the same id: a restarted emulator repeats ids.
    deps.agentCache.delete(paths.agentSnapshot(sessionId, executionId));
    ({ value: found, failure } = await loadSnapshot(sessionId, executionId, deps));
  }
  if (failure !== undefined) return { failure };
  if (found !== undefined && belongsTo(found, execution)) return { value: found };
  const message = `The agent of execution ${executionId} is missing in the store.`;
  return { failure: { code: 'DOCUMENT_INVALID', message } };
}

function belongsTo(snapshot: AgentSnapshot, { createdAt }: Execution): boolean {
  return snapshot.createdAt.getTime() === createdAt.getTime();
}
