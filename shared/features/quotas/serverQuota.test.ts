import { describe, expect, it } from 'vitest';
import { sampleExecution } from '../../../test/support/samples.ts';
import { createTestClock } from '../../../test/support/testClock.ts';
import { createQuotas, type ServerQuota } from '../../contract/quotas.ts';
import { createDocument } from '../../core/contract/store.ts';
import type { ToolCall, ToolResult } from '../../core/contract/tools.ts';
import type { IterationContext } from '../../core/kernel/execution/context.ts';
import type { AgentTools } from '../../core/kernel/tools/agentTools.ts';
import type { Execution, PendingCall } from '../../core/schema/execution.ts';
import { paths, quotaType } from '../../lists/documents.ts';
import { createLogger } from '../../log.ts';
import { createMemoryStore } from '../../store/memory/memoryStore.ts';
import { admitCalls, countCalls } from './serverQuota.ts';

const SLOTS = paths.quotaSlots('server~logs', 0);

/** The time until which an execution waits. */
class Waits extends Error {
  readonly ms: number;
  constructor(ms: number) {
    super(`waits for ${ms} ms`);
    this.ms = ms;
  }
}

/** A server `logs` with limits, and an execution that calls it. */
function open(limits: ServerQuota, { severity = 'warning', waitedMs = 0 } = {}) {
  const clock = createTestClock();
  // The start of an hour: shortly before its end a call waits for the next one.
  clock.advance(3_600_000 - (clock.now().getTime() % 3_600_000));
  const store = createMemoryStore(clock.now);
  let commits = 0;
  const { commit } = store;
  store.commit = (writes) => {
    commits += 1;
    return commit(writes);
  };
  let drawn = 0;
  const deps = {
    store,
    random: () => drawn,
    clock,
    quotas: createQuotas({ models: {}, servers: { logs: limits } }),
    conversations: { drop: () => {} },
    log: createLogger({ LOG_LEVEL: 'silent' }),
  };
  const base = sampleExecution();
  deps.quotas.claimants.set(base.sessionId, { tenant: 'acme', isCritical: severity === 'critical' });
  const since = new Date(clock.now().getTime() - waitedMs);
  const outage = { code: 'QUOTA_REACHED', since, pauses: 1, calls: 0, parked: false } as const;
  const execution: Execution = {
    ...base,
    limits: { ...base.limits, toolTimeoutMs: 30_000 },
    outage: waitedMs > 0 ? outage : null,
  };
  /** A claim of the execution: a process knows the calls that it has admitted. */
  const claim = (result: Partial<ToolResult> = {}) => {
    const agent = { strategy: 'native-thinking' };
    const held = {
      current: () => execution,
      commit: async (build: (current: Execution) => { execution: Execution }) => {
        const { notBefore } = build(execution).execution;
        throw new Waits((notBefore?.getTime() ?? Number.NaN) - clock.now().getTime());
      },
    };
    const context = { held, agent, deps } as unknown as IterationContext;
    const tools = {
      execute: async ({ callId }: ToolCall) => ({ callId, content: 'lines', ...result }),
    } as unknown as AgentTools;
    const counted = countCalls(tools, context);
    const nameOf = (index: number) => ({ callId: `call_${index}`, name: 'logs.read' });
    return {
      admit: (...indexes: number[]) =>
        admitCalls(
          context,
          indexes.map((index) => ({ ...nameOf(index), index, state: 'running' }) as PendingCall),
        ).then(
          (ready) => ready.length,
          (error: unknown) => {
            if (error instanceof Waits) return error.message;
            throw error;
          },
        ),
      async run(index: number) {
        const call = { ...nameOf(index), arguments: '{}' };
        return (await counted.execute(call, {} as never)).content;
      },
    };
  };
  const running = async () => Object.keys((await store.get(SLOTS, quotaType))?.value.slots ?? {}).length;
  const random = (number: number) => {
    drawn = number;
  };
  return { store, clock, claim, running, random, writes: () => commits };
}

describe('the slots of a server', () => {
  it('are as many as its limit, and each is free soon after its call', async () => {
    const { claim, clock, running } = open({ concurrency: 2 });
    const { admit, run } = claim();
    expect(await admit(0, 1, 2)).toBe(2);
    expect(await running()).toBe(2);
    await run(0);
    expect(await running()).toBe(2);
    clock.advance(2_000);
    await new Promise((resolve) => setImmediate(resolve));
    expect(await running()).toBe(1);
    expect(await admit(2)).toBe(1);
  });

  it('are used by the next calls of the process without a write, for twenty seconds at most', async () => {
    const { claim, clock, running, writes } = open({ concurrency: 1 });
    const { admit, run } = claim();
    for (let call = 0; call < 19; call++) {
      expect(await admit(call)).toBe(1);
      clock.advance(1_000);
      await run(call);
    }
    expect(writes()).toBe(2);
    expect(await running()).toBe(0);
  });

  it('are not used for a call that can last longer than they do', async () => {
    const { claim, clock, running } = open({ concurrency: 1 });
    const { admit, run } = claim();
    await admit(0);
    clock.advance(18_001);
    await run(0);
    expect(await running()).toBe(0);
  });

  it('of a large limit are divided among documents', async () => {
    const { claim, store, random } = open({ concurrency: 23 });
    const { admit } = claim();
    random(0.9);
    expect(await admit(...Array.from({ length: 30 }, (_, index) => index))).toBe(23);
    const found = await store.list({ collection: paths.quotas }, quotaType);
    expect(found.map(({ value }) => Object.keys(value.slots).length)).toEqual([8, 8, 7]);
  });

  it('are kept by a process that dies until its call must have ended, and not against the same call', async () => {
    const { claim, clock } = open({ concurrency: 1 });
    expect(await claim().admit(0)).toBe(1);
    expect(await claim().admit(0)).toBe(1);
    expect(await claim().admit(1)).toBe('waits for 10000 ms');
    clock.advance(49_999);
    expect(await claim().admit(1)).toBe('waits for 10000 ms');
    clock.advance(1);
    expect(await claim().admit(1)).toBe(1);
  });

  it('are asked for twice as often by a critical alert', async () => {
    const { claim } = open({ concurrency: 1 }, { severity: 'critical' });
    expect([await claim().admit(0), await claim().admit(1)]).toEqual([1, 'waits for 5000 ms']);
  });

  it('are waited for two minutes at most, earlier waits included', async () => {
    const { claim } = open({ concurrency: 1 }, { waitedMs: 110_001 });
    await claim().admit(0);
    const { admit, run } = claim();
    expect(await admit(1)).toBe(1);
    expect(await run(1)).toMatch(/^logs\.read was not run: logs runs 1 calls, its limit\./);
  });

  it('are free again for a call that has no place in its minute', async () => {
    const { claim, clock, running } = open({ concurrency: 2, perMinute: 1 });
    const { admit, run } = claim();
    expect(await admit(0)).toBe(1);
    expect(await admit(1)).toMatch(/^waits for /);
    clock.advance(2_000);
    await new Promise((resolve) => setImmediate(resolve));
    expect(await running()).toBe(1);
    await run(0);
    clock.advance(2_000);
    await new Promise((resolve) => setImmediate(resolve));
    expect(await running()).toBe(0);
  });

  it.each([
    [4, 1],
    [5, 'waits for 10000 ms'],
  ])('are written again after %i concurrent changes, five times at most', async (races, outcome) => {
    const { claim, store } = open({ concurrency: 1 });
    const { commit } = store;
    let left = races;
    store.commit = (writes) => (left-- > 0 ? Promise.resolve({ ok: false } as never) : commit(writes));
    expect(await claim().admit(0)).toBe(outcome);
  });

  it('of newer code are not replaced: the execution is delivered again', async () => {
    const { claim, store } = open({ concurrency: 1 });
    const newer = { ...quotaType, encode: () => ({ schemaVersion: 99, slots: {} }) };
    await store.commit([createDocument(SLOTS, newer, {} as never)]);
    await expect(claim().admit(0)).rejects.toMatchObject({ code: 'SCHEMA_TOO_NEW' });
  });
});

describe('the bytes of an hour', () => {
  it.each<[string, Partial<ToolResult>, number]>([
    ['as UTF-8', { content: 'üü' }, 4],
    ['of a large result as it was received', { content: 'a', large: { bytes: 900 } as never }, 900],
  ])('are counted %s', async (_, result, bytes) => {
    for (const [limit, outcome] of [
      [bytes, 'was not run: The limit of logs for this hour'],
      [bytes + 1, result.content],
    ] as const) {
      const { claim } = open({ bytesPerHour: limit });
      const { admit, run } = claim(result);
      for (const index of [0, 1]) await admit(index);
      await run(0);
      await admit(2);
      expect(await run(2)).toContain(outcome);
    }
  });
});
