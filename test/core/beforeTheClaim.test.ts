import { describe, expect, it } from 'vitest';
import type { ToolExecutor } from '../../shared/core/contract/tools.ts';
import { CRASH_POINTS } from '../../shared/core/kernel/crashPoints.ts';
import type { RuntimeDeps } from '../../shared/core/kernel/deps.ts';
import { type BenchOptions, opened } from '../support/harness.ts';

const options: BenchOptions = {
  agent: { tools: ['fixture'] },
  script: {
    conversations: [{ turns: [{ toolCalls: [{ name: 'fixture.echo' }] }, { text: 'Done.' }] }],
  },
};

/** An opened investigation, and what its process does, in order. */
async function watched(changes: Partial<BenchOptions> = {}) {
  const bench = await opened({ ...options, ...changes });
  const steps: string[] = [];
  const { store, llm, connectTools } = bench.deps;
  const open = new Set<ToolExecutor>();
  const deps: RuntimeDeps = {
    ...bench.deps,
    store: {
      ...store,
      async commit(writes) {
        const done = await store.commit(writes);
        steps.push(done.ok ? 'committed' : 'lost');
        return done;
      },
    },
    llm: {
      warm: () => void steps.push('warm'),
      generate(...args) {
        steps.push('ask');
        return llm.generate(...args);
      },
    },
    async connectTools(...args) {
      steps.push('connect');
      const executor = await connectTools(...args);
      open.add(executor);
      return {
        ...executor,
        execute(...call) {
          steps.push('call');
          return executor.execute(...call);
        },
        async close() {
          open.delete(executor);
          await executor.close();
        },
      };
    },
  };
  return { ...bench, deps, steps, open, read: () => bench.read(bench.sessionId) };
}

describe('before the claim', () => {
  it('servers are connected and the SDK is loaded, while the claim is on its way', async () => {
    const { deps, deliverNext, steps } = await watched();
    const { commit } = deps.store;
    let release = () => {};
    const connecting = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { connectTools } = deps;
    deps.connectTools = (...args) => {
      release();
      return connectTools(...args);
    };
    // The claim takes until a connection is begun: one after the other would wait for ever.
    deps.store.commit = async (writes) => {
      await connecting;
      return commit(writes);
    };
    await deliverNext(deps);
    expect(steps.slice(0, 3)).toEqual(['warm', 'connect', 'committed']);
    expect(steps.indexOf('ask')).toBeGreaterThan(2);
  });

  it('no model is asked and no tool is called; connections that a lost race opened are closed', async () => {
    const { deps, deliverNext, steps, open, editExecution, sessionId, read } = await watched();
    let others = 2;
    deps.failpoint = async (point) => {
      if (point !== CRASH_POINTS.afterLoad || others-- <= 0) return;
      await editExecution(sessionId, (execution) => ({ ...execution, claims: execution.claims + 1 }));
    };
    await deliverNext(deps);
    const untilClaim = steps.slice(0, steps.indexOf('committed'));
    expect(untilClaim.filter((step) => step === 'lost')).toHaveLength(2);
    expect(untilClaim.filter((step) => step === 'ask' || step === 'call')).toEqual([]);
    expect(untilClaim.filter((step) => step === 'connect').length).toBe(3);
    expect(open.size).toBe(0);
    expect((await read()).execution.iteration).toBe(2);
  });

  it('an attempt to connect that is under way ends with a lost race', async () => {
    const { deps, deliverNext, open, editExecution, sessionId } = await watched();
    const ended: unknown[] = [];
    const { connectTools } = deps;
    let isFirst = true;
    deps.connectTools = async (allowed, options) => {
      if (!isFirst) return connectTools(allowed, options);
      isFirst = false;
      // A server that never answers.
      await new Promise((_, reject) => {
        options.signal.addEventListener('abort', () => reject(options.signal.reason));
      }).catch((error: unknown) => {
        ended.push(error);
        throw error;
      });
      throw new Error('unreachable');
    };
    let others = 1;
    deps.failpoint = async (point) => {
      if (point !== CRASH_POINTS.afterLoad || others-- <= 0) return;
      await editExecution(sessionId, (execution) => ({ ...execution, claims: execution.claims + 1 }));
    };
    await deliverNext(deps);
    expect(ended).toHaveLength(1);
    expect(open.size).toBe(0);
  });

  it('opened connections are closed when the claim cannot be stored', async () => {
    const { deps, deliverNext, steps, open } = await watched();
    deps.store.commit = () => Promise.reject(new Error('the store is down'));
    await expect(deliverNext(deps)).rejects.toThrow('the store is down');
    expect(steps).toEqual(['warm', 'connect']);
    expect(open.size).toBe(0);
  });

  it('nothing is loaded for a copy of a message whose execution has ended', async () => {
    const { deps, deliver, deliverNext, steps, read } = await watched();
    const first = await deliverNext(deps);
    await deliverNext(deps);
    expect((await read()).execution.status).toBe('completed');
    steps.length = 0;
    await deliver(first, deps);
    expect(steps).toEqual([]);
  });

  it('no server is connected for an agent without tools', async () => {
    const { deps, deliverNext, steps } = await watched({
      agent: {},
      script: { conversations: [{ turns: [{ text: 'Done.' }] }] },
    });
    await deliverNext(deps);
    expect(steps).not.toContain('connect');
    expect(steps).toContain('warm');
  });
});
