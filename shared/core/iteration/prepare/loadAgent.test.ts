import { beforeEach, describe, expect, it, vi } from 'vitest';
import { SAMPLE_NONCE, sampleAgentSnapshot, sampleExecution } from '../../../../test/support/samples.ts';
import { agentSnapshotType, paths } from '../../../lists/documents.ts';
import { createMemoryStore } from '../../../store/memory/memoryStore.ts';
import { createDocument, type Store } from '../../contract/store.ts';
import type { AgentCache } from '../../kernel/deps.ts';
import type { Execution } from '../../schema/execution.ts';
import { loadAgent, loadSnapshot } from './loadAgent.ts';

const execution = sampleExecution();
const { sessionId, executionId } = execution;
const snapshot = sampleAgentSnapshot();
const path = paths.agentSnapshot(sessionId, executionId);
let store: Store;
let agentCache: AgentCache;

beforeEach(() => {
  store = createMemoryStore(() => new Date());
  agentCache = new Map();
});

async function load(of: Execution = execution) {
  const deps = { store, agentCache };
  return loadAgent(of, await loadSnapshot(of.sessionId, of.executionId, deps), deps);
}
const storeSnapshot = (value = snapshot) =>
  store.commit([
    createDocument(paths.agentSnapshot(value.sessionId, value.executionId), agentSnapshotType, value),
  ]);

describe('the agent of an execution', () => {
  it('is that of its snapshot, which is read once', async () => {
    await storeSnapshot();
    const get = vi.spyOn(store, 'get');
    expect(await load()).toMatchObject({ value: { agent: snapshot.agent, dataNonce: SAMPLE_NONCE } });
    expect(await load()).toMatchObject({ value: { agent: snapshot.agent, dataNonce: SAMPLE_NONCE } });
    expect(get).toHaveBeenCalledTimes(1);
  });

  it("is not another execution's whose ids were the same", async () => {
    const older = { ...snapshot, agent: { ...snapshot.agent, instructions: 'Old.' }, createdAt: new Date(0) };
    agentCache.set(path, older);
    await storeSnapshot();
    expect(await load()).toMatchObject({ value: { agent: snapshot.agent, dataNonce: SAMPLE_NONCE } });
    expect(agentCache.get(path)).toEqual(snapshot);
  });

  it('is kept for the last hundred executions', async () => {
    for (let index = 1; index <= 101; index++) {
      await storeSnapshot({ ...snapshot, executionId: `01-agent-${index}` });
      await loadSnapshot(sessionId, `01-agent-${index}`, { store, agentCache });
    }
    expect(agentCache.size).toBe(100);
    expect([...agentCache.keys()][0]).toBe(paths.agentSnapshot(sessionId, '01-agent-2'));
  });

  it('cannot be read when its snapshot is broken', async () => {
    const type = {
      ...agentSnapshotType,
      encode: (value: object) => ({ ...value, schemaVersion: agentSnapshotType.version }),
    };
    await store.commit([
      createDocument(path, type as typeof agentSnapshotType, { ...snapshot, agent: {} } as never),
    ]);
    expect(await load()).toMatchObject({ failure: { code: 'DOCUMENT_INVALID' } });
  });

  it('is missing without a snapshot', async () => {
    expect(await load()).toMatchObject({
      failure: {
        code: 'DOCUMENT_INVALID',
        message: 'The agent of execution 01-kubernetes is missing in the store.',
      },
    });
  });
});
