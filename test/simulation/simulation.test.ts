// Tests the protocol under all faults, and proves that the simulation detects a broken protocol.

import { afterEach, describe, expect, it, vi } from 'vitest';
import { CRASH_POINTS } from '../../shared/core/kernel/crashPoints.ts';
import { SUCCESS_POLICIES } from '../../shared/core/schema/agent.ts';
import { IS_FULL, IS_LONG, takeCases } from '../support/fullTests.ts';
import { FAULTS } from './faults.ts';
import { withPauses } from './features/system/simulatedSystemPause.ts';
import { CI_SEEDS, findSeed, QUICK_SEEDS, SEEDS } from './findSeed.ts';
import { withKillAt, withStorms } from './planVariants.ts';
import { runSeed } from './runSeed.ts';
import { SABOTAGES } from './sabotage.ts';
import { upgradeOf, withUpgrade } from './simulatedUpgrade.ts';
import { TREE_ROWS } from './treeMoments.ts';

const FIRST_SEEDS = IS_FULL ? CI_SEEDS : QUICK_SEEDS;

it.skipIf(IS_LONG)(`${FIRST_SEEDS} seeds keep every invariant`, async () => {
  for (let seed = 1; seed <= FIRST_SEEDS; seed++)
    expect((await runSeed(seed)).violations, `npm run simulate -- --seed ${seed}`).toEqual([]);
});

describe('200 seeds', () => {
  it.runIf(IS_LONG)('keep every invariant, and leave no fault and no crash point out', async () => {
    const seen = new Set<string>();
    const changing = new Set<string>();
    const rows = new Set<string>();
    for (let seed = 1; seed <= SEEDS; seed++) {
      const { violations, faults, kills, killsAtFallback, rows: own, outcome } = await runSeed(seed);
      expect(violations, `npm run simulate -- --seed ${seed}`).toEqual([]);
      for (const name of [...faults.keys(), ...kills.keys(), outcome]) seen.add(name);
      for (const point of killsAtFallback) changing.add(point);
      for (const row of own) rows.add(row);
    }
    const all = [...FAULTS, ...Object.values(CRASH_POINTS), 'completed', 'failed', 'timed_out', 'cancelled'];
    expect(all.filter((name) => !seen.has(name))).toEqual([]);
    expect(TREE_ROWS.filter((row) => !rows.has(row))).toEqual([]);
    // All there is between a model's failure and the question to the next one.
    const { beforeCommitA, afterCommitB, afterPublish } = CRASH_POINTS;
    expect([...changing]).toEqual(expect.arrayContaining([beforeCommitA, afterCommitB, afterPublish]));
  });

  it.each(IS_LONG ? [7, 55, 117] : [7])('are the same run each time (%i)', async (seed) => {
    const first = await runSeed(seed);
    expect(first.trace.length).toBeGreaterThan(20);
    expect(await runSeed(seed)).toEqual(first);
  });
});

/** Some points are not passed by every run: a cancellation comes when the session has ended. */
const MAX_TRIES = 20;

/** `npm run test:long` runs all. */
const POLICIES = IS_LONG ? SUCCESS_POLICIES : SUCCESS_POLICIES.slice(0, 1);

describe.each(POLICIES)('stages of three replicas with the policy %s', (policy) => {
  it.each(takeCases(Object.values(CRASH_POINTS), 6))(
    'keep every invariant when processes die at %s',
    async (point) => {
      for (let seed = 1; seed <= MAX_TRIES; seed++) {
        const { violations, kills } = await runSeed(seed, withKillAt(point, policy));
        expect(violations, `seed ${seed}`).toEqual([]);
        if (kills.has(point)) return;
      }
      expect.unreachable(`no process died at ${point}`);
    },
  );
});

/** Seeds whose installation is paused. */
const PAUSED_SEEDS = IS_LONG ? 100 : IS_FULL ? 12 : 2;

it(`pauses of the installation at any time lose nothing, repeat nothing, and every session ends (${PAUSED_SEEDS} seeds)`, async () => {
  for (let seed = 1; seed <= PAUSED_SEEDS; seed++)
    expect((await runSeed(seed, withPauses)).violations, `seed ${seed}`).toEqual([]);
});

/** Seeds with an upgrade: of six, which are all kinds, two have documents that older code refuses. */
const FIRST_UPGRADED = 10;
const UPGRADED_SEEDS = IS_LONG ? 200 : IS_FULL ? 30 : 3;

describe('an upgrade that stores other versions of documents', () => {
  it(`loses nothing, with and without a pause, and no older code replaces a newer document (${UPGRADED_SEEDS} seeds)`, async () => {
    const refusals = { paused: 0, running: 0 };
    for (let seed = FIRST_UPGRADED; seed < FIRST_UPGRADED + UPGRADED_SEEDS; seed++) {
      const [upgrade, how] = upgradeOf(seed);
      const { violations, faults } = await runSeed(seed, withUpgrade(upgrade, how));
      expect(violations, `npm run simulate -- --upgrades --seed ${seed}`).toEqual([]);
      refusals[how] += faults.get('document_too_new') ?? 0;
    }
    // Documents that were refused, so that the rules were needed.
    expect(refusals.running).toBeGreaterThan(0);
  });

  it.runIf(IS_FULL)('is noticed when iterations continue during the pause', async () => {
    vi.resetModules();
    vi.doMock('../../shared/core/kernel/systemPause.ts', async (original) => ({
      ...(await original<object>()),
      recentSystemPause: async () => null,
    }));
    const broken: typeof import('./runSeed.ts') = await import('./runSeed.ts');
    const notice = await findSeed(
      (seed) => broken.runSeed(seed, withUpgrade('next', 'paused')),
      1,
      'upgrade',
    );
    vi.doUnmock('../../shared/core/kernel/systemPause.ts');
    vi.resetModules();
    expect(notice?.violation).toContain('in spite of the pause');
  });
});

describe('a storm of copies', () => {
  const storms = [
    ['burst', 1],
    ['late', 3],
    ['burst', 5],
    ['late', 5],
  ] as const;
  it.each(IS_FULL ? storms : storms.slice(0, 2))(
    '(%s, seed %i) multiplies no messages, and the session completes',
    async (storm, seed) => {
      // Without the sweep, where the plan allows it: redelivery is enough.
      const { violations, outcome } = await runSeed(seed, withStorms({ storm, sweep: false }));
      expect(violations).toEqual([]);
      expect(outcome).toBe('completed');
    },
  );
});

describe.runIf(IS_LONG)('the simulation notices within 200 seeds when the protocol goes without', () => {
  afterEach(() => {
    vi.doUnmock('../../shared/core/kernel/execution/lease.ts');
    vi.doUnmock('../../shared/core/kernel/state/decide.ts');
    vi.doUnmock('../../shared/core/stage/advanceStage.ts');
    vi.doUnmock('../../shared/core/kernel/state/pendingCalls.ts');
    vi.doUnmock('../../shared/core/kernel/state/nextIteration.ts');
    vi.doUnmock('../../shared/core/kernel/state/agentInUse.ts');
    vi.doUnmock('../../shared/features/serverOutages/decideOutages.ts');
    vi.doUnmock('../../shared/core/rescue/buryIteration.ts');
    vi.doUnmock('../../shared/features/alerts/ingestAlert.ts');
    vi.resetModules();
  });

  it.each(Object.entries(SABOTAGES))('%s', async (name, { remove, seed }) => {
    expect(seed).toBeLessThanOrEqual(SEEDS);
    vi.resetModules();
    remove();
    const broken: typeof import('./runSeed.ts') = await import('./runSeed.ts');
    const notice = await findSeed(broken.runSeed, seed);
    expect(notice).toBeDefined();
    if (process.env.PRINT_MEASURED) console.log(`without ${name}: ${JSON.stringify(notice)}`);
  });
});
