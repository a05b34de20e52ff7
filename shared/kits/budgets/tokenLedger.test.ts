import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../../test/support/fullTests.ts';
import { sampleExecution } from '../../../test/support/samples.ts';
import { createTestClock } from '../../../test/support/testClock.ts';
import { RetryableError } from '../../core/errors.ts';
import type { Reservation, TokenLedger } from '../../core/kernel/tokens/tokenLedger.ts';
import type { Limits } from '../../core/schema/agent.ts';
import type { Execution } from '../../core/schema/execution.ts';
import { paths, usageType } from '../../lists/documents.ts';
import { createLogger } from '../../log.ts';
import { createMemoryStore } from '../../store/memory/memoryStore.ts';
import { openDayLedger, openLedger } from './tokenLedger.ts';

const MINUTE = 60_000;

function world() {
  const clock = createTestClock();
  const store = createMemoryStore(clock.now);
  const deps = { store, clock, log: createLogger({ LOG_LEVEL: 'silent' }) };
  const base = sampleExecution();
  const open = (limits: Partial<Limits>, overrides: Partial<Execution> = {}): TokenLedger =>
    openLedger({ ...base, limits: { ...base.limits, ...limits }, ...overrides }, deps);
  const path = paths.stageUsage(base.sessionId, base.stageId);
  const stage = async () => (await store.get(path, usageType))?.value;
  return { ...deps, open, stage };
}

const work = (tokens: number, conclusion = 0) => ({ tokens, conclusion });

async function granted(ledger: TokenLedger, tokens: number, conclusion = 0): Promise<Reservation> {
  const outcome = await ledger.reserve(work(tokens, conclusion));
  if (outcome.kind !== 'reserved') throw new Error(`refused: ${JSON.stringify(outcome)}`);
  return outcome;
}

describe('the ledger of one execution', () => {
  it('writes nothing where it shares no budget, and refuses calls that do not fit', async () => {
    const { open, store } = world();
    const ledger = open({ sessionTokens: 1_000 }, { tokensBefore: 400 });
    const first = await granted(ledger, 500);
    // As a summary beside another one: what is under way counts.
    expect(await ledger.reserve(work(200))).toEqual({
      kind: 'refused',
      budget: 'sessionTokens',
      room: 100,
      free: 600,
      mayFit: true,
    });
    first.settle(100);
    (await granted(ledger, 500)).settle(500);
    expect(await ledger.reserve(work(1))).toMatchObject({ kind: 'refused', room: 0, mayFit: false });
    expect(store.documents()).toEqual([]);
  });

  it('refuses nothing where there is no budget', async () => {
    const { open, store } = world();
    expect((await open({}, { siblings: 3 }).reserve(work(1e12))).kind).toBe('reserved');
    expect(store.documents()).toEqual([]);
  });

  it('keeps room for a conclusion, and at most half of the budget', async () => {
    const ledger = world().open({ sessionTokens: 1_000 });
    expect((await ledger.reserve(work(501, 500))).kind).toBe('refused');
    expect((await ledger.reserve(work(501, 0))).kind).toBe('reserved');
    expect((await world().open({ sessionTokens: 1_000 }).reserve(work(500, 9_000))).kind).toBe('reserved');
  });

  it('keeps room for the conclusion of the conversation behind a smaller call beside it', async () => {
    const ledger = world().open({ sessionTokens: 1_000 });
    (await granted(ledger, 200, 200)).settle(200);
    expect((await ledger.reserve(work(601, 10))).kind).toBe('refused');
    expect((await ledger.reserve(work(600, 10))).kind).toBe('reserved');
    expect((await ledger.reserve(work(200))).kind).toBe('reserved');
  });

  it('reserves the tokens of failed attempts beside the next one', async () => {
    const ledger = world().open({ sessionTokens: 1_000 });
    const reservation = await granted(ledger, 400);
    expect([await reservation.extend(400), await reservation.extend(300)]).toEqual([true, false]);
    reservation.settle(700);
    expect((await ledger.reserve(work(301))).kind).toBe('refused');
    expect((await ledger.reserve(work(300))).kind).toBe('reserved');
  });
});

describe('the ledgers of executions that share a budget', () => {
  const SHARED = { siblings: 1 };

  it('count the tokens that the session used before the stage', async () => {
    const { open } = world();
    const ledger = open({ sessionTokens: 1_000 }, { ...SHARED, tokensBefore: 900 });
    expect((await ledger.reserve(work(101))).kind).toBe('refused');
    expect((await ledger.reserve(work(100))).kind).toBe('reserved');
  });

  it('keep room for the conclusions of all', async () => {
    const { open } = world();
    const ledger = open({ sessionTokens: 1_000 }, { siblings: 2 });
    expect((await ledger.reserve(work(601, 100))).kind).toBe('refused');
    expect((await ledger.reserve(work(600, 100))).kind).toBe('reserved');
  });

  it('see the reservations of others, and their use instead after they are settled', async () => {
    const { open, stage } = world();
    const [one, other] = [open({ sessionTokens: 1_000 }, SHARED), open({ sessionTokens: 1_000 }, SHARED)];
    const reservation = await granted(one, 800);
    expect(await other.reserve(work(300))).toMatchObject({ room: 200, free: 1_000, mayFit: true });
    reservation.settle(600);
    reservation.settle(600);
    await one.close();
    expect(await other.reserve(work(401))).toMatchObject({ room: 400, free: 400, mayFit: false });
    await granted(other, 400);
    await other.close();
    expect(await stage()).toMatchObject({ count: 600 });
    expect(Object.values((await stage())?.reserved ?? {}).reduce((sum, tokens) => sum + tokens, 0)).toBe(0);
  });

  it('give back reservations that were not settled when they close', async () => {
    const { open } = world();
    const ledger = open({ sessionTokens: 1_000 }, SHARED);
    await granted(ledger, 1_000);
    await ledger.close();
    await granted(open({ sessionTokens: 1_000 }, SHARED), 1_000);
  });

  it('get back the reservation of a process that died after 20 minutes, and not within 10', async () => {
    const { open, clock } = world();
    const ledger = () => open({ sessionTokens: 1_000 }, SHARED);
    await granted(ledger(), 1_000);
    clock.advance(10 * MINUTE);
    expect(await ledger().reserve(work(1))).toMatchObject({ kind: 'refused', mayFit: true });
    clock.advance(10 * MINUTE);
    await granted(ledger(), 1_000);
  });

  it('count tokens of the day in which they were reserved', async () => {
    const { store, clock, open } = world();
    const day = 24 * 60 * MINUTE;
    clock.advance(day - (clock.now().getTime() % day) - MINUTE);
    const before = paths.usage('tokens', null, clock.now().toISOString().slice(0, 10));
    const ledger = open({ dailyTokens: [{ chain: null, limit: 1_000 }] });
    const reservation = await granted(ledger, 900);
    clock.advance(2 * MINUTE);
    reservation.settle(700);
    await ledger.close();
    expect((await store.get(before, usageType))?.value.count).toBe(700);
    await granted(open({ dailyTokens: [{ chain: null, limit: 1_000 }] }), 1_000);
  });

  it('take from all budgets or from none, and name the one that is used up', async () => {
    const { open, stage } = world();
    const limits = {
      sessionTokens: 10_000,
      dailyTokens: [
        { chain: 'shop', limit: 2_000 },
        { chain: null, limit: 1_000 },
      ],
    };
    const ledger = open(limits, SHARED);
    expect(await ledger.reserve(work(1_001))).toMatchObject({ budget: 'dailyTokens', room: 1_000 });
    expect(Object.values((await stage())?.reserved ?? {})).toEqual([0, 0]);
    await granted(ledger, 1_000);
  });

  it('give back their tokens when the store fails at another budget', async () => {
    const { store, clock, log, open, stage } = world();
    const fails = new RetryableError('STORE_UNAVAILABLE', 'no answer');
    const base = sampleExecution(SHARED);
    const limits = { ...base.limits, sessionTokens: 1_000, dailyTokens: [{ chain: null, limit: 1_000 }] };
    const failing = {
      ...store,
      incrementAll: ((path, ...rest) =>
        path.startsWith('usage/')
          ? Promise.reject(fails)
          : store.incrementAll(path, ...rest)) as typeof store.incrementAll,
    };
    const ledger = openLedger({ ...base, limits }, { store: failing, clock, log });
    await expect(ledger.reserve(work(600))).rejects.toBe(fails);
    await granted(open({ sessionTokens: 1_000 }, SHARED), 1_000);
    expect(await stage()).toMatchObject({ count: 0 });
  });

  it('try again writes that the store refused because others wrote', async () => {
    const { store, clock, log } = world();
    let refusals = 3;
    const contended = {
      ...store,
      incrementAll: ((...call) =>
        refusals-- > 0
          ? Promise.reject(new RetryableError('STORE_CONFLICT', 'contention'))
          : store.incrementAll(...call)) as typeof store.incrementAll,
    };
    const ledger = openDayLedger([{ chain: null, limit: 10 }], { store: contended, clock, log });
    await granted(ledger, 10);
  });

  it('are never over the limit together, whatever they do at the same time', async () => {
    const step = fc.record({
      by: fc.nat(2),
      tokens: fc.integer({ min: 1, max: 600 }),
      used: fc.double({ min: 0, max: 1, noNaN: true }),
      settles: fc.boolean(),
      concludes: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(step, { maxLength: 6 }), { maxLength: 8 }), async (rounds) => {
        const { open, stage } = world();
        const limit = 1_000;
        const ledgers = Array.from({ length: 3 }, () => open({ sessionTokens: limit }, { siblings: 2 }));
        let used = 0;
        let held = 0;
        for (const round of rounds) {
          const ends = await Promise.all(
            round.map(async ({ by, tokens, concludes, ...end }) => {
              const outcome = await ledgers[by]?.reserve(work(tokens, concludes ? 0 : 50));
              if (outcome?.kind !== 'reserved') return;
              held += tokens;
              expect(used + held).toBeLessThanOrEqual(limit);
              if (!end.settles) return;
              return () => {
                const spent = Math.floor(tokens * end.used);
                outcome.settle(spent);
                used += spent;
                held -= tokens;
              };
            }),
          );
          for (const end of ends) end?.();
          await Promise.resolve();
        }
        await Promise.all(ledgers.map((ledger) => ledger.close()));
        expect((await stage())?.count ?? 0).toBe(used);
        expect(Object.values((await stage())?.reserved ?? {}).reduce((sum, one) => sum + one, 0)).toBe(0);
      }),
      { numRuns: randomRuns(60) },
    );
  });
});
