// Pages while documents come and go: each document that stays is on one page, and no other document is.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../../test/support/fullTests.ts';
import { createTestClock } from '../../../test/support/testClock.ts';
import { type AlertFate, alertFateType } from '../../alerts/schema/alertFate.ts';
import { createDocument, deleteDocument, putDocument, type Write } from '../../core/contract/store.ts';
import { rawDocumentType } from '../../core/schema/documentType.ts';
import { createMemoryStore } from '../../store/memory/memoryStore.ts';
import { fateId } from '../alerts/fates/fateId.ts';
import { listFates } from './alerts/listFates.ts';
import { readPage } from './readPage.ts';

const START = Date.UTC(2026, 10, 1);
const COUNT = 600;
const OUTCOMES = ['opened', 'joined', 'dropped'];
const SOURCES = ['grafana', null];
const { alertFates, alertFate } = alertFateType.paths;

/** Three share each moment. */
const at = (n: number) => new Date(START + Math.floor(n / 3) * 1_000);
const chooseTenant = (n: number) => (n % 6 === 5 ? 'acme' : 'shop');
const composeId = (n: number) => fateId(chooseTenant(n), at(n), n.toString(16).padStart(12, '0'));
const isBroken = (n: number) => n % 7 === 3;

function fate(n: number): AlertFate {
  return {
    title: n % 4 === 0 ? 'Disk full' : 'Queue long',
    tenantId: chooseTenant(n),
    messageId: `m${n}`,
    source: SOURCES[n % SOURCES.length] ?? null,
    severity: null,
    state: null,
    outcome: OUTCOMES[n % OUTCOMES.length] as AlertFate['outcome'],
    by: 'rule',
    subject: n % 5 === 0 ? 'storm' : null,
    place: null,
    reason: 'a rule decided',
    problem: null,
    sessionId: null,
    at: at(n),
    expireAt: at(n + 100_000),
  };
}

/** Writes and deletions between two pages; `null` deletes the document that the next page follows. */
const change = fc.record({
  writes: fc.array(fc.nat(COUNT - 1), { maxLength: 5 }),
  deletes: fc.array(fc.option(fc.nat(COUNT - 1), { freq: 4 }), { maxLength: 5 }),
});
const changes = fc.array(change, { maxLength: 8 });
type Change = typeof change extends fc.Arbitrary<infer C> ? C : never;

/** A store with each second document, and what changes it. */
async function fill(count = COUNT) {
  const store = createMemoryStore(createTestClock().now);
  const ids = new Map(Array.from({ length: COUNT }, (_, n) => [composeId(n), n]));
  const stored = new Set<number>();
  const written = (n: number): Write => {
    stored.add(n);
    const broken = { ...fate(n), outcome: 7, schemaVersion: 1 };
    if (isBroken(n)) return putDocument(alertFate(composeId(n)), rawDocumentType, broken);
    return createDocument(alertFate(composeId(n)), alertFateType, fate(n));
  };
  const all = Array.from({ length: count / 2 }, (_, n) => written(2 * n));
  await store.commit(all);
  return {
    store,
    stored,
    numberIn: (id: string) => ids.get(id) ?? -1,
    async change({ writes, deletes }: Change, after: number): Promise<void> {
      for (const n of writes) if (!stored.has(n)) await store.commit([written(n)]);
      for (const n of deletes) {
        await store.commit([deleteDocument(alertFate(composeId(n ?? after)), rawDocumentType)]);
        stored.delete(n ?? after);
      }
    },
  };
}
type Filled = Awaited<ReturnType<typeof fill>>;

/** Reads all pages with a change after each. @returns the listed documents in their order. */
async function walk(
  filled: Filled,
  between: readonly Change[],
  isListed: (n: number) => boolean,
  page: (after: string | undefined) => Promise<{ ids: string[]; next: string | null }>,
): Promise<void> {
  const { stored, numberIn } = filled;
  const stayed = new Set([...stored].filter(isListed));
  const listed: string[] = [];
  let after: string | undefined;
  for (let turn = 0; ; turn++) {
    const read = await page(after);
    listed.push(...read.ids);
    const odd = read.ids.map(numberIn).filter((n) => !stored.has(n) || !isListed(n));
    expect(odd, 'deleted, or of another list').toEqual([]);
    if (read.next === null) break;
    after = read.next;
    await filled.change(between[turn] ?? { writes: [], deletes: [] }, numberIn(after));
    for (const n of stayed) if (!stored.has(n)) stayed.delete(n);
  }
  expect(new Set(listed).size, 'one is listed twice').toBe(listed.length);
  expect(listed, 'not in their order').toEqual(listed.toSorted());
  const left = [...stayed].filter((n) => !listed.includes(composeId(n)));
  expect(left, 'left out').toEqual([]);
}

describe('pages', () => {
  const some = <T>(values: readonly T[]) => fc.option(fc.subarray([...values], { minLength: 1 }));
  const time = fc.nat(COUNT / 3);
  const filters = fc.record({
    outcome: some(OUTCOMES),
    source: some(['grafana', 'json']),
    q: fc.option(fc.constantFrom('disk', 'QUEUE long', 'storm', 'storm decided')),
    period: fc.tuple(time, time),
    limit: fc.integer({ min: 1, max: 60 }),
  });

  it('of fates have each that its filter lets through once, while others come and go', async () => {
    await fc.assert(
      fc.asyncProperty(filters, changes, async ({ outcome, source, q, period, limit }, between) => {
        const filled = await fill();
        const [since, until] = period.map((n) => at(3 * n)).sort((a, b) => a.getTime() - b.getTime());
        if (since === undefined || until === undefined) return;
        const isListed = (n: number) => {
          const { title, tenantId, subject, reason, ...one } = fate(n);
          const words = (q ?? '').toLowerCase().split(' ');
          const text = `${title} ${reason} ${subject}`.toLowerCase();
          return (
            !isBroken(n) &&
            tenantId === 'shop' &&
            one.at >= since &&
            one.at <= until &&
            (outcome?.includes(one.outcome) ?? true) &&
            (source?.includes(one.source ?? '') ?? true) &&
            words.every((word) => text.includes(word))
          );
        };
        const filter = {
          outcome: outcome ?? undefined,
          source: source ?? undefined,
          q: q ?? undefined,
          since,
          until,
        };
        await walk(filled, between, isListed, async (after) => {
          const page = await listFates('shop', filter, { limit, after }, filled.store);
          if (page === undefined) throw new Error(`${after} is refused`);
          expect(page.alerts.length).toBeLessThanOrEqual(limit);
          return { ids: page.alerts.map(({ id }) => id), next: page.next };
        });
        const later = fateId('shop', new Date(until.getTime() + 1), '0'.repeat(12));
        for (const after of [
          later,
          fateId('acme', since, '0'.repeat(12)),
          fateId('zoo', since, 'a'.repeat(12)),
        ])
          expect(await listFates('shop', filter, { limit, after }, filled.store)).toBeUndefined();
      }),
      { numRuns: randomRuns(150) },
    );
  });

  it('of a collection have each document once, unreadable ones too, and a bounded size', async () => {
    const chooseSize = (n: number) => (n % 11 === 0 ? 300_000 : 200);
    const limits = fc.option(fc.integer({ min: 1, max: 60 }), { nil: undefined });
    await fc.assert(
      fc.asyncProperty(limits, fc.boolean(), changes, async (limit, hasPrefix, between) => {
        const filled = await fill(150);
        const isListed = (n: number) => !hasPrefix || chooseTenant(n) === 'shop';
        await walk(filled, between, isListed, async (after) => {
          let reads = 0;
          const list: typeof filled.store.list = async (...query) => {
            const found = await filled.store.list(...query);
            reads += found.length;
            return found;
          };
          const page = await readPage(
            {
              collection: alertFates,
              type: alertFateType,
              ...(hasPrefix && { prefix: 'shop.' }),
              after,
              limit,
              show: (id) => ({ id, text: 'x'.repeat(chooseSize(filled.numberIn(id))) }),
            },
            { list },
          );
          const { items, unreadable, next } = page;
          const size = items.length + unreadable.length;
          expect(size > 0 || next === null).toBe(true);
          expect(size).toBeLessThanOrEqual(limit ?? COUNT);
          if (limit !== undefined) expect(reads).toBeLessThanOrEqual(limit + 1);
          if (items.length > 1) expect(JSON.stringify(items).length).toBeLessThan(800_100);
          const broken = unreadable.map(({ path }) => path.slice(path.lastIndexOf('/') + 1));
          return { ids: [...items.map(({ id }) => id), ...broken].toSorted(), next };
        });
      }),
      { numRuns: randomRuns(60) },
    );
  });
});
