// What an alert of a storm reads and writes, and that no document is written more than once a second.

import { expect, it } from 'vitest';
import type { Store } from '../../../shared/core/contract/store.ts';
import { fatesWith } from '../../../shared/kits/views/alerts/listFates.ts';
import { readCounts } from '../../../shared/kits/views/reports.ts';
import { paths, sessionType } from '../../../shared/lists/documents.ts';
import { IS_FULL } from '../../support/fullTests.ts';
import { startBench } from '../../support/harness.ts';

const triage = {
  correlate: [{ labels: ['cluster'], window: '15m' }],
  rules: [
    { name: 'dev', labels: { env: 'dev' }, action: 'drop' },
    { name: 'storm', labels: { cluster: '*' }, action: 'investigate', join: true },
  ],
};
const firing = { status: 'firing', labels: {} };
const STORMS = {
  'repeats of one problem': () => ({ ...firing, title: 'Disk full', fingerprint: 'disk' }),
  'related problems': (n: number) => {
    const title = `Pod ${n} is down`;
    return { ...firing, title, fingerprint: title, labels: { cluster: 'eu' } };
  },
  'dropped alerts': (n: number) => ({ ...firing, title: `Pod ${n}`, labels: { env: 'dev' } }),
};
const STEP_MS = 100;
const WINDOW_MS = 10_000;
const SECONDS = 15;

/** Counts the operations of a store. */
function countOperations(store: Store, now: () => number) {
  const operations = { reads: 0, writes: 0 };
  const written = new Map<string, number[]>();
  const note = (path: string) => {
    operations.writes += 1;
    written.set(path, [...(written.get(path) ?? []), now()]);
  };
  for (const name of ['get', 'list', 'listIds', 'find', 'count'] as const) {
    const read = store[name] as (...query: unknown[]) => Promise<unknown>;
    Object.assign(store, {
      [name]: (...query: unknown[]) => {
        operations.reads += 1;
        return read(...query);
      },
    });
  }
  const { commit, increment } = store;
  store.commit = async (batch) => {
    const result = await commit(batch);
    if (result.ok) for (const { path } of batch) note(path);
    return result;
  };
  store.increment = (path, ...rest) => {
    note(path);
    return increment(path, ...rest);
  };
  /** The most writes of a document within ten seconds, and its path. */
  const hottest = () =>
    [...written]
      .map(([path, times]): [number, string] => {
        const within = (from: number) => times.filter((at) => at >= from && at < from + WINDOW_MS).length;
        return [Math.max(...times.map(within)), path];
      })
      .sort(([a], [b]) => b - a)[0];
  return { operations, hottest };
}

/** A storm of so many alerts a minute, each tenth of a second delivered at once to as many processes. */
async function runStorm(alertOf: (n: number) => object, perMinute: number) {
  const script = { conversations: [{ turns: [{ text: 'Done.' }] }] };
  const one = await startBench({ script, triage, inMemory: true });
  const { clock, publisher, store } = one.deps;
  const deliver = async (from: number) => {
    const messages = publisher.published.slice(from).filter(({ topic }) => topic === 'alerts');
    await Promise.all(messages.map((message) => one.deliver(message)));
  };
  await one.publishAlert(alertOf(0), {}, clock.now().toISOString());
  await deliver(0);
  const { operations, hottest } = countOperations(store, () => clock.now().getTime());
  let sent = 0;
  for (let ms = STEP_MS; ms <= SECONDS * 1_000; ms += STEP_MS) {
    clock.advance(STEP_MS);
    const from = publisher.published.length;
    for (; sent < (ms / 60_000) * perMinute; sent++)
      await one.publishAlert(alertOf(sent + 1), {}, clock.now().toISOString());
    await deliver(from);
  }
  const reads = operations.reads / sent;
  const writes = operations.writes / sent;
  return { store, sent, reads, writes, hottest: hottest() };
}

it.each(
  Object.entries(STORMS).flatMap(([name, alertOf]) =>
    (IS_FULL ? [1_000, 10_000] : [1_000]).map((perMinute) => [perMinute, name, alertOf] as const),
  ),
)('%i %s a minute write no document more than once a second', async (perMinute, name, alertOf) => {
  const { store, sent, reads, writes, hottest } = await runStorm(alertOf, perMinute);
  if (process.env.PRINT_MEASURED) console.log(perMinute, name, { sent, reads, writes, hottest });
  expect(hottest?.[0], hottest?.[1]).toBeLessThanOrEqual(10);
  expect(writes).toBeLessThanOrEqual(name === 'dropped alerts' ? 1.05 : 2);
  // Where several processes write the same document, those that lose read again.
  expect(reads).toBeLessThanOrEqual(4.2);
  const [session] = await store.list({ collection: paths.sessions }, sessionType);
  if (session === undefined) return;
  // Each alert is counted once, and has a fate.
  const { value } = await readCounts(session.id, store);
  expect((value?.firing ?? 0) + (value?.joined ?? 0)).toBe(sent + 1);
  expect((await fatesWith('sessionId', session.id, store)).alerts).toHaveLength(Math.min(200, sent + 1));
});
