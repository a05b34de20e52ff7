import { expect, it } from 'vitest';
import { IS_FULL } from '../../../support/fullTests.ts';
import { runDeliveries } from './runDeliveries.ts';

const SEEDS = IS_FULL ? 300 : 30;

it('messages exist once, in order, and end as the result, whatever fails', async () => {
  const broken: string[] = [];
  const seen = new Set<string>();
  for (let seed = 1; seed <= SEEDS; seed++) {
    const { violations, log, plan, deaths } = await runDeliveries(seed);
    broken.push(...violations.map((violation) => `seed ${seed} (${plan.resolution}): ${violation}`));
    for (const fault of log.faults.keys()) seen.add(`${plan.resolution} ${fault}`);
    if (deaths > 0) seen.add(`${plan.resolution} death around a request`);
  }
  expect(broken).toEqual([]);
  // Every fault occurs with every kind of destination.
  if (IS_FULL) expect(seen.size).toBe(4 * 9);
});
