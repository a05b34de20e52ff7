// The agent of an execution, as it was when the execution was created. It never changes, so a process reads it once.

import type { Agent, AgentSnapshot, ChainSnapshot } from '../../schema/agent.ts';
import { agentSnapshotType, paths, sessionType } from '../../schema/documents.ts';
import type { Execution } from '../../schema/execution.ts';
import type { RuntimeDeps } from '../deps.ts';
import { type Reading, readable } from '../readable.ts';

/** A process works on one execution at a time and sees most of them again: the last ones are enough. */
const MAX_CACHED = 100;

type AgentDeps = Pick<RuntimeDeps, 'store' | 'agentCache'>;

/**
 * The snapshot of an execution that may not have been read yet, so that both can be read at the same time; undefined
 * when there is none.
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
  const { value: stored, failure } = await readable(store.get(path, agentSnapshotType));
  if (failure !== undefined) return { failure };
  if (stored === undefined) return { value: undefined };
  const [oldest] = agentCache.keys();
  if (agentCache.size >= MAX_CACHED && oldest !== undefined) agentCache.delete(oldest);
  agentCache.set(path, stored.value);
  return { value: stored.value };
}

/**
 * The agent of an execution: from its snapshot, or from its session's chain if older code created the execution.
 * @param snapshot what `loadSnapshot` read.
 * @throws RetryableError when the store fails, or for documents of newer code.
 */
export async function loadAgent(
  execution: Execution,
  snapshot: Reading<AgentSnapshot | undefined>,
  deps: AgentDeps,
): Promise<Reading<Agent>> {
  const { sessionId, executionId } = execution;
  let { value: found, failure } = snapshot;
  if (found !== undefined && !belongsTo(found, execution)) {
    // It was cached when its id was that of another execution: an emulator that starts anew repeats ids.
    deps.agentCache.delete(paths.agentSnapshot(sessionId, executionId));
    ({ value: found, failure } = await loadSnapshot(sessionId, executionId, deps));
  }
  if (failure !== undefined) return { failure };
  if (found !== undefined && belongsTo(found, execution)) return { value: found.agent };
  return plannedAgent(execution, deps);
}

function belongsTo(snapshot: AgentSnapshot, { createdAt }: Execution): boolean {
  return snapshot.createdAt.getTime() === createdAt.getTime();
}

async function plannedAgent(execution: Execution, { store }: AgentDeps): Promise<Reading<Agent>> {
  const { sessionId, executionId } = execution;
  const { value: session, failure } = await readable(store.get(paths.session(sessionId), sessionType));
  if (failure !== undefined) return { failure };
  const planned = session && agentInChain(session.value.chain, execution);
  if (planned !== undefined) {
    const { limits: _, ...agent } = planned;
    return { value: agent };
  }
  const message = `The agent of execution ${executionId} is missing in the store.`;
  return { failure: { code: 'DOCUMENT_INVALID', message } };
}

/** A stage's id begins with the position of its plan in the chain. */
function agentInChain(chain: ChainSnapshot, { stageId, agentName }: Execution) {
  const plan = chain.stages[Number.parseInt(stageId, 10) - 1];
  return [...(plan?.agents ?? []), plan?.synthesis].find((agent) => agent?.name === agentName) ?? undefined;
}
