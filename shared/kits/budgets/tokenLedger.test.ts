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
import { readUsed } from '../allowances/takeAllowance.ts';
import { openDayLedger, openLedger } from './tokenLedger.ts';
import { tokenAllowance } from './usageLimits.ts';

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
    const before = clock.now();
    const ledger = open({ dailyTokens: [{ chain: null, limit: 1_000 }] });
    const reservation = await granted(ledger, 900);
    clock.advance(2 * MINUTE);
    reservation.settle(700);
    await ledger.close();
    expect(await readUsed(tokenAllowance({ chain: null }), before, { store, clock })).toBe(700);
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
        path.startsWith('allowances/')
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

  it('grant exactly what fits, whatever is returned, extended, lost by a death or carried over a day', async () => {
    await fc.assert(fc.asyncProperty(fc.array(ledgerStep, { minLength: 5, maxLength: 40 }), runLedgers), {
      numRuns: randomRuns(300),
    });
  });
});

const PROCESSES = 3;
const DAY = 24 * 60 * MINUTE;
/** Of few sizes, so that some fit exactly. */
const tokens = fc.integer({ min: 1, max: 14 }).map((n) => 50 * n);
const which = fc.nat(9);
const ledgerStep = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      act: fc.constant('reserve' as const),
      by: fc.nat(PROCESSES - 1),
      tokens,
      conclusion: fc.constantFrom(0, 0, 50, 100, 900),
    }),
  },
  { weight: 3, arbitrary: fc.record({ act: fc.constant('settle' as const), which, tokens }) },
  fc.record({ act: fc.constant('extend' as const), which, tokens: fc.constantFrom(-50, 0, 50, 100, 200) }),
  fc.record({ act: fc.constantFrom('close' as const, 'die' as const), by: fc.nat(PROCESSES - 1) }),
  // To just before midnight, too.
  fc.record({ act: fc.constant('wait' as const), minutes: fc.constantFrom(1, 4, 9, 11, 25, -1) }),
);
type LedgerStep = typeof ledgerStep extends fc.Arbitrary<infer S> ? S : never;

/** A budget with its count in the current period, as the model keeps it. */
interface ModelAccount {
  budget: 'sessionTokens';
  limit: number;
  /** The path of the count. */
  path: string;
  kept(conclusion: number): number;
}
interface ModelHold {
  path: string;
  tokens: number;
  /** The ten minutes in which it was made. */
  window: number;
}

async function runLedgers(steps: readonly LedgerStep[]): Promise<void> {
  const { store, clock, open } = world();
  const { sessionId, stageId } = sampleExecution();
  const openOne = () => open({ sessionTokens: 2_000 }, { siblings: 1, tokensBefore: 100 });
  const ledgers = Array.from({ length: PROCESSES }, openOne);
  const largest = Array.from({ length: PROCESSES }, () => 0);
  const running: {
    by: number;
    at: number;
    reservation: Reservation;
    first: ModelHold[];
    further: ModelHold[];
  }[] = [];
  /** Reservations of dead processes. */
  const lost: ModelHold[] = [];
  const used = new Map<string, number>([[paths.stageUsage(sessionId, stageId), 100]]);
  const windowNow = () => Math.floor(clock.now().getTime() / (10 * MINUTE));

  const accounts = (): ModelAccount[] => [
    {
      budget: 'sessionTokens',
      limit: 2_000,
      path: paths.stageUsage(sessionId, stageId),
      kept: (conclusion) => Math.min(3 * conclusion, 1_000),
    },
  ];
  const usedIn = (path: string) => used.get(path) ?? 0;
  const reservedIn = (path: string) =>
    [...lost, ...running.flatMap(({ first, further }) => [...first, ...further])]
      .filter((hold) => hold.path === path && hold.window >= windowNow() - 1)
      .reduce((sum, hold) => sum + hold.tokens, 0);
  const composeHolds = (held: number): ModelHold[] =>
    accounts().map(({ path }) => ({ path, tokens: held, window: windowNow() }));

  /** What a need has to get. */
  function judge(needed: number, conclusion: number) {
    const standings = accounts().map(({ budget, limit, path, kept }) => {
      const free = Math.max(0, limit - usedIn(path));
      const room = Math.max(0, free - reservedIn(path));
      const whole = needed + (conclusion === 0 ? 0 : kept(conclusion));
      return { budget, free, room, fits: whole <= room, mayFit: whole <= free };
    });
    const refusing = standings.filter(({ fits }) => !fits);
    if (refusing.length === 0) return { kind: 'reserved' };
    return {
      kind: 'refused',
      budget: (refusing.find(({ mayFit }) => !mayFit) ?? refusing[0])?.budget,
      room: Math.min(...standings.map(({ room }) => room)),
      free: Math.min(...standings.map(({ free }) => free)),
      mayFit: refusing.every(({ mayFit }) => mayFit),
    };
  }

  /** Another process takes over. What one reserved that died stays reserved. */
  function restart(by: number, isDead: boolean): void {
    const own = running.filter((one) => one.by === by);
    if (isDead) lost.push(...own.flatMap(({ first, further }) => [...first, ...further]));
    for (const one of own) running.splice(running.indexOf(one), 1);
    ledgers[by] = openOne();
    largest[by] = 0;
  }

  async function take(step: LedgerStep): Promise<void> {
    if (step.act === 'wait') {
      const toMidnight = DAY - (clock.now().getTime() % DAY) - MINUTE / 2;
      const ms = step.minutes < 0 ? toMidnight : step.minutes * MINUTE;
      const until = clock.now().getTime() + ms;
      // No process works for longer than ten minutes.
      for (const { by, at } of [...running]) if (at + 10 * MINUTE < until) restart(by, true);
      return clock.advance(ms);
    }
    if (step.act === 'reserve') {
      const { by, conclusion } = step;
      largest[by] = Math.max(largest[by] ?? 0, conclusion);
      const expected = judge(step.tokens, conclusion === 0 ? 0 : (largest[by] ?? 0));
      const outcome = await ledgers[by]?.reserve(work(step.tokens, conclusion));
      expect(outcome).toMatchObject(expected);
      if (outcome?.kind === 'reserved')
        running.push({
          by,
          at: clock.now().getTime(),
          reservation: outcome,
          first: composeHolds(step.tokens),
          further: [],
        });
      return;
    }
    if ('by' in step) {
      if (step.act === 'close') await ledgers[step.by]?.close();
      return restart(step.by, step.act === 'die');
    }
    const one = running[step.which % running.length];
    if (one === undefined) return;
    if (step.act === 'extend') {
      const fits = step.tokens <= 0 || judge(step.tokens, 0).kind === 'reserved';
      expect(await one.reservation.extend(step.tokens)).toBe(fits);
      if (fits && step.tokens > 0) one.further.push(...composeHolds(step.tokens));
      return;
    }
    const most = (one.first[0]?.tokens ?? 0) + one.further.reduce((sum, hold) => sum + hold.tokens, 0);
    const spent = Math.min(step.tokens, most);
    one.reservation.settle(spent);
    // A second one counts nothing.
    if (step.which % 2 === 0) one.reservation.settle(spent);
    for (const { path } of one.first) used.set(path, usedIn(path) + spent);
    running.splice(running.indexOf(one), 1);
    await Promise.resolve();
  }

  for (const step of steps) {
    await take(step);
    for (const { path, limit } of accounts())
      expect(usedIn(path) + reservedIn(path), path).toBeLessThanOrEqual(limit);
  }
  for (const ledger of ledgers) await ledger.close();
  for (const [path, count] of used)
    expect((await store.get(path, usageType))?.value.count ?? 0).toBe(count - 100);
}
