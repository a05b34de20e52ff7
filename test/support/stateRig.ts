// A session with one stage and one agent in a store in memory, for tests of what is done to stored state.

import { createDocument, type Store } from '../../shared/core/contract/store.ts';
import type { AlertDeps } from '../../shared/core/kernel/deps.ts';
import type { Execution } from '../../shared/core/schema/execution.ts';
import type { Session } from '../../shared/core/schema/session.ts';
import type { Stage } from '../../shared/core/schema/stage.ts';
import { approvalType, executionType, paths, sessionType, stageType } from '../../shared/lists/documents.ts';
import { createLogger } from '../../shared/log.ts';
import { createMaskers } from '../../shared/masking/maskers.ts';
import { createMemoryPublisher } from '../../shared/store/memory/memoryPublisher.ts';
import { createMemoryStore, type MemoryStore } from '../../shared/store/memory/memoryStore.ts';
import { composeState } from '../../shared/wiring/composeState.ts';
import {
  SAMPLE_TIME,
  sampleAgent,
  sampleApproval,
  sampleExecution,
  samplePendingCall,
  sampleSession,
  sampleStage,
} from './samples.ts';
import { SIGNATURES } from './signatures.ts';

/** The moment at which everything happens. */
export const now = new Date(SAMPLE_TIME.getTime() + 60_000);
/** The deadline of all there is. */
export const later = new Date(now.getTime() + 600_000);
/** The only session. */
export const { sessionId } = sampleSession();
/** The only stage and its only execution. */
export const { stageId, executionId } = sampleExecution();
/** The path of the session. */
export const session = paths.session(sessionId);
/** The path of the execution. */
export const execution = paths.execution(sessionId, executionId);
/** The id of the execution below it. */
export const childId = `${executionId}~1`;
/** Its path. */
export const child = paths.execution(sessionId, childId);
/** The person who does everything. */
export const ADA = { by: 'ada' };

/** The documents of a session with one agent that is idle; null for one that is gone. */
export interface Documents {
  session?: Partial<Session>;
  stage?: Partial<Stage> | null;
  execution?: Partial<Execution>;
  /** An execution below it. Default: there is none. */
  child?: Partial<Execution>;
}

/** A store with these documents. @param storedAt when all of them were written. Default: now. */
export async function storeWith(documents: Documents, storedAt = now): Promise<MemoryStore> {
  const store = createMemoryStore(() => storedAt);
  const value = sampleSession({ deadline: later, ...documents.session });
  const idle = { lease: null, pendingCalls: [], deadline: later };
  const own = sampleExecution({ ...idle, ...documents.execution });
  const below = { executionId: childId, parentExecutionId: executionId, depth: 1 };
  await store.commit([
    createDocument(session, sessionType, value),
    createDocument(paths.execution(sessionId, own.executionId), executionType, own),
    ...(documents.stage === null
      ? []
      : [createDocument(paths.stage(sessionId, stageId), stageType, sampleStage(documents.stage))]),
    ...(documents.child === undefined
      ? []
      : [createDocument(child, executionType, sampleExecution({ ...idle, ...below, ...documents.child }))]),
  ]);
  return store;
}

/** The dependencies of a process with this store. */
export function depsOf(
  store: Store,
): AlertDeps & typeof SIGNATURES & { publisher: ReturnType<typeof createMemoryPublisher> } {
  const clock = { now: () => now, every: () => () => {}, after: () => () => {} };
  const log = createLogger({ LOG_LEVEL: 'silent' });
  return composeState({
    store,
    publisher: createMemoryPublisher(),
    clock,
    log,
    maskerFor: createMaskers({}),
    ...SIGNATURES,
  });
}

/** The session as it is stored. */
export const sessionIn = async (store: Store) => (await store.get(session, sessionType))?.value;
/** An execution as it is stored. Default: the only one of the stage. */
export const executionIn = async (store: Store, path = execution) =>
  (await store.get(path, executionType))?.value;

/** The steering of a session that is paused. */
export const paused = { ...sampleSession().steering, paused: { by: 'bob', at: SAMPLE_TIME } };
/** An execution that has completed. */
export const completed = { status: 'completed', endedAt: now, finalAnalysis: 'OOM.' } as const;
const chatAgent = sampleAgent({ name: 'chat', tools: [] });
const chain = { ...sampleSession().chain, chat: chatAgent };
/** A session that has completed and can be asked. */
export const concluded = { status: 'completed', finalAnalysis: 'OOM.', chain } as const;
/** The question that the stage answers. */
export const openStage = { stageId, deadline: later, cancelling: false };
/** Of a session that waits for a person to start it. */
export const deferral = { reason: 'triage' as const, startedAt: null, until: null };
/** An execution whose only call waits. */
export const waitsFor = (kind: 'person' | 'child', id: string, until = later) => ({
  status: 'waiting' as const,
  children: kind === 'child' ? 1 : 0,
  pendingCalls: [samplePendingCall({ state: 'waiting', waits: kind, waitsFor: { kind, id, until } })],
});
/** A store whose execution waits for a person. */
export const withApproval = async (until = later): Promise<MemoryStore> => {
  const { approvalId } = sampleApproval();
  const store = await storeWith({ execution: waitsFor('person', approvalId, until) });
  await store.commit([createDocument(paths.approval(approvalId), approvalType, sampleApproval({ until }))]);
  return store;
};
