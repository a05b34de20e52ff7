import { describe, expect, it } from 'vitest';
import { useUnits } from '../../../test/support/allowances.ts';
import { createTestClock } from '../../../test/support/testClock.ts';
import { createMemoryStore } from '../../store/memory/memoryStore.ts';
import { allowancePath, allowanceType } from './allowance.ts';
import { spendUnits, takeAllowance } from './takeAllowance.ts';

const MINUTE = 60_000;
const LIMIT = 1_000;
const TOKENS = { name: 'tokens', window: 'day' as const };

/** Processes that share a limit, at noon. One that is frozen has no timers. */
function share() {
  const clock = createTestClock();
  clock.advance(36 * 60 * MINUTE - (clock.now().getTime() % (24 * 60 * MINUTE)));
  const store = createMemoryStore(clock.now);
  const process = (isFrozen = false, aheadMs = 0) => {
    const now = () => new Date(clock.now().getTime() + aheadMs);
    const own = { ...clock, now, ...(isFrozen && { after: () => () => {} }) };
    const deps = { store: { ...store }, clock: own };
    return async (need: number, cap = LIMIT) =>
      (await takeAllowance(TOKENS, { need, cap, at: clock.now() }, deps)).kind;
  };
  return { clock, store, process, use: (units: number) => useUnits({ store, clock }, TOKENS, units) };
}

describe('processes that share a limit', () => {
  it('get what it has room for, also when they write at the same moment', async () => {
    const { process } = share();
    const outcomes = await Promise.all([process()(600), process()(600)]);
    expect(outcomes.sort()).toEqual(['granted', 'refused']);
  });

  it('count what one has in the next slot, whose clock is ahead', async () => {
    const { clock, process } = share();
    clock.advance(20 * MINUTE - 10_000);
    const ahead = process(false, 30_000);
    expect(await Promise.all([ahead(600), process()(600)])).toEqual(['granted', 'refused']);
  });

  it('use no slice for a request with a lower limit than it was taken below', async () => {
    const { process, use } = share();
    await use(890);
    const take = process();
    expect(await take(10)).toBe('granted');
    expect(await take(10, 900)).toBe('refused');
    expect(await take(10)).toBe('granted');
  });

  it('know within a minute what one has used without a reservation', async () => {
    const { clock, store } = share();
    const deps = { store, clock };
    for (let call = 0; call < 3; call++) await spendUnits(TOKENS, 100, clock.now(), deps);
    clock.advance(MINUTE);
    const count = () => store.get(allowancePath(TOKENS, clock.now()), allowanceType);
    await expect.poll(async () => (await count())?.value.used).toBe(300);
  });

  it('get the part of a dead one two slots later at the latest', async () => {
    const { clock, process } = share();
    expect(await process(true)(500)).toBe('granted');
    expect(await process()(900)).toBe('refused');
    clock.advance(41 * MINUTE);
    expect(await process()(900)).toBe('granted');
  });

  it('do not use a slice that others can have: they were frozen', async () => {
    const { clock, process } = share();
    const frozen = process(true);
    expect(await frozen(10)).toBe('granted');
    clock.advance(41 * MINUTE);
    expect(await process()(980)).toBe('granted');
    expect(await frozen(100)).toBe('refused');
  });
});
