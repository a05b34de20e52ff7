// Storms: many alerts of few problems at once, in any order, open a session per group.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CRASH_POINTS } from '../../../shared/core/kernel/crashPoints.ts';
import { readCounts } from '../../../shared/kits/views/reports.ts';
import { paths, sessionType } from '../../../shared/lists/documents.ts';
import { dieAt } from '../../support/dieAt.ts';
import { IS_FULL, randomRuns } from '../../support/fullTests.ts';
import { deliverStorm, startStorm, stormAlert } from './stormBench.ts';

const ALERTS = IS_FULL ? 1_000 : 250;

describe('a storm', () => {
  it('of many alerts of one problem is one session, with one write for each repeat and few of its counts', async () => {
    const one = await startStorm();
    for (let n = 0; n < ALERTS; n++) await one.publishAlert(stormAlert('Disk full', 'eu'));
    const atOnce = 40;
    await deliverStorm(one, atOnce);
    expect(await one.groups()).toHaveLength(1);
    const { alertKeys, 'sessions/alertCounts': counts, ...rest } = one.writes;
    expect(alertKeys).toBe(ALERTS);
    expect(counts).toBeLessThanOrEqual(10);
    const [session] = await one.deps.store.list({ collection: paths.sessions }, sessionType);
    const { value } = await readCounts(session?.id ?? '', one.deps.store);
    expect((value?.firing ?? 0) + (value?.joined ?? 0)).toBe(ALERTS);
    // Each alert that arrives before the session is stored can ask for the lead once.
    expect(Object.values(rest).reduce((sum, count) => sum + count, 0)).toBeLessThan(2 * atOnce);
  });

  it('of many related problems is one session, with at most four writes for each', async () => {
    const one = await startStorm();
    for (let n = 0; n < ALERTS; n++) await one.publishAlert(stormAlert(`Pod ${n} is down`, 'eu'));
    await deliverStorm(one, 40);
    expect(await one.groups()).toHaveLength(1);
    const all = Object.values(one.writes).reduce((sum, count) => sum + count, 0);
    expect(all).toBeLessThan(4 * ALERTS);
  });

  it('has one grouping, whatever the order and the concurrency of its alerts', async () => {
    const clusters = ['eu', 'us', 'asia'];
    const alerts = clusters.flatMap((cluster) =>
      [1, 2, 3].map((n) => stormAlert(`${cluster} problem ${n}`, cluster)),
    );
    const orders = fc.shuffledSubarray(alerts, { minLength: alerts.length });
    await fc.assert(
      fc.asyncProperty(orders, fc.integer({ min: 1, max: 9 }), async (order, concurrency) => {
        const one = await startStorm();
        for (const alert of order) await one.publishAlert(alert);
        await deliverStorm(one, concurrency);
        expect(await one.groups()).toEqual(
          clusters.toSorted().map((cluster) => [1, 2, 3].map((n) => `${cluster} problem ${n}`)),
        );
      }),
      { numRuns: randomRuns(300) },
    );
  });

  it('still joins a session that has completed within a minute, and no other', async () => {
    const one = await startStorm();
    await one.publishAlert(stormAlert('First', 'eu'), {}, new Date(one.deps.clock.now()).toISOString());
    await one.drain();
    for (const [title, seconds] of [
      ['Second', 59],
      ['Third', 61],
    ] as const) {
      const at = new Date(one.deps.clock.now().getTime() + seconds * 1_000).toISOString();
      await one.publishAlert(stormAlert(title, 'eu'), {}, at);
    }
    await one.drain();
    expect(await one.groups()).toEqual([['First', 'Second'], ['Third']]);
  });

  it('has another leader if the first one dies before its session is stored and never returns', async () => {
    const one = await startStorm();
    await one.publishAlert(stormAlert('First', 'eu'));
    const first = one.deps.publisher.published[0];
    if (first === undefined) throw new Error('nothing was published');
    await dieAt(CRASH_POINTS.ingestBeforeCommit, one.deps, (process) => one.deliver(first, process));
    await one.publishAlert(stormAlert('Second', 'eu'));
    const second = one.deps.publisher.published[1] ?? first;
    await expect(one.deliver(second)).rejects.toThrow('a related alert opens session');
    one.deps.clock.advance(121_000);
    await one.deliver(second);
    await one.deliver(first);
    expect(await one.groups()).toEqual([['First', 'Second']]);
  });
});
