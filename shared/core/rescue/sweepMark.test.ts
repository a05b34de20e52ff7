import { describe, expect, it } from 'vitest';
import { SAMPLE_TIME } from '../../../test/support/samples.ts';
import { paths, sweepMarkType } from '../../lists/documents.ts';
import { createMemoryStore } from '../../store/memory/memoryStore.ts';
import { createDocument } from '../contract/store.ts';
import { SchemaVersionError } from '../schema/documentType.ts';
import { decideScope, markAfter, moveMark, noteListing, readMark } from './sweepMark.ts';

const at = (minutes: number): Date => new Date(SAMPLE_TIME.getTime() + minutes * 60_000);
const mark = (completed: number, listed = completed) => ({
  completedAt: at(completed),
  listedAt: at(listed),
  expireAt: at(100_000),
});
const all = (minutes: number) => ({ kind: 'all', unseenForMs: minutes * 60_000 });
const late = (since: number) => ({ kind: 'late', endedSince: at(since) });

describe('the sessions that a run reads', () => {
  it('are those that have ended since five minutes before the last complete run', () => {
    expect(decideScope(mark(-1, -30), at(0))).toEqual(late(-6));
  });

  it('is everything without a mark, and an hour after the last listing', () => {
    expect(decideScope(undefined, at(0))).toEqual(all(1.5));
    expect(decideScope(mark(-1, -59), at(0))).toEqual(late(-6));
    expect(decideScope(mark(-1, -60), at(0))).toEqual(all(61.5));
    expect(decideScope(mark(-1, -500), at(0))).toEqual(all(501.5));
  });

  it('continues a listing that has not ended within its hour', () => {
    const listing = { startedAt: at(-2), afterId: 's-200' };
    expect(decideScope({ ...mark(-1, -70), listing }, at(0))).toEqual({ ...all(71.5), listing });
    const old = { startedAt: at(-60), afterId: 's-200' };
    expect(decideScope({ ...mark(-1, -70), listing: old }, at(0))).toEqual(all(71.5));
  });

  it('reaches no further back than a listing did, however long no run was complete', () => {
    expect(decideScope(mark(-5_000, -30), at(0))).toEqual(late(-65));
  });

  it('follows the mark of an instance whose clock is ahead, and no mark of the far future', () => {
    expect(decideScope(mark(5), at(0))).toEqual(late(0));
    expect(decideScope(mark(6, -1), at(0))).toEqual(all(1.5));
    expect(decideScope(mark(-1, 6), at(0))).toEqual(all(1.5));
  });
});

describe('the mark after a run', () => {
  const times = (known: ReturnType<typeof mark> | undefined, listed: boolean, complete: boolean) => {
    const { completedAt, listedAt } = markAfter(known, { startedAt: at(0), listed, complete });
    return [completedAt, listedAt];
  };

  it('is where the run started, as far as it got', () => {
    expect(times(mark(-1, -30), false, true)).toEqual([at(0), at(-30)]);
    expect(times(mark(-1, -30), true, false)).toEqual([at(-1), at(0)]);
    expect(times(mark(-1, -30), false, false)).toEqual([at(-1), at(-30)]);
  });

  it('never goes back: a run that started earlier can end later', () => {
    expect(times(mark(2, 1), true, true)).toEqual([at(2), at(1)]);
  });

  it('goes back from where it cannot have been', () => {
    expect(times(mark(5_000, 5_000), true, true)).toEqual([at(0), at(0)]);
    expect(times(mark(-1, 5_000), false, true)).toEqual([at(0), at(-60)]);
  });

  it('lets the next run look at everything that an incomplete first one has not listed', () => {
    expect(times(undefined, true, false)).toEqual([at(-60), at(0)]);
    expect(
      decideScope(markAfter(undefined, { startedAt: at(0), listed: false, complete: true }), at(1)),
    ).toEqual(all(62.5));
  });
});

it('a listing is noted until one has ended', async () => {
  const store = createMemoryStore();
  const listing = { startedAt: at(0), afterId: 's-200' };
  await noteListing(listing, store);
  expect(await readMark(store)).toMatchObject({ listedAt: at(-60), listing });
  await moveMark({ startedAt: at(1), listed: false, complete: true }, store);
  expect(await readMark(store)).toMatchObject({ completedAt: at(1), listedAt: at(-59), listing });
  await moveMark({ startedAt: at(2), listed: true, complete: false }, store);
  const ended = await readMark(store);
  expect(ended).toMatchObject({ completedAt: at(1), listedAt: at(2) });
  expect(ended).not.toHaveProperty('listing');
});

describe('the stored mark', () => {
  const complete = (minute: number) => ({ startedAt: at(minute), listed: true, complete: true });

  it('is that of the latest run, in whatever order they end', async () => {
    const store = createMemoryStore();
    expect(await readMark(store)).toBeUndefined();
    for (const minute of [0, 2, 1]) await moveMark(complete(minute), store);
    expect(await readMark(store)).toMatchObject({ completedAt: at(2), listedAt: at(2) });
    // At the same time: the first one to write wins, and the mark is one of theirs.
    await Promise.all([moveMark(complete(3), store), moveMark(complete(4), store)]);
    expect([at(3), at(4)]).toContainEqual((await readMark(store))?.completedAt);
  });

  it('does not count when it is broken, and is replaced', async () => {
    const store = createMemoryStore();
    await moveMark(complete(0), store);
    store.rewrite(paths.sweepMark, (data) => ({ ...data, completedAt: 'yesterday' }));
    expect(await readMark(store)).toBeUndefined();
    await moveMark(complete(1), store);
    expect(await readMark(store)).toMatchObject({ completedAt: at(1) });
  });

  it('stays as newer code wrote it', async () => {
    const store = createMemoryStore();
    await store.commit([createDocument(paths.sweepMark, sweepMarkType, mark(0))]);
    store.rewrite(paths.sweepMark, (data) => ({ ...data, schemaVersion: 99 }));
    const before = store.documents();
    await expect(readMark(store)).rejects.toBeInstanceOf(SchemaVersionError);
    await expect(moveMark(complete(1), store)).rejects.toBeInstanceOf(SchemaVersionError);
    expect(store.documents()).toEqual(before);
  });
});
