import { describe, expect, it } from 'vitest';
import { createQuotas, type Quotas } from '../../contract/quotas.ts';
import { paths, quotaType } from '../../lists/documents.ts';
import { createMemoryStore } from '../../store/memory/memoryStore.ts';
import { count, type QuotaRequest, slowDown, takeQuota } from './takeQuota.ts';

const MINUTE = 60_000;
const START = Date.parse('2026-11-05T10:00:00Z');

/** Processes that share a limit at the start of a minute, and the reads and writes of all of them. */
function share(limit: QuotaRequest['limit'], random = () => 0) {
  let now = START;
  let operations = 0;
  const clock = { now: () => new Date(now), every: () => () => {}, after: () => () => {} };
  const memory = createMemoryStore(clock.now);
  const store: typeof memory = {
    ...memory,
    get(path, type) {
      operations += 1;
      return memory.get(path, type);
    },
    incrementAll(path, type, value, fields) {
      operations += 1;
      return memory.incrementAll(path, type, value, fields);
    },
  };
  const deps = { store, clock, random };
  const asked = { resource: 'model~m', limit, claimant: { tenant: 'a', isCritical: false } };
  const change = (lower: QuotaRequest['limit']) => {
    asked.limit = lower;
  };
  const take = async (quotas: Quotas, tokens = 0, tenant = 'a', isCritical = false, hasWaited = false) => {
    const request = { ...asked, claimant: { tenant, isCritical }, tokens, hasWaited };
    return (await takeQuota(request, quotas, deps)).kind;
  };
  return {
    process: () => createQuotas({ models: {}, servers: {} }),
    take,
    /** The second of the first minute at which a refused request asks again; undefined if it is granted. */
    async askAgainAt(hasWaited = false) {
      const taken = await takeQuota(
        { ...asked, tokens: 0, hasWaited },
        createQuotas({ models: {}, servers: {} }),
        deps,
      );
      return taken.kind === 'granted' ? undefined : (taken.until.getTime() - START) / 1_000;
    },
    change,
    /** How many of `most` requests are granted. */
    async granted(quotas: Quotas, most: number, tokens = 0) {
      let granted = 0;
      for (let n = 0; n < most; n++) if ((await take(quotas, tokens)) === 'granted') granted += 1;
      return granted;
    },
    stored: async () =>
      (await memory.list({ collection: paths.quotas }, quotaType)).map(({ value }) => value),
    slowDown: (quotas: Quotas) => slowDown(asked, quotas, deps),
    wait(ms: number) {
      now += ms;
    },
    operations: () => operations,
  };
}

describe('a slice of a large limit', () => {
  it('is taken with one read and one write, and its rest is valid in the next minute only', async () => {
    const { process, take, wait, operations } = share({ requests: 4_000 });
    const quotas = process();
    const costs: number[] = [];
    for (const [pause, tokens] of [
      [0, 0],
      [0, 0],
      [0, 0],
      [MINUTE, 0],
      [0, 0],
      [2 * MINUTE, 0],
    ] as const) {
      wait(pause);
      const before = operations();
      expect(await take(quotas, tokens)).toBe('granted');
      costs.push(operations() - before);
    }
    expect(costs).toEqual([2, 0, 2, 0, 2, 2]);
  });

  it('counts the tokens of its further requests with the next slice', async () => {
    const { process, take } = share({ requests: 4_000, tokens: 34 * 100 });
    const quotas = process();
    await take(quotas, 40);
    await take(quotas, 40);
    expect(quotas.uncounted.get('model~m')).toEqual({ requests: 0, tokens: 40 });
    await take(quotas, 10);
    expect(quotas.uncounted.size).toBe(0);
    // 90 of the 100 tokens of the first document are used: the request takes those of another one.
    expect(await take(process(), 20)).toBe('granted');
  });
});

describe('the slices of requests that overlap', () => {
  it('are all used by their process', async () => {
    const SHARDS = 34;
    let draws = 0;
    const { process, take, stored } = share({ requests: 6_000 }, () => (draws++ % SHARDS) / SHARDS);
    const quotas = process();
    let granted = 0;
    for (let round = 0; round < 100; round++) {
      const outcomes = await Promise.all(Array.from({ length: 60 }, () => take(quotas)));
      granted += outcomes.filter((outcome) => outcome === 'granted').length;
    }
    expect(granted).toBe(Math.floor(6_000 / SHARDS) * SHARDS);
    const sum = (await stored()).reduce((total, { granted: { n_a = 0 } }) => total + n_a, 0);
    expect(sum).toBe(granted);
  });

  it('stay valid in the next minute only, each for itself', async () => {
    const { process, take, wait } = share({ requests: 6_000 });
    const quotas = process();
    const both = [take(quotas), take(quotas)];
    await Promise.all(both);
    wait(MINUTE);
    await Promise.all([take(quotas), take(quotas), take(quotas), take(quotas), take(quotas)]);
    wait(MINUTE);
    const left = quotas.slices.get('model~m n_a') ?? [];
    expect(left.map(({ left: rest }) => rest)).toEqual([2]);
    await take(quotas);
    expect(left.map(({ left: rest }) => rest)).toEqual([1]);
  });
});

describe('a minute', () => {
  it('is divided among documents, of which a request tries others where one is used up', async () => {
    const { process, granted } = share({ requests: 120 });
    const quotas = process();
    expect(await granted(quotas, 65)).toBe(65);
    expect(await granted(process(), 65)).toBe(55);
  });

  it.each([
    [10, 4, 0],
    [4, 10, 6],
    [120, 60, 0],
    [60, 120, 60],
  ])('whose limit of %i becomes %i while processes run has %i more requests', async (before, after, more) => {
    const { process, granted, change } = share({ requests: before });
    await granted(process(), Math.min(before, 116));
    change({ requests: after });
    expect(await granted(process(), after)).toBe(more);
  });

  it('that is used up has later ones: the next one spreads its requests, unless the sweep ends the wait', async () => {
    const { askAgainAt, wait } = share({ requests: 2 });
    expect([await askAgainAt(), await askAgainAt()]).toEqual([undefined, undefined]);
    // A minute or more: the sweep runs at the start of minutes.
    expect(await askAgainAt()).toBe(60);
    wait(30_000);
    expect(await askAgainAt()).toBe(80);
    expect([await askAgainAt(), await askAgainAt()]).toEqual([120, 120]);
    // One that has waited comes first, although the next minute has no place left.
    expect(await askAgainAt(true)).toBe(60);
  });

  it('is divided by its tokens where only these are limited', async () => {
    let draw = 0;
    const { process, take, stored } = share({ tokens: 960_000 }, () => draw);
    for (draw = 0; draw < 1; draw += 0.25) await take(process(), 10);
    expect((await stored()).map(({ amount }) => amount)).toEqual([10, 10, 10, 10]);
  });

  it('divides tokens, too', async () => {
    const { process, take } = share({ requests: 120, tokens: 1_000 });
    const quotas = process();
    expect([await take(quotas, 300), await take(quotas, 300), await take(quotas, 300)]).toEqual([
      'granted',
      'granted',
      'refused',
    ]);
  });

  it.each([
    ['has room for less', [900], 'granted', 100],
    ['has room for less', [900], 'refused', 101],
    ['grants a request with more tokens than it has as its first one', [], 'granted', 5_000],
    ['grants nothing after such a request', [5_000], 'refused', 1],
    ['has more room after a correction', [900, -500], 'granted', 600],
    ['has less room after a correction', [100, 850], 'refused', 100],
  ])('of 1,000 tokens %s: after %j it is %s for %i', async (_, [before, correction], outcome, tokens) => {
    const { process, take } = share({ tokens: 1_000 });
    const quotas = process();
    if (before !== undefined) await take(quotas, before);
    if (correction !== undefined) {
      count(quotas, 'model~m', { requests: 0, tokens: correction });
      // A correction is counted with the next request.
      await take(quotas, 0);
    }
    expect(await take(process(), tokens)).toBe(outcome);
  });

  it('counts repeated requests', async () => {
    const { process, granted } = share({ requests: 10 });
    const quotas = process();
    expect(await granted(quotas, 3)).toBe(3);
    count(quotas, 'model~m', { requests: 4, tokens: 0 });
    expect(await granted(quotas, 9)).toBe(3);
  });

  it('has half of its requests and tokens after a refusal, and the next one has all', async () => {
    const { process, take, granted, slowDown: halve, wait } = share({ requests: 10, tokens: 1_000 });
    const quotas = process();
    expect(await granted(quotas, 3, 100)).toBe(3);
    await halve(quotas);
    expect(await take(quotas, 201)).toBe('refused');
    expect(await granted(process(), 3, 10)).toBe(2);
    wait(MINUTE);
    expect(await take(quotas, 700)).toBe('granted');
    // The refused two wait for this minute.
    expect(await granted(process(), 12)).toBe(7);
  });

  it('has no rest of slices after a refusal', async () => {
    const { process, take, slowDown: halve, operations } = share({ requests: 4_000 });
    const quotas = process();
    await take(quotas);
    await halve(quotas);
    const before = operations();
    await take(quotas);
    expect(operations() - before).toBe(2);
  });

  it('is stored once a minute by each process', async () => {
    const { process, slowDown: halve, stored, wait } = share({ requests: 10 });
    const quotas = process();
    for (let refusal = 0; refusal < 3; refusal++) await halve(quotas);
    expect((await stored()).map(({ slowed }) => slowed)).toEqual([1]);
    wait(MINUTE);
    await halve(quotas);
    expect((await stored()).map(({ slowed }) => slowed)).toEqual([1, 1]);
  });

  it.each([
    ['that came too late beside others', false, 0],
    ['that has waited and came too late', true, 1],
  ])('counts nothing of a request %s', async (_, hasWaited, served) => {
    const { process, take, stored } = share({ requests: 1, tokens: 1_000 });
    const one = () => take(process(), 300, 'a', false, hasWaited);
    expect(await Promise.all([one(), one()])).toEqual(['granted', 'refused']);
    const counts = { total: 1, granted: { n_a: 1 }, served: { n_a: served }, amount: 300 };
    expect((await stored())[0]).toMatchObject(counts);
  });

  it('keeps the part of a slice that fits when the other part arrives too late', async () => {
    const { process, take, stored } = share({ requests: 6_000 });
    const slices = 59;
    const all = Array.from({ length: slices }, () => process());
    const outcomes = await Promise.all(all.map((quotas) => take(quotas)));
    const [first] = await stored();
    const left = all.flatMap(({ slices: kept }) => [...kept.values()].flat());
    const unused = left.reduce((sum, slice) => sum + slice.left, 0);
    const granted = outcomes.filter((outcome) => outcome === 'granted').length;
    expect(first).toMatchObject({ total: 176 });
    expect((await stored()).reduce((sum, { total }) => sum + total, 0)).toBe(granted + unused);
  });

  it('lets a critical request check again, of which others have returned their surplus', async () => {
    const { process, take, wait } = share({ requests: 2 });
    for (let n = 0; n < 3; n++) await take(process(), 0, 'b');
    wait(MINUTE);
    // The third request of b waits for one place, so that a has one.
    const outcomes = await Promise.all([take(process()), take(process()), take(process(), 0, 'c', true)]);
    expect(outcomes).toEqual(['granted', 'refused', 'granted']);
  });
});
