import { describe, expect, it } from 'vitest';
import { samplePlan } from '../../../test/support/samples.ts';
import { createTestClock } from '../../../test/support/testClock.ts';
import type { AgentCatalog } from '../../config/config.ts';
import type { AgentText } from '../../contract/agentText.ts';
import { TerminalError } from '../../core/errors.ts';
import { SchemaVersionError } from '../../core/schema/documentType.ts';
import { createLogger } from '../../log.ts';
import { createMasker } from '../../masking/masker.ts';
import { createMemoryStore } from '../../store/memory/memoryStore.ts';
import { listStoredAgents, pushAgent, removeAgent } from './editAgents.ts';
import { resolveAgent, withStoredAgents } from './resolveAgents.ts';
import { createStoredAgents } from './storedAgents.ts';

const chain = { name: 'test', stages: [samplePlan()] };

/** A configuration with the agent `kubernetes`, which accepts every text that is not `wrong`. */
const catalog: AgentCatalog = {
  names: ['kubernetes'],
  remarks: [],
  chain: (_, stored) => ({
    chain: { ...chain, name: stored.map(({ yaml }) => yaml).join() },
    refused: [],
  }),
  plan(name, _, stored) {
    const [agent] = chain.stages[0]?.agents ?? [];
    if (agent === undefined) throw new Error('no agent');
    return { ...agent, name, instructions: stored?.yaml ?? 'files' };
  },
  chat: () => undefined,
  check({ yaml }: AgentText) {
    if (yaml === 'wrong') throw new TerminalError('CONFIG_INVALID', 'wrong');
    return { version: '1.0.0', remarks: [], tools: [] };
  },
  sourceOf: () => undefined,
  toolRules: () => [],
};
const config = { agents: catalog };

function setUp() {
  const clock = createTestClock();
  const store = createMemoryStore(clock.now);
  const log = createLogger({ LOG_LEVEL: 'silent' });
  const deps = { store, clock, log, storedAgents: createStoredAgents({ store, clock, log }) };
  const options = { by: 'anna', catalog, masker: createMasker({}) };
  const push = (yaml: string, name = 'kubernetes') => pushAgent({ name, yaml }, options, deps);
  return { deps, clock, store, push };
}

describe('a stored agent', () => {
  it('counts in sessions that are opened, and where it is asked by name', async () => {
    const { deps, push } = setUp();
    expect((await withStoredAgents(chain, config, deps)).name).toBe('test');
    deps.storedAgents.clear();
    await push('first');
    expect((await withStoredAgents(chain, config, deps)).name).toBe('first');
    expect((await resolveAgent('kubernetes', {}, config, deps)).instructions).toBe('first');
  });

  it('that changed is seen after 300 s, or once it was forgotten', async () => {
    const { deps, clock, push } = setUp();
    const seen = async () => (await withStoredAgents(chain, config, deps)).name;
    await push('first');
    expect(await seen()).toBe('first');
    await push('second');
    clock.advance(299_000);
    expect(await seen()).toBe('first');
    clock.advance(1_001);
    expect(await seen()).toBe('second');
    await push('third');
    expect(deps.storedAgents.clear('kubernetes')).toBe(1);
    expect(await seen()).toBe('third');
  });

  it('is the same object as long as it does not change, so that it is parsed once', async () => {
    const { deps, clock, push } = setUp();
    await push('first');
    const before = await deps.storedAgents.get('kubernetes');
    clock.advance(300_001);
    expect(await deps.storedAgents.get('kubernetes')).toBe(before);
  });

  it('is checked before it is written, and holds no secrets', async () => {
    const { store, push } = setUp();
    await expect(push('wrong')).rejects.toThrow('wrong');
    await expect(push(`key: AKIA${'IOSFODNN7EXAMPLF'}`)).rejects.toThrow(/holds a secret/);
    await expect(push('x'.repeat(150_001))).rejects.toThrow(/larger than 150 kB/);
    expect(await listStoredAgents(store)).toEqual([]);
  });

  it('is created, changed, left unchanged and removed', async () => {
    const { deps, store, push } = setUp();
    expect((await push('a')).edit).toBe('created');
    expect((await push('a')).edit).toBe('unchanged');
    expect((await push('b')).edit).toBe('changed');
    expect(await removeAgent('kubernetes', 'anna', deps)).toBe(true);
    expect(await removeAgent('kubernetes', 'anna', deps)).toBe(false);
    expect(await listStoredAgents(store)).toEqual([]);
    expect((await withStoredAgents(chain, config, deps)).name).toBe('test');
    expect((await push('c')).edit).toBe('created');
  });

  it.each([
    ['broken', new TerminalError('DOCUMENT_INVALID', 'broken')],
    ['of newer code', new SchemaVersionError('SCHEMA_TOO_NEW', 'newer')],
  ])('that is %s leaves the files to count, so that no alert waits', async (_, error) => {
    const { deps, store } = setUp();
    const broken = {
      ...deps.storedAgents,
      get: createStoredAgents({
        ...deps,
        store: { ...store, get: () => Promise.reject(error) },
      }).get,
    };
    expect((await withStoredAgents(chain, config, { ...deps, storedAgents: broken })).name).toBe('test');
  });

  it('is not looked for by a name that is no id', async () => {
    const { deps } = setUp();
    expect((await resolveAgent('a/b', {}, config, deps)).instructions).toBe('files');
  });
});
