// What every store must do, whatever it is made of. Run by the in-memory one and by the one on Firestore.

import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import {
  addToDocument,
  createDocument,
  deleteDocument,
  type ListQuery,
  type MatchQuery,
  type NearestQuery,
  putDocument,
  replaceDocument,
  type Store,
  type Stored,
  type TimeQuery,
  type Version,
} from '../../shared/core/contract/store.ts';
import { TerminalError } from '../../shared/core/errors.ts';
import { documentType, SchemaVersionError } from '../../shared/core/schema/documentType.ts';

const fields = {
  text: z.string(),
  at: z.date().nullable(),
  labels: z.record(z.string(), z.unknown()),
};
const noteType = documentType('note', 2, z.strictObject(fields), {
  oldest: 1,
  upcast: ({ retired: _, ...kept }) => kept,
});
const olderNoteType = documentType('note', 1, z.strictObject({ ...fields, retired: z.string() }));
const newerNoteType = documentType('note', 3, z.strictObject(fields));
const placedType = documentType(
  'placed',
  1,
  z.strictObject({ text: z.string(), place: z.string().nullable() }),
);
const tallySchema = z.strictObject({
  count: z.int(),
  at: z.date().nullable(),
  labels: z.record(z.string(), z.string()),
  list: z.array(z.strictObject({ text: z.string(), at: z.date() })),
  counts: z.record(z.string(), z.int()).optional(),
});
const tallyType = documentType('tally', 1, tallySchema);
type Tally = z.infer<typeof tallySchema>;
const DAY = new Date('2026-11-05T10:20:30.123Z');
/** The same field with something else in it. */
const textTimeType = documentType(
  'note',
  2,
  z.strictObject({ at: z.union([z.string(), z.number()]).optional() }),
);
const vectorSchema = z.strictObject({
  owner: z.string().nullable(),
  at: z.strictObject({ place: z.string() }),
  words: z.array(z.string()),
  direction: z.array(z.number()).nullable(),
});
const vectorType = documentType('vector', 1, vectorSchema, undefined, ['direction']);
type Note = z.infer<z.ZodObject<typeof fields>>;

const note = (text: string, overrides: Partial<Note> = {}): Note => ({
  text,
  at: null,
  labels: {},
  ...overrides,
});

/** Runs the suite on the stores that `open` gives. */
export function describeStore(name: string, open: () => Store): void {
  describe(`${name} as a store`, () => {
    let store: Store;
    beforeAll(() => {
      store = open();
    });
    afterAll(() => store.close());

    /** A collection nobody else uses. */
    const collection = () => `conformance/${randomUUID()}/notes`;

    const created = async (path: string, value: Note): Promise<Version> => {
      const result = await store.commit([createDocument(path, noteType, value)]);
      if (!result.ok || result.versions[0] === undefined) throw new Error(`not created: ${path}`);
      return result.versions[0];
    };
    const found = async (path: string): Promise<Stored<Note>> => {
      const document = await store.get(path, noteType);
      if (document === undefined) throw new Error(`not found: ${path}`);
      return document;
    };
    const texts = (documents: Stored<Note>[]) => documents.map((document) => document.value.text);
    const ids = (documents: Stored<Note>[]) => documents.map((document) => document.id);

    describe('get', () => {
      it('gives a document with its path, id and value', async () => {
        const path = `${collection()}/01-a.000001`;
        const version = await created(path, note('one'));
        const expected = { path, id: '01-a.000001', value: note('one'), version };
        expect(await store.get(path, noteType)).toMatchObject(expected);
      });

      it('has the time of the last change of a document', async () => {
        const path = `${collection()}/changed`;
        const version = await created(path, note('one'));
        const first = (await found(path)).updatedAt.getTime();
        // The store's clock may differ from ours, but not by an hour; a wrong unit would be years.
        expect(Math.abs(first - Date.now())).toBeLessThan(3_600_000);
        await store.commit([replaceDocument(path, noteType, note('two'), version)]);
        const second = await found(path);
        expect(second.updatedAt.getTime()).toBeGreaterThanOrEqual(first);
        await store.commit([replaceDocument(path, noteType, note('two'), second.version)]);
        expect((await found(path)).updatedAt).toEqual(second.updatedAt);
      });

      it('gives undefined for a document that does not exist', async () => {
        expect(await store.get(`${collection()}/none`, noteType)).toBeUndefined();
      });

      it('keeps a date to the millisecond', async () => {
        const path = `${collection()}/dated`;
        const at = new Date('2026-11-05T10:20:30.123Z');
        await created(path, note('dated', { at }));
        expect((await found(path)).value.at).toEqual(at);
      });

      it('keeps map keys with dots, spaces and other alphabets, and empty maps and lists', async () => {
        const path = `${collection()}/labelled`;
        const labels = {
          'app.kubernetes.io/name': 'a',
          'with space`\\': 'b',
          größe: 'c',
          none: {},
          list: [],
        };
        const version = await created(path, note('labelled', { labels }));
        expect((await found(path)).value.labels).toEqual(labels);
        const other = { 'app.kubernetes.io/part-of': 'd' };
        await store.commit([replaceDocument(path, noteType, note('labelled', { labels: other }), version)]);
        expect((await found(path)).value.labels).toEqual(other);
      });

      it('hands out a value of its own each time', async () => {
        const path = `${collection()}/own`;
        const at = new Date('2026-11-05T10:20:30.123Z');
        const value = note('own', { at, labels: { list: ['a'] } });
        await created(path, value);
        (value.labels.list as string[]).push('b');
        at.setUTCFullYear(1999);
        const first = await found(path);
        (first.value.labels.list as string[]).push('c');
        first.value.at?.setUTCFullYear(1999);
        const expected = note('own', { at: new Date('2026-11-05T10:20:30.123Z'), labels: { list: ['a'] } });
        expect((await found(path)).value).toEqual(expected);
      });
    });

    describe('commit', () => {
      it('writes nothing when there is nothing to write', async () => {
        expect(await store.commit([])).toEqual({ ok: true, versions: [] });
      });

      it('refuses to create a document that exists, and writes nothing else of the batch', async () => {
        const notes = collection();
        await created(`${notes}/b`, note('first'));
        const batch = [
          createDocument(`${notes}/a`, noteType, note('a')),
          createDocument(`${notes}/b`, noteType, note('b')),
        ];
        expect(await store.commit(batch)).toEqual({ ok: false, reason: 'exists' });
        expect(texts(await store.list({ collection: notes }, noteType))).toEqual(['first']);
      });

      it('refuses to replace a document that has changed, and writes nothing else of the batch', async () => {
        const notes = collection();
        const stale = await created(`${notes}/b`, note('first'));
        await store.commit([replaceDocument(`${notes}/b`, noteType, note('second'), stale)]);
        const batch = [
          createDocument(`${notes}/a`, noteType, note('a')),
          replaceDocument(`${notes}/b`, noteType, note('third'), stale),
        ];
        expect(await store.commit(batch)).toEqual({ ok: false, reason: 'changed' });
        expect(texts(await store.list({ collection: notes }, noteType))).toEqual(['second']);
      });

      it('refuses to replace a document that is missing, and writes nothing else of the batch', async () => {
        const notes = collection();
        const version = await created(`${notes}/b`, note('first'));
        const batch = [
          createDocument(`${notes}/a`, noteType, note('a')),
          replaceDocument(`${notes}/none`, noteType, note('x'), version),
        ];
        expect(await store.commit(batch)).toEqual({ ok: false, reason: 'missing' });
        expect(texts(await store.list({ collection: notes }, noteType))).toEqual(['first']);
      });

      it('puts a document whether there is one or not, and leaves nothing of the old one', async () => {
        const path = `${collection()}/a`;
        await store.commit([putDocument(path, olderNoteType, { ...note('old'), retired: 'x' })]);
        const result = await store.commit([putDocument(path, noteType, note('new'))]);
        expect(result.ok).toBe(true);
        const { value, version } = await found(path);
        expect(value).toEqual(note('new'));
        expect(await store.commit([replaceDocument(path, noteType, note('newer'), version)])).toMatchObject({
          ok: true,
        });
      });

      it('deletes a document whether there is one or not, and nothing with a batch that is refused', async () => {
        const notes = collection();
        const version = await created(`${notes}/a`, note('a'));
        const refused = await store.commit([
          deleteDocument(`${notes}/a`, noteType),
          createDocument(`${notes}/a`, noteType, note('again')),
          replaceDocument(`${notes}/missing`, noteType, note('b'), version),
        ]);
        expect(refused.ok).toBe(false);
        expect(await store.get(`${notes}/a`, noteType)).toBeDefined();
        const both = await store.commit([
          deleteDocument(`${notes}/a`, noteType),
          deleteDocument(`${notes}/never`, noteType),
          createDocument(`${notes}/b`, noteType, note('b')),
        ]);
        expect(both).toMatchObject({ ok: true, versions: { length: 3 } });
        expect(texts(await store.list({ collection: notes }, noteType))).toEqual(['b']);
        expect(await store.commit([replaceDocument(`${notes}/a`, noteType, note('late'), version)])).toEqual({
          ok: false,
          reason: 'missing',
        });
      });

      it('gives one version per write, each of them good for the next replace', async () => {
        const notes = collection();
        const paths = [`${notes}/a`, `${notes}/b`];
        let versions: Version[] = [];
        for (const [round, text] of ['one', 'two', 'three'].entries()) {
          const result = await store.commit(
            paths.map((path, index) => {
              const version = versions[index];
              const value = note(`${text} ${index}`);
              return version
                ? replaceDocument(path, noteType, value, version)
                : createDocument(path, noteType, value);
            }),
          );
          expect(result.ok, `round ${round}`).toBe(true);
          versions = result.ok ? result.versions : [];
          expect(versions).toHaveLength(2);
        }
        const stored = await store.list({ collection: notes }, noteType);
        expect(texts(stored)).toEqual(['three 0', 'three 1']);
        expect(stored.map((document) => document.version)).toEqual(versions);
      });

      it('gives a usable version for a replace that changed nothing', async () => {
        const path = `${collection()}/same`;
        const first = await created(path, note('same'));
        const second = await store.commit([replaceDocument(path, noteType, note('same'), first)]);
        expect(second.ok && second.versions).toEqual([first]);
        expect(await store.commit([replaceDocument(path, noteType, note('other'), first)])).toMatchObject({
          ok: true,
        });
      });

      it('lets exactly one of ten racers replace a version', async () => {
        const path = `${collection()}/raced`;
        const version = await created(path, note('start'));
        const racers = Array.from({ length: 10 }, (_, index) => `racer ${index}`);
        const results = await Promise.all(
          racers.map((text) => store.commit([replaceDocument(path, noteType, note(text), version)])),
        );
        const winners = racers.filter((_, index) => results[index]?.ok);
        expect(winners).toHaveLength(1);
        expect(results.filter((result) => !result.ok && result.reason === 'changed')).toHaveLength(9);
        expect((await found(path)).value.text).toBe(winners[0]);
      });

      it('leaves no field of an older version behind', async () => {
        const path = `${collection()}/old`;
        await store.commit([createDocument(path, olderNoteType, { ...note('old'), retired: 'x' })]);
        const { version } = await found(path);
        const replaced = await store.commit([replaceDocument(path, noteType, note('new'), version)]);
        expect(replaced.ok).toBe(true);
        expect((await found(path)).value).toEqual(note('new'));
      });

      it('refuses a document that its type refuses, before anything is written', async () => {
        const notes = collection();
        const huge = createDocument(`${notes}/b`, noteType, note('x'.repeat(950_000)));
        await expect(
          store.commit([createDocument(`${notes}/a`, noteType, note('a')), huge]),
        ).rejects.toMatchObject({
          code: 'DOCUMENT_TOO_LARGE',
        });
        expect(await store.list({ collection: notes }, noteType)).toEqual([]);
      });

      it('holds a document just under the limit, also of characters that take three bytes', async () => {
        const path = `${collection()}/large`;
        await created(path, note('€'.repeat(299_900)));
        expect((await found(path)).value.text).toHaveLength(299_900);
      });

      it.each([
        ['a list in a list', { list: [[1]] }, 'labels.list.0'],
        ['an empty name', { map: { '': 1 } }, 'labels.map.'],
        ['a reserved name', { __name__: 'up' }, 'labels.__name__'],
      ])('refuses %s as DOCUMENT_INVALID and names the place', async (_, labels, place) => {
        const commit = store.commit([
          createDocument(`${collection()}/bad`, noteType, note('bad', { labels })),
        ]);
        const error: unknown = await commit.catch((thrown: unknown) => thrown);
        expect(error).toBeInstanceOf(TerminalError);
        expect(error).toMatchObject({ code: 'DOCUMENT_INVALID', message: expect.stringContaining(place) });
      });

      it('stores undefined as absent, and half a surrogate pair as the replacement character', async () => {
        const path = `${collection()}/odd`;
        await created(path, note('cut \ud83d', { labels: { gone: undefined } }));
        expect((await found(path)).value).toEqual(note('cut \ufffd'));
      });

      it.each([
        'notes',
        'notes/a/b',
        'notes//b/c',
        '',
        'notes/..',
        'notes/__a__',
        'notes/\ud83d',
        `notes/${'é'.repeat(751)}`,
      ])('refuses the path %j as DOCUMENT_INVALID', async (path) => {
        const write = createDocument(path, noteType, note('x'));
        await expect(store.commit([write])).rejects.toMatchObject({ code: 'DOCUMENT_INVALID' });
        await expect(store.get(path, noteType)).rejects.toMatchObject({ code: 'DOCUMENT_INVALID' });
      });
    });

    const tally = (overrides: Partial<Tally> = {}): Tally => ({
      count: 1,
      at: DAY,
      labels: {},
      list: [],
      ...overrides,
    });

    describe('incrementAll', () => {
      const FIELDS = ['count', 'counts.w1', 'counts.w2'];
      const add = (path: string, count: number, counts: Record<string, number>) =>
        store.incrementAll(path, tallyType, tally({ count, counts }), FIELDS);

      it('adds to several integers in one write, and leaves other entries of a map as they are', async () => {
        const path = `${collection()}/tally`;
        expect(await add(path, 1, { w1: 5, w2: 0 })).toEqual([1, 5, 0]);
        const fields = ['count', 'counts.w3'];
        const value = tally({ count: 0, counts: { w3: 9 } });
        expect(await store.incrementAll(path, tallyType, value, fields)).toEqual([1, 9]);
        expect(await add(path, 2, { w1: -5, w2: 1 })).toEqual([3, 0, 1]);
        expect((await store.get(path, tallyType))?.value).toEqual(
          tally({ count: 3, counts: { w1: 0, w2: 1, w3: 9 } }),
        );
      });

      it('gives every caller at once another sum of all integers', async () => {
        const path = `${collection()}/tally`;
        const sums = (
          await Promise.all(Array.from({ length: 50 }, () => add(path, 1, { w1: 1, w2: -1 })))
        ).map(([count = 0, one = 0, two = 0]) => [count, one, two]);
        expect(sums.sort(([a = 0], [b = 0]) => a - b)).toEqual(
          Array.from({ length: 50 }, (_, index) => [index + 1, index + 1, -index - 1]),
        );
      });

      it('refuses a document that its type refuses, and counts nothing then', async () => {
        const path = `${collection()}/tally`;
        await expect(add(path, 1, { w1: 0.5 })).rejects.toMatchObject({ code: 'DOCUMENT_INVALID' });
        expect(await store.get(path, tallyType)).toBeUndefined();
      });
    });

    describe('increment', () => {
      const count = (path: string, overrides: Partial<Tally> = {}) =>
        store.increment(path, tallyType, tally(overrides), 'count');

      it('counts from nothing, and gives the new value', async () => {
        const path = `${collection()}/tally`;
        expect([await count(path), await count(path, { count: 5 }), await count(path, { count: 0 })]).toEqual(
          [1, 6, 6],
        );
        expect((await store.get(path, tallyType))?.value).toEqual(tally({ count: 6 }));
      });

      it('gives every number once to a hundred callers at once', async () => {
        const path = `${collection()}/tally`;
        const results = await Promise.all(Array.from({ length: 100 }, () => count(path)));
        expect(results.sort((a, b) => a - b)).toEqual(Array.from({ length: 100 }, (_, index) => index + 1));
        expect((await store.get(path, tallyType))?.value.count).toBe(100);
      });

      it('sets the other fields, and adds missing elements to a list', async () => {
        const path = `${collection()}/tally`;
        const [one, two, three] = ['one', 'two', 'three'].map((text) => ({ text, at: DAY }));
        if (!one || !two || !three) throw new Error('three');
        await count(path, { labels: { a: 'b' }, list: [one, two] });
        await count(path, { at: null, labels: { 'c.d`': 'e' }, list: [two, three] });
        await count(path, { at: null, labels: { 'c.d`': 'e' } });
        const expected = tally({ count: 3, at: null, labels: { 'c.d`': 'e' }, list: [one, two, three] });
        expect((await store.get(path, tallyType))?.value).toEqual(expected);
      });

      it('gives the document another version', async () => {
        const path = `${collection()}/tally`;
        await count(path);
        const before = await store.get(path, tallyType);
        await count(path);
        const version = before?.version ?? ('' as Version);
        const result = await store.commit([replaceDocument(path, tallyType, tally(), version)]);
        expect(result).toEqual({ ok: false, reason: 'changed' });
      });

      it('refuses a document that its type refuses, and counts nothing then', async () => {
        const path = `${collection()}/tally`;
        await expect(count(path, { count: 0.5 })).rejects.toMatchObject({ code: 'DOCUMENT_INVALID' });
        expect(await store.get(path, tallyType)).toBeUndefined();
      });
    });

    describe('add, in a commit', () => {
      const batch = (notes: string, id: string, overrides: Partial<Tally> = {}) =>
        store.commit([
          createDocument(`${notes}/${id}`, noteType, note(id)),
          addToDocument(`${notes}/tally`, tallyType, tally(overrides), ['count']),
        ]);

      it('counts each batch once, also a hundred at once, and nothing of one that is refused', async () => {
        const notes = collection();
        const all = Array.from({ length: 100 }, (_, index) => batch(notes, `n${index % 50}`));
        const taken = (await Promise.all(all)).filter(({ ok }) => ok);
        expect(taken).toHaveLength(50);
        expect((await store.get(`${notes}/tally`, tallyType))?.value.count).toBe(50);
        expect(await batch(notes, 'n1')).toEqual({ ok: false, reason: 'exists' });
      });

      it('sets the other fields, and gives the document another version', async () => {
        const notes = collection();
        const one = await batch(notes, 'one', { labels: { a: 'b' } });
        await batch(notes, 'two', { count: 4, at: null, labels: { c: 'd' } });
        const expected = tally({ count: 5, at: null, labels: { c: 'd' } });
        expect((await store.get(`${notes}/tally`, tallyType))?.value).toEqual(expected);
        const version = (one.ok && one.versions[1]) || ('' as Version);
        const late = await store.commit([replaceDocument(`${notes}/tally`, tallyType, tally(), version)]);
        expect(late).toEqual({ ok: false, reason: 'changed' });
      });
    });

    describe('list', () => {
      it('gives the documents of one collection in the order of their ids', async () => {
        const notes = collection();
        const inOrder = ['01-a.000001', '01-a.000002', '01-a.000010', '02', 'Z', 'a', 'é', '！', '😀'];
        for (const id of inOrder.toReversed()) await created(`${notes}/${id}`, note(id));
        await created(`${notes}/02/notes/below`, note('below'));
        expect(ids(await store.list({ collection: notes }, noteType))).toEqual(inOrder);
      });

      it('gives only ids that start with the prefix', async () => {
        const notes = collection();
        const all = [
          '01-a',
          '01-a.000001',
          '01-a.000002',
          '01-a.😀',
          '01-ab.000001',
          '01-a/x/y',
          '02-a.000001',
        ];
        for (const id of all) await created(`${notes}/${id}`, note(id));
        const listed = await store.list({ collection: notes, idPrefix: '01-a.' }, noteType);
        expect(ids(listed)).toEqual(['01-a.000001', '01-a.000002', '01-a.😀']);
      });

      it('gives only ids from the first to the last of a range', async () => {
        const notes = collection();
        const all = ['01-a.000001', '01-a.000002', '01-a.000003', '01-a.000004', '01-a.000004x', '01-b'];
        for (const id of all) await created(`${notes}/${id}`, note(id));
        const idRange = { from: '01-a.000002', to: '01-a.000004' };
        const listed = await store.list({ collection: notes, idRange }, noteType);
        expect(ids(listed)).toEqual(['01-a.000002', '01-a.000003', '01-a.000004']);
      });

      it('gives the first ones of a range, as many as are asked for', async () => {
        const notes = collection();
        for (const id of ['a1', 'a2', 'a3', 'a4']) await created(`${notes}/${id}`, note(id));
        const idRange = { from: 'a2', to: 'a4' };
        const listed = (limit: number) => store.list({ collection: notes, idRange, limit }, noteType);
        expect(ids(await listed(2))).toEqual(['a2', 'a3']);
        expect(ids(await listed(9))).toEqual(['a2', 'a3', 'a4']);
      });

      it('gives versions that are good for a replace', async () => {
        const notes = collection();
        await created(`${notes}/a`, note('a'));
        const [listed] = await store.list({ collection: notes }, noteType);
        if (listed === undefined) throw new Error('not listed');
        const result = await store.commit([
          replaceDocument(listed.path, noteType, note('b'), listed.version),
        ]);
        expect(result.ok).toBe(true);
      });

      it('gives nothing for a collection that does not exist', async () => {
        expect(await store.list({ collection: collection() }, noteType)).toEqual([]);
      });
    });

    describe('list and count by fields', () => {
      const filled = async () => {
        const notes = collection();
        for (const [id, text, place] of [
          ['a', 'open', '3'],
          ['b', 'closed', '2'],
          ['c', 'open', '1'],
          ['d', 'open', '2'],
        ] as const)
          await store.commit([createDocument(`${notes}/${id}`, placedType, { text, place })]);
        await store.commit([createDocument(`${notes}/e`, placedType, { text: 'open', place: null })]);
        return { collection: notes, equal: { text: 'open' } };
      };
      const idsOf = async (query: ListQuery) => (await store.list(query, placedType)).map(({ id }) => id);

      it('gives documents with these texts, in id order, within a range of ids', async () => {
        const query = await filled();
        expect(await idsOf(query)).toEqual(['a', 'c', 'd', 'e']);
        expect(await idsOf({ ...query, limit: 2 })).toEqual(['a', 'c']);
        expect(await idsOf({ ...query, idRange: { from: 'b', to: 'd' } })).toEqual(['c', 'd']);
      });

      it('gives them in the order of a field, within a range of it, without documents that lack it', async () => {
        const query = { ...(await filled()), by: 'place' };
        const all = { from: '0', to: '9' };
        expect(await idsOf({ ...query, idRange: all, limit: 2 })).toEqual(['c', 'd']);
        expect(await idsOf({ ...query, idRange: { from: '2', to: '9' } })).toEqual(['d', 'a']);
        expect(await idsOf({ ...query, idPrefix: '1' })).toEqual(['c']);
      });

      it('counts them', async () => {
        const query = await filled();
        expect(await store.count(query)).toBe(4);
        expect(await store.count({ ...query, idRange: { from: 'b', to: 'd' } })).toBe(2);
        expect(await store.count({ ...query, equal: { text: 'none' } })).toBe(0);
        expect(await store.count({ collection: query.collection })).toBe(5);
      });
    });

    describe('listIds', () => {
      const texts = { a: 'open', b: 'closed', c: 'open', d: 'other', e: 'open' };
      const filled = async () => {
        const notes = collection();
        for (const [id, text] of Object.entries(texts)) await created(`${notes}/${id}`, note(text));
        await created(`${notes}/a/notes/below`, note('open'));
        return notes;
      };
      const query = { field: 'text', limit: 10 };

      it('gives the ids of documents whose field has one of the values, in order', async () => {
        const collection = await filled();
        const ids = (oneOf: string[]) => store.listIds({ ...query, collection, oneOf });
        expect(await ids(['open'])).toEqual(['a', 'c', 'e']);
        expect(await ids(['other', 'closed'])).toEqual(['b', 'd']);
        expect(await ids(['nothing'])).toEqual([]);
      });

      it('gives them page by page', async () => {
        const collection = await filled();
        const page = (afterId?: string) =>
          store.listIds({
            collection,
            field: 'text',
            oneOf: ['open', 'other'],
            limit: 2,
            ...(afterId && { afterId }),
          });
        expect(await page()).toEqual(['a', 'c']);
        expect(await page('c')).toEqual(['d', 'e']);
        expect(await page('e')).toEqual([]);
      });

      it('gives those of newer documents too, and of documents whose field is something else not', async () => {
        const notes = collection();
        await store.commit([createDocument(`${notes}/new`, newerNoteType, note('open'))]);
        await created(`${notes}/odd`, note('closed', { labels: { text: 'open' } }));
        expect(await store.listIds({ ...query, collection: notes, oneOf: ['open'] })).toEqual(['new']);
      });
    });

    describe('find and findNearest', () => {
      const filled = async () => {
        const vectors = collection();
        const documents = {
          a: { owner: null, place: 'x', words: ['one', 'two'], direction: [1, 0, 0] },
          b: { owner: 'anna', place: 'x', words: ['two'], direction: [0, 2, 0] },
          c: { owner: null, place: 'y', words: ['three'], direction: [3, 3, 0] },
          d: { owner: null, place: 'x', words: [], direction: null },
          e: { owner: null, place: 'x', words: ['two'], direction: [-1, 0, 0] },
        };
        await store.commit(
          Object.entries(documents).map(([id, { place, ...rest }]) =>
            createDocument(`${vectors}/${id}`, vectorType, { ...rest, at: { place } }),
          ),
        );
        return vectors;
      };
      const ids = (found: { id: string }[]) => found.map(({ id }) => id);

      it('find documents by values of fields, by elements of a list, and not more than wanted', async () => {
        const notes = await filled();
        const find = async (query: Partial<MatchQuery>) =>
          ids(await store.find({ collection: notes, equal: {}, limit: 10, ...query }, vectorType));
        expect(await find({ equal: { owner: null } })).toEqual(['a', 'c', 'd', 'e']);
        expect(await find({ equal: { owner: 'anna' } })).toEqual(['b']);
        expect(await find({ equal: { owner: null, 'at.place': 'x' }, limit: 2 })).toEqual(['a', 'd']);
        const anyOf = { field: 'words', values: ['two', 'three', 'none'] };
        expect(await find({ anyOf })).toEqual(['a', 'b', 'c', 'e']);
        expect(await find({ anyOf, equal: { owner: null, 'at.place': 'x' } })).toEqual(['a', 'e']);
        expect(await find({ equal: { owner: 'nobody' } })).toEqual([]);
        expect(await find({ anyOf, afterId: 'b' })).toEqual(['c', 'e']);
      });

      it('find the nearest vectors first, within a distance, and not more than wanted', async () => {
        const notes = await filled();
        const near = async (query: Partial<NearestQuery>) => {
          const all = { field: 'direction', vector: [2, 0, 0], maxDistance: 2, limit: 10 };
          const found = await store.findNearest(
            { collection: notes, equal: {}, ...all, ...query },
            vectorType,
          );
          return found.map(({ document, distance }) => [document.id, Number(distance.toFixed(3))]);
        };
        const all = [
          ['a', 0],
          ['c', 0.293],
          ['b', 1],
          ['e', 2],
        ];
        expect(await near({})).toEqual(all);
        expect(await near({ maxDistance: 1 })).toEqual(all.slice(0, 3));
        expect(await near({ limit: 1 })).toEqual(all.slice(0, 1));
        expect(await near({ equal: { owner: null } })).toEqual([all[0], all[1], all[3]]);
        expect(await near({ vector: [1, 0] })).toEqual([]);
      });

      it('give back vectors as numbers, with a version that is good for a replace', async () => {
        const notes = await filled();
        const query = { collection: notes, equal: { owner: 'anna' }, limit: 1 };
        const [found] = await store.find(query, vectorType);
        expect(found?.value.direction).toEqual([0, 2, 0]);
        const [nearest] = await store.findNearest(
          { ...query, field: 'direction', vector: [0, 1, 0], maxDistance: 2 },
          vectorType,
        );
        expect(nearest?.document).toEqual(found);
        if (found === undefined) throw new Error('not found');
        const changed = { ...found.value, direction: null };
        const result = await store.commit([replaceDocument(found.path, vectorType, changed, found.version)]);
        expect(result.ok).toBe(true);
        expect((await store.get(found.path, vectorType))?.value).toEqual(changed);
      });
    });

    describe('findByTime', () => {
      const at = (second: number) => new Date(Date.UTC(2026, 10, 5, 10, 0, second));
      /** Collections of an id that no other test uses, below several documents and at several depths. */
      const filled = async (times: Record<string, Date | null>) => {
        const collectionId = `timed-${randomUUID()}`;
        for (const [path, time] of Object.entries(times)) {
          await created(`conformance/${path.replace('/', `/${collectionId}/`)}`, note(path, { at: time }));
        }
        return collectionId;
      };
      const pagesOf = async (query: Omit<TimeQuery, 'field'>) => {
        const pages: string[][] = [];
        for await (const page of store.findByTime({ field: 'at', ...query })) {
          pages.push(
            page.map((path) => path.replace('conformance/', '').replace(`/${query.collectionId}`, '')),
          );
        }
        return pages;
      };

      it('gives paths by time in all collections of the id, between both bounds and at them', async () => {
        const collectionId = await filled({ 'a/3': at(3), 'b/1': at(1), 'a/4': at(4), 'c/2': at(2) });
        const find = (bounds: { from?: Date; to?: Date }) => pagesOf({ collectionId, limit: 10, ...bounds });
        await created(`conformance/e/deep/f/${collectionId}/5`, note('five', { at: at(5) }));
        expect(await find({ to: at(3) })).toEqual([['b/1', 'c/2', 'a/3']]);
        expect(await find({ from: at(4) })).toEqual([['a/4', 'e/deep/f/5']]);
        expect(await find({ from: at(2), to: at(3) })).toEqual([['c/2', 'a/3']]);
        expect(await find({ from: at(6) })).toEqual([]);
      });

      it('gives pages that are full but for the last and never empty, the same time in the order of paths', async () => {
        const collectionId = await filled({ 'b/1': at(1), 'a/2': at(1), 'a/1': at(1), 'a/3': at(0) });
        const find = (limit: number) => pagesOf({ collectionId, limit, to: at(9) });
        expect(await find(1)).toEqual([['a/3'], ['a/1'], ['a/2'], ['b/1']]);
        expect(await find(2)).toEqual([
          ['a/3', 'a/1'],
          ['a/2', 'b/1'],
        ]);
        expect(await find(3)).toEqual([['a/3', 'a/1', 'a/2'], ['b/1']]);
      });

      it('gives newer documents too, and none whose field is missing or no time', async () => {
        const collectionId = await filled({ 'a/1': at(1), 'a/2': null });
        await store.commit([
          createDocument(`conformance/a/${collectionId}/new`, newerNoteType, note('new', { at: at(2) })),
          createDocument(`conformance/a/${collectionId}/text`, textTimeType, { at: at(1).toISOString() }),
          createDocument(`conformance/a/${collectionId}/number`, textTimeType, { at: 0 }),
          createDocument(`conformance/a/${collectionId}/none`, textTimeType, {}),
        ]);
        expect(await pagesOf({ collectionId, limit: 10, to: at(9) })).toEqual([['a/1', 'a/new']]);
        expect(await pagesOf({ collectionId, limit: 10, from: at(0) })).toEqual([['a/1', 'a/new']]);
      });

      it('goes on behind a page whose documents have changed since', async () => {
        const collectionId = await filled({ 'a/1': at(1), 'a/2': at(2), 'a/3': at(3) });
        const path = `conformance/a/${collectionId}/1`;
        const seen: string[] = [];
        for await (const page of store.findByTime({ collectionId, field: 'at', to: at(9), limit: 1 })) {
          seen.push(...page);
          if (seen.length > 1) continue;
          const { version } = await found(path);
          await store.commit([replaceDocument(path, noteType, note('ended'), version)]);
        }
        expect(seen.map((one) => one.at(-1))).toEqual(['1', '2', '3']);
      });
    });

    describe('a document newer than this code', () => {
      it('is refused by get and list', async () => {
        const notes = collection();
        await store.commit([createDocument(`${notes}/new`, newerNoteType, note('new'))]);
        await expect(store.get(`${notes}/new`, noteType)).rejects.toBeInstanceOf(SchemaVersionError);
        await expect(store.list({ collection: notes }, noteType)).rejects.toBeInstanceOf(SchemaVersionError);
      });

      it('ends a watch with an error, once', async () => {
        const notes = collection();
        await store.commit([createDocument(`${notes}/a`, newerNoteType, note('new'))]);
        const onDocuments = vi.fn();
        const errors: unknown[] = [];
        store.watch({ collection: notes }, noteType, onDocuments, (error) => errors.push(error));
        await vi.waitFor(() => expect(errors).toHaveLength(1), 15_000);
        expect(errors[0]).toBeInstanceOf(SchemaVersionError);
        const after = watched(notes);
        await store.commit([createDocument(`${notes}/b`, newerNoteType, note('newer'))]);
        await vi.waitFor(() => expect(after.errors).toHaveLength(1), 15_000);
        expect(errors).toHaveLength(1);
        expect(onDocuments).not.toHaveBeenCalled();
      });
    });

    /** A watch and what it has told so far. */
    const watched = (notes: string, idPrefix?: string) => {
      const batches: Stored<Note>[][] = [];
      const errors: unknown[] = [];
      const query = { collection: notes, ...(idPrefix && { idPrefix }) };
      const stop = store.watch(
        query,
        noteType,
        (documents) => batches.push(documents),
        (error) => errors.push(error),
      );
      return { batches, errors, stop };
    };
    const until = (check: () => void) => vi.waitFor(check, { timeout: 240_000, interval: 5 });

    describe('watch', () => {
      it('reports existing documents first, then new and changed ones, in the order of ids', async () => {
        const notes = collection();
        const version = await created(`${notes}/b`, note('b'));
        await created(`${notes}/a`, note('a'));
        const { batches, stop } = watched(notes);
        await until(() => expect(batches.map(texts)).toEqual([['a', 'b']]));
        await store.commit([
          replaceDocument(`${notes}/b`, noteType, note('b2'), version),
          createDocument(`${notes}/c`, noteType, note('c')),
          createDocument(`${notes}/aa`, noteType, note('aa')),
        ]);
        await until(() => expect(batches.slice(1).flatMap(texts)).toEqual(['aa', 'b2', 'c']));
        stop();
      });

      it('reports deletions of documents that it has reported', async () => {
        const notes = collection();
        await created(`${notes}/a`, note('a'));
        await created(`${notes}/b`, note('b'));
        const deleted: string[] = [];
        const seen: string[] = [];
        const stop = store.watch(
          { collection: notes },
          noteType,
          (documents) => seen.push(...texts(documents)),
          (error) => seen.push(String(error)),
          (ids) => deleted.push(...ids),
        );
        await until(() => expect(seen).toEqual(['a', 'b']));
        await store.commit([
          deleteDocument(`${notes}/a`, noteType),
          deleteDocument(`${notes}/never`, noteType),
        ]);
        await until(() => expect(deleted).toEqual(['a']));
        await created(`${notes}/a`, note('anew'));
        await until(() => expect(seen).toEqual(['a', 'b', 'anew']));
        expect(deleted).toEqual(['a']);
        stop();
      });

      it('gives versions that are good for a replace', async () => {
        const notes = collection();
        await created(`${notes}/a`, note('a'));
        const { batches, stop } = watched(notes);
        await until(() => expect(batches).toHaveLength(1));
        stop();
        const [seen] = batches.flat();
        if (seen === undefined) throw new Error('nothing seen');
        const result = await store.commit([replaceDocument(seen.path, noteType, note('b'), seen.version)]);
        expect(result.ok).toBe(true);
      });

      it('reports only ids that start with the prefix', async () => {
        const notes = collection();
        const { batches, stop } = watched(notes, '01-a.');
        await created(`${notes}/01-ab.000001`, note('other'));
        await created(`${notes}/01-a.000001`, note('mine'));
        await until(() => expect(batches.flatMap(texts)).toEqual(['mine']));
        stop();
      });

      it('reports nothing after it was stopped, not even changes that were on their way', async () => {
        const notes = collection();
        await created(`${notes}/a`, note('a'));
        const stoppedAtOnce = watched(notes);
        stoppedAtOnce.stop();
        const stoppedLater = watched(notes);
        await until(() => expect(stoppedLater.batches).toHaveLength(1));
        stoppedLater.stop();
        const witness = watched(notes);
        await created(`${notes}/b`, note('b'));
        await until(() => expect(witness.batches.flatMap(texts)).toEqual(['a', 'b']));
        witness.stop();
        await nextTurn();
        expect(stoppedAtOnce.batches).toEqual([]);
        expect(stoppedLater.batches.flatMap(texts)).toEqual(['a']);
        expect([...stoppedAtOnce.errors, ...stoppedLater.errors]).toEqual([]);
      });

      it('begins with all documents and ends alone beside others of the same collection', async () => {
        const notes = collection();
        await created(`${notes}/a`, note('a'));
        const first = watched(notes);
        const refused: unknown[] = [];
        const refuse = (documents: Stored<Note>[]) => {
          if (texts(documents).includes('b')) throw new TerminalError('CANCELLED', 'receiver');
        };
        store.watch({ collection: notes }, noteType, refuse, (error) => refused.push(error));
        await until(() => expect(first.batches.map(texts)).toEqual([['a']]));
        const later = watched(notes);
        expect(later.batches).toEqual([]);
        await until(() => expect(later.batches.map(texts)).toEqual([['a']]));
        first.stop();
        await created(`${notes}/b`, note('b'));
        await until(() => expect(later.batches.map(texts)).toEqual([['a'], ['b']]));
        await until(() => expect(refused).toMatchObject([{ message: 'receiver' }]));
        await created(`${notes}/c`, note('c'));
        await until(() => expect(later.batches.flatMap(texts)).toEqual(['a', 'b', 'c']));
        later.stop();
        expect([first.batches.flatMap(texts), refused.length]).toEqual([['a'], 1]);
      });

      it('ends with an error when the receiver throws', async () => {
        const notes = collection();
        await created(`${notes}/a`, note('a'));
        const errors: unknown[] = [];
        const refuse = () => {
          throw new TerminalError('CANCELLED', 'receiver');
        };
        store.watch({ collection: notes }, noteType, refuse, (error) => errors.push(error));
        await until(() => expect(errors).toMatchObject([{ message: 'receiver' }]));
      });

      it('is ended by close, which leaves no error behind', async () => {
        const other = open();
        const errors: unknown[] = [];
        other.watch({ collection: collection() }, noteType, () => {}, errors.push);
        await other.close();
        expect(errors).toEqual([]);
      });
    });
  });
}
