// No document is written more than once a second, and no index on a growing value 250 times, at 10,000
// investigations. Counted at two smaller numbers, which show what grows with them.

import { expect, it } from 'vitest';
import { startBench } from '../../support/harness.ts';
import { pacedBench, runInvestigations } from '../../support/manyInvestigations.ts';
import { createWriteRates, type WriteRate, type WriteRates } from '../../support/writeRates.ts';

/** As `npm run bench -- money` assumes. */
const ITERATIONS = 20;
const FEW = 40;
const MANY = 160;
/**
 * When the first ones have ended, and how long writes are counted. The first messages of an hour, which 20
 * sessions take in `destinations/NAME`, are an exception of `test/features/deliveries/notify.test.ts`.
 */
const STEADY_MS = 220_000;
const COUNTED_MS = 80_000;

const MAX_PER_SECOND = 1;
const MAX_PER_SECOND_OF_INDEX = 250;

/** Documents whose writes grow at these numbers of investigations only, with the reason. */
const BOUNDED: Record<string, string> = {
  'allowances/*': 'instances write in turn, one every two seconds, however many there are',
  'deliveryGroups/*': 'a message that counts sessions is edited once a minute, in at most four writes',
  'metricTotals/*': 'a run of the sweep counts at most 1,000 sessions, in ten writes',
};

async function countWrites(active: number): Promise<WriteRates> {
  let rates: WriteRates | undefined;
  const bench = await startBench({
    ...pacedBench(),
    wrapStore(store, clock) {
      rates = createWriteRates(clock.now);
      return rates.count(store);
    },
  });
  const until = STEADY_MS + COUNTED_MS;
  await runInvestigations(bench, { active, iterations: ITERATIONS, until }, (ms) => {
    if (ms === STEADY_MS) rates?.clear();
  });
  return rates ?? expect.unreachable();
}

/** Of each kind of document the one that is written most. */
const hottestOfKind = (rates: WriteRate[]) =>
  new Map(
    rates
      .toSorted((one, other) => one.operations - other.operations)
      .map((rate) => [
        rate.name.replaceAll(/\/[^/]+(?=\/|$)/g, (id, at: number, all: string) =>
          all.slice(0, at).split('/').length % 2 === 1 ? '/*' : id,
        ),
        rate,
      ]),
  );

/** Writes a second at so many investigations: what does not grow from few to many is constant. */
function extrapolate(few: WriteRate | undefined, many: WriteRate, investigations: number): number {
  const isConstant = few !== undefined && many.operations <= few.operations * 1.5 + 1;
  if (isConstant) return Math.max(few.perSecond, many.perSecond);
  return (many.operations / (COUNTED_MS / 1000)) * (investigations / MANY);
}

it('1,000 and 10,000 investigations with an iteration every 10 s heat no document and no index', async () => {
  const few = await countWrites(FEW);
  const many = await countWrites(MANY);
  const before = hottestOfKind(few.documents());
  const documents = (investigations: number) =>
    [...hottestOfKind(many.documents())].map(
      ([kind, rate]) =>
        [
          kind,
          kind in BOUNDED ? rate.perSecond : extrapolate(before.get(kind), rate, investigations),
        ] as const,
    );
  const ends = new Map(few.indexes().map((rate) => [rate.name, rate]));
  const indexes = many
    .indexes()
    .map((rate) => [rate.name, extrapolate(ends.get(rate.name), rate, 10_000)] as const);
  if (process.env.PRINT_MEASURED)
    console.log(Object.fromEntries(documents(10_000)), Object.fromEntries(indexes));
  const isHot = ([, perSecond]: readonly [string, number]) => perSecond > MAX_PER_SECOND;
  expect(documents(1_000).filter(isHot)).toEqual([]);
  expect(documents(10_000).filter(isHot)).toEqual([]);
  expect(indexes.filter(([, perSecond]) => perSecond > MAX_PER_SECOND_OF_INDEX)).toEqual([]);
  expect(indexes.map(([name]) => name)).toContain('all executions (due.b0)');
});
