import { describe, expect, it } from 'vitest';
import { createQuotas, type Quotas } from '../../contract/quotas.ts';
import { modelAllowance, type QuotaPlace } from '../../kits/quotas/quota.ts';
import { allowanceType, paths } from '../../lists/documents.ts';
import { createMemoryStore } from '../../store/memory/memoryStore.ts';
import { count, countUnits, type QuotaRequest, slowDown, takeQuota } from './takeQuota.ts';

const MINUTE = 60_000;
const START = Date.parse('2026-11-05T10:00:00Z');
const ALLOWANCE = modelAllowance({ provider: 'google', model: 'flash' });
const MINUTE_NUMBER = START / MINUTE;

/** Processes that share a limit at the start of a minute, and the reads and writes of all of them. */
function share(limit: QuotaRequest['limit'], random = () => 0) {
  let now = START;
  const operations = { reads: 0, writes: 0 };
  const clock = { now: () => new Date(now), every: () => () => {}, after: () => () => {} };
  const memory = createMemoryStore(clock.now);
  const store: typeof memory = {
    ...memory,
    get(path, type) {
      operations.reads += 1;
      return memory.get(path, type);
    },
    incrementAll(path, type, value, fields) {
      operations.writes += 1;
      return memory.incrementAll(path, type, value, fields);
    },
  };
  const deps = { store, clock, random };
  const asked = { allowance: ALLOWANCE, limit, claimant: { tenant: 'a', isCritical: false }, tokens: 0 };
  const start = () => createQuotas({ models: {}, servers: {} });
  const ask = (request: Partial<QuotaRequest> = {}, quotas = start()) =>
    takeQuota({ ...asked, ...request }, quotas, deps);
  const take = async (quotas: Quotas, tokens = 0, tenant = 'a', isCritical = false) =>
    (await ask({ claimant: { tenant, isCritical }, tokens }, quotas)).kind;
  return {
    process: start,
    ask,
    take,
    /** The place of a refused request. */
    async wait(tenant = 'a', isCritical = false): Promise<QuotaPlace> {
      const taken = await ask({ claimant: { tenant, isCritical } });
      if (taken.kind === 'granted' || taken.place === undefined) return expect.unreachable();
      return taken.place;
    },
    change(lower: QuotaRequest['limit']) {
      asked.limit = lower;
    },
    /** How many of `most` requests are granted. */
    async granted(quotas: Quotas, most: number, tokens = 0) {
      let granted = 0;
      for (let n = 0; n < most; n++) if ((await take(quotas, tokens)) === 'granted') granted += 1;
      return granted;
    },
    stored: async () =>
      (await memory.list({ collection: paths.allowances }, allowanceType)).map(({ value }) => value),
    slowDown: (quotas: Quotas) => slowDown(asked, quotas, deps),
    pass(ms: number) {
      now += ms;
    },
    operations,
  };
}

describe('the units of a limit', () => {
  it.each([
    [{ requests: 10 }, { requests: 1, tokens: 900 }, 1],
    [{ tokens: 1_000 }, { requests: 1, tokens: 900 }, 900],
    [{ tokens: 1_000 }, { requests: 1 }, 0],
    [{ requests: 10, tokens: 1_000 }, { requests: 1, tokens: 100 }, 1],
    [{ requests: 10, tokens: 1_000 }, { requests: 1, tokens: 101 }, 2],
  ])('%j: %j is %i', (limit, used, units) => {
    expect(countUnits(limit, used)).toBe(units);
  });
});

describe('a slice of a large limit', () => {
  it('is taken with one read and one write, and its rest is valid in the next minute', async () => {
    const { process, take, pass, operations } = share({ requests: 250 * 24 });
    const quotas = process();
    const writes: number[] = [];
    // A slice has three units.
    for (const pause of [0, 0, 0, 0, MINUTE, 0, MINUTE, 2 * MINUTE]) {
      pass(pause);
      const before = operations.writes;
      expect(await take(quotas)).toBe('granted');
      writes.push(operations.writes - before);
    }
    expect(writes).toEqual([1, 0, 0, 1, 0, 0, 1, 1]);
  });

  it('is used by each claimant of its minute', async () => {
    const { process, take, operations } = share({ requests: 6_000 });
    const quotas = process();
    await take(quotas);
    await take(quotas, 0, 'b', true);
    expect(operations.writes).toBe(1);
  });

  it('is an eighth of its document, which so few writes use up', async () => {
    const { process, take, stored } = share({ requests: 250 * 80 });
    for (let instance = 0; instance < 16; instance++) await take(process());
    expect((await stored()).map(({ used }) => used)).toEqual([80, 80]);
  });
});

describe('a minute', () => {
  it('is divided among documents of ten requests, of which a request tries others', async () => {
    const { process, granted, stored } = share({ requests: 60 });
    expect(await granted(process(), 33)).toBe(33);
    expect(await granted(process(), 27)).toBe(27);
    expect((await stored()).map(({ used, by }) => [used, by])).toEqual(Array(6).fill([10, { n_a: 10 }]));
  });

  it.each([
    [10, 4, 0],
    [4, 10, 6],
    [60, 30, 0],
    [30, 60, 30],
  ])('whose limit of %i becomes %i while processes run has %i more requests', async (before, after, more) => {
    const { process, granted, change } = share({ requests: before });
    await granted(process(), before);
    change({ requests: after });
    expect(await granted(process(), after)).toBe(more);
  });

  it('that is used up gives places in later ones, and asks each request to come in its minute', async () => {
    const { ask, pass } = share({ requests: 2 });
    const askAgainAt = async () => {
      const taken = await ask();
      return taken.kind === 'granted' ? undefined : (taken.until.getTime() - START) / 1_000;
    };
    expect([await askAgainAt(), await askAgainAt()]).toEqual([undefined, undefined]);
    // A minute or more: the sweep runs at the start of minutes.
    expect(await askAgainAt()).toBe(60);
    pass(45_000);
    expect(await askAgainAt()).toBe(80);
    expect([await askAgainAt(), await askAgainAt(), await askAgainAt()]).toEqual([120, 120, 180]);
  });

  it('has no place where a request cannot wait so long', async () => {
    const { ask, wait } = share({ requests: 1 });
    await ask();
    await wait();
    const refused = await ask({ maxMinutes: 1 });
    expect(refused).toEqual({ kind: 'refused', until: new Date(START + 2 * MINUTE) });
  });

  it('is divided by its tokens where only these are limited', async () => {
    let draw = 0;
    const { process, take, stored } = share({ tokens: 400_000 }, () => draw);
    for (draw = 0; draw < 1; draw += 0.25) await take(process(), 10);
    expect((await stored()).map(({ used }) => used)).toEqual([10, 10, 10, 10]);
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
      count(quotas, ALLOWANCE, correction);
      // A correction is counted with the next request.
      await take(quotas, 0);
    }
    expect(await take(process(), tokens)).toBe(outcome);
  });

  it('counts repeated requests', async () => {
    const { process, granted } = share({ requests: 10 });
    const quotas = process();
    expect(await granted(quotas, 3)).toBe(3);
    count(quotas, ALLOWANCE, 4);
    expect(await granted(quotas, 9)).toBe(3);
  });

  it('has half of its requests after a refusal, and the next one has all', async () => {
    const { process, granted, slowDown: halve, pass } = share({ requests: 10 });
    const quotas = process();
    expect(await granted(quotas, 3)).toBe(3);
    await halve(quotas);
    expect(await granted(process(), 5)).toBe(2);
    pass(MINUTE);
    // The refused three have places in this minute.
    expect(await granted(process(), 12)).toBe(7);
  });

  it('has no rest of slices after a refusal', async () => {
    const { process, take, slowDown: halve, operations } = share({ requests: 6_000 });
    const quotas = process();
    await take(quotas);
    await halve(quotas);
    const before = operations.writes;
    await take(quotas);
    expect(operations.writes - before).toBe(1);
  });

  it('is slowed down once by each process', async () => {
    const { process, slowDown: halve, stored, pass } = share({ requests: 10 });
    const quotas = process();
    for (let refusal = 0; refusal < 3; refusal++) await halve(quotas);
    expect((await stored()).map(({ slowed }) => slowed)).toEqual([1]);
    pass(MINUTE);
    await halve(quotas);
    expect((await stored()).map(({ slowed }) => slowed)).toEqual([1, 1]);
  });

  it('grants one of two requests that ask for its last unit at the same time', async () => {
    const { process, take } = share({ requests: 1 });
    expect(await Promise.all([take(process()), take(process())])).toEqual(['granted', 'refused']);
  });
});

describe('a place in a later minute', () => {
  it('is granted in its minute and the next one without a write, and not later', async () => {
    const { ask, wait, pass, operations } = share({ requests: 1 });
    await ask();
    const place = await wait();
    const before = operations.writes;
    pass(MINUTE);
    expect((await ask({ place })).kind).toBe('granted');
    pass(MINUTE);
    expect((await ask({ place })).kind).toBe('granted');
    expect(operations.writes).toBe(before);
    pass(MINUTE);
    expect((await ask({ place })).kind).toBe('granted');
    expect(operations.writes).toBe(before + 1);
  });

  it('is lost to critical alerts that ask later, from the last one on', async () => {
    const { ask, granted, process, wait, pass } = share({ requests: 4 });
    await granted(process(), 4);
    const places = [await wait(), await wait(), await wait(), await wait()];
    const critical = await wait('b', true);
    expect(critical.minute).toBe(MINUTE_NUMBER + 1);
    pass(MINUTE);
    const come = async (place: QuotaPlace, isCritical = false) =>
      (await ask({ place, claimant: { tenant: isCritical ? 'b' : 'a', isCritical } })).kind;
    expect(await come(critical, true)).toBe('granted');
    expect(await Promise.all(places.map((place) => come(place)))).toEqual([
      ...['granted', 'granted', 'granted', 'refused'],
    ]);
  });

  it('is shared with a tenant that asks later', async () => {
    const { ask, granted, process, wait, pass } = share({ requests: 4 });
    await granted(process(), 4);
    const places = [await wait(), await wait(), await wait(), await wait()];
    for (const tenant of ['b', 'b']) expect((await wait(tenant)).minute).toBe(MINUTE_NUMBER + 1);
    pass(MINUTE);
    const outcomes = await Promise.all(places.map((place) => ask({ place })));
    expect(outcomes.map(({ kind }) => kind)).toEqual(['granted', 'granted', 'refused', 'refused']);
  });

  it('leaves room for as many requests of others as the current minute has', async () => {
    const { granted, process, take, wait } = share({ requests: 4 });
    await take(process(), 0, 'b', true);
    await granted(process(), 3);
    const places = [await wait(), await wait(), await wait(), await wait()];
    expect(places.map(({ minute }) => minute - MINUTE_NUMBER)).toEqual([1, 1, 1, 2]);
  });

  it('is found in few reads although many minutes are used up', async () => {
    const { ask, granted, process, wait, operations } = share({ requests: 1 });
    await granted(process(), 1);
    for (let waiting = 1; waiting <= 20; waiting++)
      expect((await wait()).minute).toBe(MINUTE_NUMBER + waiting);
    const before = operations.reads;
    await ask();
    expect(operations.reads - before).toBeLessThanOrEqual(11);
  });
});

it('a place that is used a minute late takes the room of another request of that minute', async () => {
  const { process, ask, take, wait, granted, pass } = share({ requests: 10 });
  const one = process();
  expect(await granted(one, 12)).toBe(10);
  const places: QuotaPlace[] = [];
  for (let n = 0; n < 4; n++) places.push(await wait());
  pass(2 * MINUTE);
  const late = process();
  for (const place of places) expect((await ask({ place }, late)).kind).toBe('granted');
  // The first request carries the four that were late.
  expect(await take(late)).toBe('granted');
  expect(await granted(late, 10)).toBe(5);
  expect(await granted(process(), 10)).toBe(0);
});
