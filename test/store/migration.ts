// What a migration must do, on any database that speaks Firestore's protocol.

import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { Firestore } from '@google-cloud/firestore';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import * as z from 'zod';
import { type MigrateOptions, migrateDocuments, type Tally } from '../../cli/migration/migrate.ts';
import type { Store } from '../../shared/core/contract/store.ts';
import { documentType } from '../../shared/core/schema/documentType.ts';
import { leaseSchema } from '../../shared/core/schema/execution.ts';
import { COLLECTIONS, executionType, INDEXED_VERSIONS, paths } from '../../shared/lists/documents.ts';
import { createFirestoreStore } from '../../shared/store/firestore/firestoreStore.ts';
import { createOutdatedDocuments, PAGE_SIZE } from '../../shared/store/firestore/outdatedDocuments.ts';
import { toExecution5 } from '../schema/olderSession.ts';
import { runCommand } from '../support/cli.ts';
import { sampleExecution } from '../support/samples.ts';

type Data = Record<string, unknown>;
type Documents = Record<string, Data>;

/** Version 1 had `name` and `colour`; version 2 was never released. */
const noteType = documentType('note', 3, z.strictObject({ title: z.string(), tags: z.array(z.string()) }), {
  oldest: 1,
  upcast: ({ name, colour }) => ({ title: name, tags: [colour] }),
});
/** Version 1 had no counter. */
const jobType = documentType('job', 2, z.strictObject({ lease: leaseSchema.nullable(), counter: z.int() }), {
  oldest: 1,
  upcast: (data) => ({ ...data, counter: 0 }),
});
const collections = { sessions: noteType, messages: noteType, parts: noteType, executions: jobType };

const version1 = (name: string): Data => ({ name, colour: 'red', schemaVersion: 1 });
const version3 = (title: string): Data => ({ title, tags: ['red'], schemaVersion: 3 });
const version4 = (title: string): Data => ({ headline: title, schemaVersion: 4 });
const job = (until?: Date): Data => ({
  lease: until === undefined ? null : { holder: 'somebody', until, messageId: null },
  schemaVersion: 1,
});

/** `count` documents, numbered from 0. */
const documents = (count: number, entry: (index: number) => [path: string, data: Data]): Documents =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => entry(index)));

/** A database of its own that holds these documents. @param databaseId Default: `(default)`. */
async function database(initial: Documents, databaseId?: string) {
  const projectId = `demo-${randomUUID().slice(0, 8)}`;
  const db = new Firestore({
    projectId,
    ...(databaseId !== undefined && { databaseId }),
    clientOptions: { universe_domain: 'googleapis.com' },
  });
  const store = createFirestoreStore({ projectId, databaseId });
  const outdated = createOutdatedDocuments({ projectId, databaseId, indexed: INDEXED_VERSIONS });
  onTestFinished(async () => {
    await Promise.all([db.terminate(), store.close(), outdated.close()]);
  });
  await Promise.all(Object.entries(initial).map(([path, data]) => db.doc(path).set(data)));
  const read = () => db.getAll(...Object.keys(initial).map((path) => db.doc(path)));

  return {
    projectId,
    db,
    store,
    /** The documents as they are stored now. */
    async contents(): Promise<Documents> {
      return Object.fromEntries((await read()).map((found) => [found.ref.path, found.data() ?? {}]));
    },
    /** When each document last changed. */
    async changes(): Promise<Record<string, string>> {
      return Object.fromEntries(
        (await read()).map(({ ref, updateTime }) => [ref.path, JSON.stringify(updateTime)]),
      );
    },
    /** Runs a migration; `until` stops it at a tally. Returns the last tally of each collection. */
    async run(options: Partial<MigrateOptions> & { until?: (tally: Tally) => boolean } = {}) {
      const { until, ...overrides } = options;
      const tallies: Record<string, Tally> = {};
      const defaults = { outdated, store, dryRun: false, now: () => new Date(), collections };
      for await (const tally of migrateDocuments({ ...defaults, ...overrides })) {
        tallies[tally.collection] = tally;
        if (until?.(tally)) break;
      }
      return tallies;
    },
  };
}

const sum = (tallies: Record<string, Tally>, count: (tally: Tally) => number) =>
  Object.values(tallies).reduce((total, tally) => total + count(tally), 0);
const migrated = (tallies: Record<string, Tally>) => sum(tallies, (tally) => tally.migrated);

/** A session's version by its number: 30 of the oldest, 8 of today, 2 newer ones. */
function sessionOf(index: number): Data {
  const version = index < 30 ? version1 : index < 38 ? version3 : version4;
  return version(`session ${index}`);
}

const mixed: Documents = {
  ...documents(40, (index) => [`sessions/s${index}`, sessionOf(index)]),
  ...documents(40, (index) => [`sessions/s${index}/executions/e`, job()]),
  ...documents(120, (index) => [
    `sessions/s${index % 40}/messages/m${Math.floor(index / 40)}`,
    version1(`message ${index}`),
  ]),
  ...documents(80, (index) => [
    `sessions/s${index % 40}/messages/m0/parts/00${Math.floor(index / 40)}`,
    version1(`part ${index}`),
  ]),
};
/** Those of them that are older than today. */
const OLDER = 30 + 40 + 120 + 80;

/** What a document of `mixed` must be after a migration. */
function expected([path, data]: [path: string, data: Data]): [path: string, data: Data] {
  const title = String(data.name ?? data.title);
  if ('lease' in data) return [path, { lease: null, counter: 0, schemaVersion: 2 }];
  return [path, data.schemaVersion === 4 ? data : version3(title)];
}
const afterwards = Object.fromEntries(Object.entries(mixed).map(expected));

/** Runs the suite on the database that the environment names. */
export function describeMigration(): void {
  describe('a migration', () => {
    it('brings every older document up, whole, and touches no other', async () => {
      const { run, contents, changes } = await database(mixed);
      const before = await changes();
      const tallies = await run();
      expect(
        Object.values(tallies).map(({ collection, total, migrated }) => [collection, total, migrated]),
      ).toEqual([
        ['sessions', 30, 30],
        ['messages', 120, 120],
        ['parts', 80, 80],
        ['executions', 40, 40],
      ]);
      expect(await contents()).toEqual(afterwards);
      const after = await changes();
      const untouched = Object.keys(mixed).filter((path) => after[path] === before[path]);
      expect(untouched).toEqual(Array.from({ length: 10 }, (_, index) => `sessions/s${index + 30}`));
    });

    it('that is run again finds nothing and writes nothing', async () => {
      const { run, changes } = await database(mixed);
      await run();
      const before = await changes();
      const tallies = await run();
      expect(sum(tallies, ({ total }) => total)).toBe(0);
      expect(migrated(tallies)).toBe(0);
      expect(await changes()).toEqual(before);
    });

    it('as a dry run reads everything and writes nothing', async () => {
      const { run, contents, changes } = await database(mixed);
      const before = await changes();
      expect(migrated(await run({ dryRun: true }))).toBe(OLDER);
      expect(await changes()).toEqual(before);
      expect(await contents()).toEqual(mixed);
    });

    it('that is stopped in the middle is taken up where it was left: no document is written twice', async () => {
      const { run, contents, changes } = await database(mixed);
      const before = await changes();
      const first = await run({ until: (tally) => tally.collection === 'messages' && tally.migrated > 0 });
      expect(migrated(first)).toBe(30 + PAGE_SIZE);
      const between = await changes();
      expect(Object.keys(mixed).filter((path) => between[path] !== before[path])).toHaveLength(
        30 + PAGE_SIZE,
      );

      const second = await run();
      expect(migrated(second)).toBe(OLDER - 30 - PAGE_SIZE);
      const after = await changes();
      const twice = Object.keys(mixed).filter(
        (path) => between[path] !== before[path] && after[path] !== between[path],
      );
      expect(twice).toEqual([]);
      expect(await contents()).toEqual(afterwards);
    });

    it('of two at once: each document is brought up by one of them', async () => {
      const { run, contents } = await database(mixed);
      const both = await Promise.all([run(), run()]);
      expect(both.map((tallies) => sum(tallies, ({ failed }) => failed))).toEqual([0, 0]);
      expect(await contents()).toEqual(afterwards);
    });

    it('does not loop over a document that it cannot migrate, names it and leaves it unchanged', async () => {
      const broken = documents(PAGE_SIZE + 10, (index) => [
        `sessions/a${index}`,
        { name: 7, schemaVersion: 1 },
      ]);
      const odd = {
        'sessions/Z': { schemaVersion: 0 },
        'sessions/c': { name: 'x', schemaVersion: 1.5 },
        'sessions/unreleased': { ...version1('x'), schemaVersion: 2 },
      };
      const fine = documents(PAGE_SIZE + 10, (index) => [`sessions/d${index}`, version1(`${index}`)]);
      const { run, contents, changes } = await database({ ...broken, ...odd, ...fine });
      const before = await changes();
      const { sessions } = await run();
      expect(sessions).toMatchObject({ migrated: PAGE_SIZE + 10, failed: PAGE_SIZE + 13, complete: true });
      expect(sessions?.failures).toHaveLength(20);
      expect(sessions?.failures.map(({ path }) => path)).toContain('sessions/Z');
      for (const { path, reason } of sessions?.failures ?? []) expect(reason).toContain(path);
      const after = await changes();
      for (const path of Object.keys({ ...broken, ...odd })) expect(after[path], path).toBe(before[path]);
      expect((await contents())['sessions/d0']).toEqual(version3('0'));
    });

    it('leaves documents that would grow too large', async () => {
      const growing = documentType('growing', 2, z.strictObject({ text: z.string(), copy: z.string() }), {
        oldest: 1,
        upcast: (data) => ({ ...data, copy: data.text }),
      });
      const text = 'x'.repeat(500_000);
      const { run, contents } = await database({ 'sessions/a': { text, schemaVersion: 1 } });
      const { sessions } = await run({ collections: { sessions: growing } });
      expect(sessions?.failures).toEqual([
        { path: 'sessions/a', reason: expect.stringMatching(/^sessions\/a: \d+ bytes are over the limit/) },
      ]);
      expect(await contents()).toEqual({ 'sessions/a': { text, schemaVersion: 1 } });
    });

    it('takes documents of the largest size, a page of them', async () => {
      const text = 'x'.repeat(890_000);
      const large = documents(12, (index) => [`sessions/s/messages/m/parts/${index}`, version1(text)]);
      const { run, contents } = await database(large);
      const { parts } = await run();
      expect(parts).toMatchObject({ migrated: 12, failed: 0, changed: 0 });
      expect(await contents()).toEqual(
        Object.fromEntries(Object.keys(large).map((path) => [path, version3(text)])),
      );
    });

    it('leaves documents that are changed meanwhile to the next run', async () => {
      const { db, store, run, contents } = await database({
        'sessions/a': version1('a'),
        'sessions/b': version1('b'),
        'sessions/c': version1('c'),
      });
      const busy: Store = {
        ...store,
        async get(path, type) {
          const found = await store.get(path, type);
          if (path === 'sessions/a') await db.doc(path).update({ name: 'changed' });
          if (path === 'sessions/b') await db.doc(path).delete();
          return found;
        },
      };
      expect((await run({ store: busy })).sessions).toMatchObject({ migrated: 1, changed: 2, failed: 0 });
      expect((await contents())['sessions/a']).toEqual(version1('changed'));

      expect((await run()).sessions).toMatchObject({ total: 1, migrated: 1 });
      expect((await contents())['sessions/a']).toEqual(version3('changed'));
    });

    it('leaves an execution in work to who works on it, until the lease has run out', async () => {
      const until = new Date('2026-11-05T12:00:00Z');
      const path = 'sessions/s/executions/e';
      const { run, changes, contents } = await database({ [path]: job(until) });
      const before = await changes();
      const inTime = await run({ now: () => new Date(until.getTime() - 1) });
      expect(inTime.executions).toMatchObject({ migrated: 0, inWork: 1 });
      expect(await changes()).toEqual(before);
      const later = await run({ now: () => until });
      expect(later.executions).toMatchObject({ migrated: 1, inWork: 0 });
      expect((await contents())[path]).toMatchObject({ counter: 0, schemaVersion: 2 });
    });
  });

  it('reads a collection without an index once, for its count and its documents', async () => {
    const { db, projectId } = await database({ 'parts/a': version1('a'), 'parts/b': version3('b') });
    const outdated = createOutdatedDocuments({ projectId, indexed: new Set<string>() });
    const pages = async () => {
      const found: string[][] = [];
      for await (const page of outdated.pages('parts', 3)) found.push(page);
      return found;
    };
    expect(await outdated.count('parts', 3)).toBe(1);
    await db.doc('parts/c').set(version1('c'));
    expect(await pages()).toEqual([['parts/a']]);
    expect(await pages()).toEqual([['parts/a', 'parts/c']]);
    await outdated.close();
  });

  describe('a database that does not answer', () => {
    afterEach(() => vi.unstubAllEnvs());

    it('fails a migration within the time limit, with STORE_UNAVAILABLE', async () => {
      const silent = createServer(() => {}).listen(0, '127.0.0.1');
      await once(silent, 'listening');
      vi.stubEnv('FIRESTORE_EMULATOR_HOST', `127.0.0.1:${(silent.address() as AddressInfo).port}`);
      const outdated = createOutdatedDocuments({
        projectId: 'demo-silent',
        indexed: new Set<string>(),
        timeoutMs: 300,
      });
      await expect(outdated.count('parts', 2)).rejects.toMatchObject({
        code: 'STORE_UNAVAILABLE',
        message: 'looking for older parts: no answer within 300 ms',
      });
      await outdated.close();
      silent.close();
    });
  });

  /** An execution as release 0.2.0 stored it. */
  const olderExecution = (overrides: Data = {}): Data => ({
    ...toExecution5(executionType.encode(sampleExecution({ lease: null }))),
    ...overrides,
    schemaVersion: executionType.oldest,
  });
  const EXECUTIONS = 2 * PAGE_SIZE + 30;
  const executions = documents(EXECUTIONS, (index) => [
    paths.execution(`s${index}`, '01-investigator'),
    olderExecution({ sessionId: `s${index}` }),
  ]);

  describe('npm run migrate', () => {
    /** Runs the command on a database. */
    const command = (projectId: string, args: string[] = [], env: Record<string, string> = {}) =>
      runCommand(['migrate', ...args], { GOOGLE_CLOUD_PROJECT: projectId, ...env });
    /** The same, with a signal in the middle. */
    const interrupted = (projectId: string, signal: NodeJS.Signals) => {
      const preload = new URL('../schema/signalAtProgress.ts', import.meta.url);
      return command(projectId, [], { SIGNAL_AT_PROGRESS: signal, NODE_OPTIONS: `--import=${preload}` });
    };
    const versionsOf = (stored: Documents) => Object.values(stored).map((data) => data.schemaVersion);
    const row = (lines: string[], collection: string) =>
      lines.find((line) => line.startsWith(`${collection} `))?.split(/ +/);

    it('upgrades stored documents, collection by collection, and reports it', async () => {
      const { projectId, contents } = await database(executions);
      const { code, stdout, stderr } = await command(projectId);
      expect(code).toBe(0);
      expect(stderr).toEqual([
        `migrating project ${projectId}, emulator ${process.env.FIRESTORE_EMULATOR_HOST}`,
        ...Object.entries(COLLECTIONS).flatMap(([collection, { version }]) =>
          collection === 'executions'
            ? [50, 100, 130].map((done) => `executions: ${done} of ${EXECUTIONS}`)
            : [`${collection}: nothing older than version ${version}`],
        ),
      ]);
      expect(stdout[0]).toMatch(/^ +migrated {2}left {2}failed$/);
      expect(stdout.slice(1).map((line) => line.split(/ +/))).toEqual(
        Object.keys(COLLECTIONS).map((collection) => [
          collection,
          collection === 'executions' ? String(EXECUTIONS) : '0',
          '0',
          '0',
        ]),
      );
      const [first] = Object.values(await contents());
      expect(first).not.toHaveProperty('resourcesRead');
      expect(new Set(versionsOf(await contents()))).toEqual(new Set([executionType.version]));
    });

    it('--dry-run checks everything, writes nothing, and fails for documents that cannot be migrated', async () => {
      const invalid = paths.execution('s', '01-invalid');
      const { projectId, changes } = await database({
        [paths.execution('s', '01-fine')]: olderExecution(),
        [invalid]: { ...olderExecution(), iteration: 'x' },
        [paths.execution('s', '01-newer')]: { schemaVersion: 99 },
        [paths.execution('s', '01-busy')]: olderExecution({
          lease: { holder: 'a', until: new Date(Date.now() + 3_600_000), messageId: null },
        }),
      });
      const before = await changes();
      const { code, stdout, stderr } = await command(projectId, ['--dry-run']);
      expect(code).toBe(1);
      expect(stderr[0]).toMatch(/^looking at project /);
      expect(stdout[0]).toContain('would migrate');
      expect(row(stdout, 'executions')).toEqual(['executions', '1', '1', '1']);
      expect(stdout.slice(-2)).toEqual([
        expect.stringMatching(`^failed: ${invalid} is not a valid execution: iteration: `),
        'left: 1 in work; the next run continues with them',
      ]);
      expect(await changes()).toEqual(before);
    });

    it('fails for a document that cannot be migrated, after everything else is', async () => {
      const fine = paths.execution('s', '01-fine');
      const { projectId, contents } = await database({
        [paths.execution('s', '00-invalid')]: { schemaVersion: executionType.oldest },
        [fine]: olderExecution(),
      });
      const { code, stdout } = await command(projectId);
      expect(code).toBe(1);
      expect(row(stdout, 'executions')).toEqual(['executions', '1', '0', '1']);
      expect((await contents())[fine]).toMatchObject({ schemaVersion: executionType.version });
    });

    it('rewrites the database that the environment names', async () => {
      const path = paths.execution('s', '01-fine');
      const { projectId, contents } = await database({ [path]: olderExecution() }, 'second');
      const { code, stderr } = await command(projectId, [], { FIRESTORE_DATABASE: 'second' });
      expect(code).toBe(0);
      expect(stderr[0]).toContain(`project ${projectId}, database second, `);
      expect((await contents())[path]).toMatchObject({ schemaVersion: executionType.version });
    });

    it('Ctrl-C stops it after the page under way; it reports its progress, and the next run continues', async () => {
      const { projectId, contents } = await database(executions);
      const { code, stdout, stderr } = await interrupted(projectId, 'SIGINT');
      expect(code).toBe(130);
      expect(stderr.at(-1)).toBe('stopped by SIGINT');
      const [, done, left] = row(stdout, 'executions') ?? [];
      expect(Number(done)).toBeGreaterThanOrEqual(PAGE_SIZE);
      expect(Number(left)).toBe(EXECUTIONS - Number(done));
      expect(stdout.at(-1)).toBe(`left: ${left} not reached; the next run continues with them`);
      expect(versionsOf(await contents()).filter((version) => version === executionType.oldest)).toHaveLength(
        Number(left),
      );

      const next = await command(projectId);
      expect(next.code).toBe(0);
      expect(row(next.stdout, 'executions')).toEqual(['executions', left, '0', '0']);
    });

    it('that is killed leaves whole documents, old and new, and the next run goes on', async () => {
      const { projectId, contents, store } = await database(executions);
      const { code } = await interrupted(projectId, 'SIGKILL');
      expect(code).toBeNull();
      const versions = versionsOf(await contents());
      expect(versions.filter((version) => version === executionType.version)).toHaveLength(PAGE_SIZE);
      await Promise.all(Object.keys(executions).map((path) => store.get(path, executionType)));

      const next = await command(projectId);
      expect(next.code).toBe(0);
      expect(row(next.stdout, 'executions')).toEqual(['executions', `${EXECUTIONS - PAGE_SIZE}`, '0', '0']);
    });

    it('does not start unless the environment names a database, and with --yes if that is a real project', async () => {
      const nowhere = { FIRESTORE_EMULATOR_HOST: undefined, GOOGLE_CLOUD_PROJECT: undefined };
      expect(await runCommand(['migrate', '--yes'], nowhere)).toEqual({
        code: 2,
        stdout: [],
        stderr: [expect.stringMatching(/^inquest: no database is named/)],
      });
      const real = { FIRESTORE_EMULATOR_HOST: undefined, GOOGLE_CLOUD_PROJECT: 'shop-prod' };
      expect(await runCommand(['migrate'], real)).toEqual({
        code: 2,
        stdout: [],
        stderr: [
          expect.stringMatching(/^inquest: this would rewrite .* real project shop-prod: confirm with --yes/),
        ],
      });
    });
  });
}
