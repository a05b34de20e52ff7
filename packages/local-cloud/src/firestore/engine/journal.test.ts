import { expect, it } from 'vitest';
import type { StoredRow } from './documentStore.ts';
import { createJournal } from './journal.ts';

const key = { database: 'projects/p/databases/d', path: 'a/b' };
const row = (updateTime: number, bytes = 1): StoredRow => ({
  ...key,
  createTime: 1,
  updateTime,
  data: Buffer.alloc(bytes),
});

it('the journal keeps a document as it was at a time and as it is now', () => {
  const journal = createJournal(0);
  journal.append(1, [{ key, before: undefined, after: row(1) }]);
  journal.append(2, [{ key, before: row(1), after: row(2) }]);
  journal.append(3, [{ key, before: row(2), after: undefined }]);
  const since = (time: number) => [...(journal.since(time)?.values() ?? [])];
  expect(since(0)).toEqual([{ key, before: undefined, after: undefined }]);
  expect(since(1)).toEqual([{ key, before: row(1), after: undefined }]);
  expect(since(3)).toEqual([]);
});

it('the journal drops old and surplus entries, and reports it', () => {
  const journal = createJournal(10);
  expect(journal.since(9)).toBeUndefined();
  journal.append(20, [{ key, before: row(1), after: row(20) }]);
  journal.append(300e6, [{ key, before: row(20), after: row(300e6) }]);
  expect(journal.since(19)).toBeUndefined();
  expect(journal.since(20)?.size).toBe(1);
  journal.append(301e6, [{ key, before: row(300e6, 65 * 1024 * 1024), after: row(301e6) }]);
  expect(journal.since(300e6)).toBeUndefined();
  journal.append(302e6, [{ key, before: undefined, after: row(302e6, 40 * 1024 * 1024) }]);
  expect(journal.since(301e6)?.size).toBe(1);
  journal.append(303e6, [{ key, before: undefined, after: row(303e6, 40 * 1024 * 1024) }]);
  expect(journal.since(301e6)).toBeUndefined();
});
