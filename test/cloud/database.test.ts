// The file of the local cloud: what is wrong with one that cannot be used, whose it is, a disk that is full,
// and what becomes of it when it is large.

import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { status } from '@grpc/grpc-js';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type CloudDatabase, openDatabase } from '../../packages/local-cloud/src/database/database.ts';
import { eraseDatabase } from '../../packages/local-cloud/src/database/databaseFile.ts';
import { createFirestoreService } from '../../packages/local-cloud/src/firestore/firestoreService.ts';
import { rawClient } from '../../packages/local-cloud/src/localFirestore.fixture.ts';
import type { CloudService } from '../../packages/local-cloud/src/protocol/services.ts';
import { StatusError } from '../../packages/local-cloud/src/protocol/status.ts';
import { createPubsubService } from '../../packages/local-cloud/src/pubsub/service.ts';
import { startGrpcServer } from '../../packages/local-cloud/src/server/grpcServer.ts';
import { createDocument } from '../../shared/core/contract/store.ts';
import { paths, sessionType } from '../../shared/lists/documents.ts';
import { createFirestoreStore } from '../../shared/store/firestore/firestoreStore.ts';
import { createPubsubPublisher } from '../../shared/store/pubsub/pubsubPublisher.ts';
import { sampleSession } from '../support/samples.ts';
import { createTestClock } from '../support/testClock.ts';
import { openBench, startEndpoint } from './pubsub/bench.ts';

const HOST = fileURLToPath(new URL('../../packages/local-cloud/src/cloudHost.ts', import.meta.url));
const KILLABLE = fileURLToPath(new URL('./fixtures/killable.ts', import.meta.url));
const DATABASE_FILE = new URL('../../packages/local-cloud/src/database/databaseFile.ts', import.meta.url)
  .href;
const MIB = 1024 * 1024;
const DAMAGED = 'is damaged: put a copy in its place, or remove it, or choose another file (--data)';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'inquest-database-'));
  file = join(folder, 'cloud.db');
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
});

/** A database of the local cloud with something in it. */
function fill(path: string): void {
  const database = openDatabase(path);
  createFirestoreService(database);
  createPubsubService(database).close();
  database.close();
}

function edit(path: string, statements: string): string {
  const sql = new DatabaseSync(path);
  sql.exec(statements);
  sql.close();
  return path;
}

describe('a file that cannot be used is named, with fault and remedy', () => {
  const write = (path: string, content: string | Buffer): string => {
    writeFileSync(path, content);
    return path;
  };
  const filled = (statement: string): string => {
    fill(file);
    return edit(file, statement);
  };

  it.each<[string, () => string, string]>([
    [
      'a text',
      () => write(file, 'text '.repeat(1000)),
      'is no database: remove it if it is not needed, or choose another file',
    ],
    [
      "another program's",
      () => edit(file, 'CREATE TABLE mine (a)'),
      'is a database of another program: choose another file',
    ],
    [
      'one of a newer format',
      () => filled('PRAGMA user_version = 99'),
      'was written by a newer version (format 99; this one reads format 1): use that one, or choose another file',
    ],
    [
      'one of an older format',
      () => filled('PRAGMA user_version = 0'),
      'was written by an older version (format 0; this one reads format 1): use that one, or start over with --fresh',
    ],
    ['a folder', () => folder, 'cannot be written: the file must belong to this user'],
    [
      'one below a file',
      () => join(write(file, ''), 'below', 'cloud.db'),
      'cannot be made: a part of its path is no folder; choose another file',
    ],
  ])('%s', (_, make, fault) => {
    const path = make();
    const before = statSync(path, { throwIfNoEntry: false })?.isFile() ? readFileSync(path) : undefined;
    expect(() => openDatabase(path)).toThrow(`${path} ${fault}`);
    if (before !== undefined) expect(readFileSync(path).equals(before)).toBe(true);
  });

  // Root may write everything.
  it.skipIf(process.getuid?.() === 0)('a scope that can only be read', () => {
    fill(file);
    for (const path of [file, folder]) {
      chmodSync(path, 0o500);
      expect(() => openDatabase(file)).toThrow(`${file} cannot be written`);
      chmodSync(path, 0o700);
    }
  });

  it('one that another process has open, until that is gone', async () => {
    const child = spawn(process.execPath, [KILLABLE, file], { stdio: ['ignore', 'pipe', 'inherit'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    await once(child.stdout, 'data');
    const fault = `${file} is in use by another process: end the system that runs on it, or choose another file`;
    expect(() => openDatabase(file)).toThrow(fault);
    expect(() => eraseDatabase(file)).toThrow(fault);
    child.kill('SIGKILL');
    await once(child, 'exit');
    openDatabase(file).close();
  });

  it.each<[string, (content: Buffer) => Buffer, string]>([
    [
      'a text',
      () => Buffer.from('text'),
      'is no database: remove it if it is not needed, or choose another file (--data)',
    ],
    ['one whose pages are damaged', (content) => content.fill(0xff, 4096), DAMAGED],
    ['one that was cut', (content) => content.subarray(0, 4096), DAMAGED],
  ])('in one line of the process that would serve it: %s', async (_, corrupt, fault) => {
    fill(file);
    writeFileSync(file, corrupt(readFileSync(file)));
    const ended = promisify(execFile)(process.execPath, [HOST, JSON.stringify({ file, ports: {} })]);
    await expect(ended).rejects.toMatchObject({ code: 1, stdout: '', stderr: `${file} ${fault}\n` });
  });
});

describe('a fresh start', () => {
  it('removes a file of the local cloud, of whatever format, with the files beside it', () => {
    eraseDatabase(file);
    fill(file);
    edit(file, 'PRAGMA user_version = 99');
    writeFileSync(`${file}-wal`, '');
    eraseDatabase(file);
    expect([file, `${file}-wal`].filter(existsSync)).toEqual([]);
  });

  it('removes nothing else', () => {
    writeFileSync(file, 'a text that somebody needs');
    expect(() => eraseDatabase(file)).toThrow(`${file} is no database`);
    const other = join(folder, 'other.db');
    edit(other, 'CREATE TABLE mine (a)');
    expect(() => eraseDatabase(other)).toThrow(`${other} is a database of another program`);
    expect([file, other].filter(existsSync)).toHaveLength(2);
  });
});

it('only the owner can read a file and its folder', () => {
  const rights = (path: string) => (statSync(path).mode & 0o777).toString(8);
  const path = join(folder, 'made', 'below', 'cloud.db');
  const database = openDatabase(path);
  createFirestoreService(database);
  expect(['made', 'made/below'].map((name) => rights(join(folder, name)))).toEqual(['700', '700']);
  expect([path, `${path}-wal`].map(rights)).toEqual(['600', '600']);
  database.close();
  const copy = join(folder, 'copy.db');
  copyFileSync(path, copy);
  chmodSync(copy, 0o644);
  openDatabase(copy).close();
  expect(rights(copy)).toBe('600');
});

/** The database of the file, until the test ends. */
function open(): CloudDatabase {
  const database = openDatabase(file);
  onTestFinished(database.close);
  return database;
}

/** Serves until the test ends. */
async function serve(services: CloudService[]): Promise<string> {
  const server = await startGrpcServer(services);
  onTestFinished(server.stop);
  return server.host;
}

async function openFirestore(database: CloudDatabase) {
  const client = rawClient(await serve([createFirestoreService(database)]));
  onTestFinished(() => client.close());
  const name = (id: string) => `${ROOT}/kept/${id}`;
  return {
    commit: (text: string, ...ids: string[]) => {
      const fields = { text: { stringValue: text } };
      const writes = ids.map((id) => ({ update: { name: name(id), fields } }));
      return client.call('Commit', { database: DATABASE, writes });
    },
    remove: (...ids: string[]) =>
      client.call('Commit', { database: DATABASE, writes: ids.map((id) => ({ delete: name(id) })) }),
    /** The texts of the first documents, in the order of their ids; of all when there is no limit. */
    async texts(limit?: number): Promise<string[]> {
      const structuredQuery = {
        from: [{ collectionId: 'kept' }],
        ...(limit !== undefined && { limit: { value: limit } }),
      };
      const { answers } = await client.call('RunQuery', { parent: ROOT, structuredQuery });
      return answers.flatMap(({ document }) => (document ? [document.fields.text.stringValue] : []));
    },
  };
}

const DATABASE = 'projects/demo-file/databases/(default)';
const ROOT = `${DATABASE}/documents`;
const pragma = (database: CloudDatabase, name: string): number =>
  Number(Object.values(database.sql.prepare(`PRAGMA ${name}`).get() ?? {})[0]);

describe('a full disk', () => {
  it('refuses commits and publishes, keeps the data, and accepts both again when there is space', async () => {
    const database = open();
    const { commit, texts } = await openFirestore(database);
    const pubsub = createPubsubService(database);
    const bench = openBench({ host: await serve(pubsub.services) });
    onTestFinished(() => bench.close());
    onTestFinished(() => pubsub.close());
    await bench.createTopic('topic');
    await bench.subscribe('topic');
    await commit('before', 'a', 'b');
    await bench.publish('topic', 'before');

    database.sql.exec(`PRAGMA max_page_count = ${pragma(database, 'page_count') + 5}`);
    const large = 'x'.repeat(100_000);
    const details = expect.stringContaining(`no space left for ${file}: `);
    expect(await commit(large, 'a', 'c')).toMatchObject({ code: status.INTERNAL, details });
    const refused = { code: status.FAILED_PRECONDITION, details };
    await expect(bench.publish('topic', 'small', large)).rejects.toMatchObject(refused);
    expect(await texts()).toEqual(['before', 'before']);
    expect((await bench.pull('topic')).map(({ text }) => text)).toEqual(['before']);
    expect((await commit('small', 'a')).code).toBe(status.OK);

    database.sql.exec('PRAGMA max_page_count = 1000000');
    expect((await commit(large, 'c')).code).toBe(status.OK);
    await bench.publish('topic', large);
    expect(await texts()).toEqual(['small', 'before', large]);
    expect((await bench.pull('topic')).map(({ text }) => text)).toEqual([large]);
  });

  it("fails a write and a publish of Inquest at once: Google's clients do not try them again", async () => {
    const database = open();
    let tries = 0;
    const full: CloudDatabase = {
      ...database,
      atomically() {
        tries++;
        throw new StatusError(status.RESOURCE_EXHAUSTED, 'no space left');
      },
    };
    const pubsub = createPubsubService(full);
    onTestFinished(() => pubsub.close());
    const host = await serve([createFirestoreService(full), ...pubsub.services]);
    vi.stubEnv('FIRESTORE_EMULATOR_HOST', host);
    vi.stubEnv('PUBSUB_EMULATOR_HOST', host);
    onTestFinished(() => void vi.unstubAllEnvs());
    const publisher = createPubsubPublisher({ projectId: 'demo-file' });
    const store = createFirestoreStore({ projectId: 'demo-file' });
    onTestFinished(async () => {
      await Promise.all([publisher.close(), store.close()]);
    });
    const noSpace = expect.stringContaining('no space left');
    await expect(publisher.publish('alerts', {}, {})).rejects.toMatchObject({ message: noSpace });
    expect(tries).toBe(1);
    const session = createDocument(paths.session('s'), sessionType, sampleSession());
    await expect(store.commit([session])).rejects.toMatchObject({ message: noSpace });
    expect(tries).toBe(2);
  });

  it('is named by a start after a kill, whose log has no index yet, and --fresh frees it', async () => {
    fill(file);
    const killed = spawn(process.execPath, [KILLABLE, file]);
    await once(killed.stdout, 'data');
    killed.kill('SIGKILL');
    await once(killed, 'close');
    // A file size limit stands in for the disk: SQLite's error is equal, on a full device.
    rmSync(`${file}-shm`, { force: true });
    symlinkSync('/dev/full', `${file}-space`);
    const limited = (call: string) => {
      const code = `const m = await import(${JSON.stringify(DATABASE_FILE)}); m.${call}(process.argv[1]);`;
      const node = `exec "$0" --input-type=module -e "$1" "$2"`;
      return promisify(execFile)('bash', ['-c', `ulimit -f 16; ${node}`, process.execPath, code, file]);
    };
    await expect(limited('openDatabaseFile')).rejects.toMatchObject({
      stderr: expect.stringContaining(`${file} has no space left on its disk: free some, or `),
    });
    await limited('eraseDatabase');
    expect(existsSync(file)).toBe(false);
  });

  it('delays deliveries and the answers to pushes, which no client could try again', async () => {
    const database = open();
    let isFull = false;
    const printed = vi.spyOn(console, 'error').mockImplementation(() => {});
    onTestFinished(() => printed.mockRestore());
    const clock = createTestClock();
    const filling: CloudDatabase = {
      ...database,
      atomically(work) {
        if (isFull) throw new StatusError(status.RESOURCE_EXHAUSTED, 'no space left');
        return database.atomically(work);
      },
    };
    const pubsub = createPubsubService(filling, { clock });
    const bench = openBench({ host: await serve(pubsub.services) });
    onTestFinished(() => bench.close());
    onTestFinished(() => pubsub.close());
    const endpoint = await startEndpoint(() => {
      // The answer comes when there is no space for it, and another message is due.
      isFull = true;
      return 200;
    });
    onTestFinished(endpoint.stop);
    await bench.createTopic('topic');
    const pushConfig = { pushEndpoint: endpoint.url };
    await bench.subscribe('topic', { pushConfig, ackDeadlineSeconds: 600 });
    const left = () => Number(database.sql.prepare('SELECT COUNT(*) AS n FROM pubsubDeliveries').get()?.n);
    await bench.publish('topic', 'first');
    await expect.poll(() => isFull).toBe(true);
    await expect(bench.publish('topic', 'refused')).rejects.toMatchObject({
      code: status.FAILED_PRECONDITION,
    });
    clock.advance(60_000);
    expect(left()).toBe(1);
    expect(printed).toHaveBeenCalledWith('no space left');
    isFull = false;
    await expect
      .poll(() => {
        clock.advance(1000);
        return left();
      })
      .toBe(0);
    expect(endpoint.pushes.map(({ text }) => text)).toEqual(['first']);
    await bench.publish('topic', 'second');
    await expect.poll(() => endpoint.count('second')).toBe(1);
  });
});

describe('a large file', () => {
  it('reuses the space of deleted data, and keeps its log short', async () => {
    const database = open();
    const { commit, remove, texts } = await openFirestore(database);
    const ids = Array.from({ length: 9 }, (_, index) => `${index}`);
    const sizes: number[] = [];
    for (let round = 0; round < 8; round++) {
      expect((await commit('x'.repeat(MIB - 1000), ...ids)).code).toBe(status.OK);
      // A query that ends before its rows do must not hold the log.
      expect(await texts(1)).toHaveLength(1);
      await remove(...ids);
      // A small one, so that the log begins anew.
      await commit('small', 'small');
      sizes.push(statSync(file).size);
      expect(statSync(`${file}-wal`).size).toBeLessThan(40 * MIB);
    }
    expect(sizes.at(-1)).toBe(sizes[1]);
    expect(pragma(database, 'freelist_count') * pragma(database, 'page_size')).toBeGreaterThan(8 * MIB);
  });

  it('opens after its process was killed with all of its last commits in the log', async () => {
    const child = spawn(process.execPath, [KILLABLE, file, 'PRAGMA wal_autocheckpoint = 0'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [host] = await once(child.stdout.setEncoding('utf8'), 'data');
    const client = rawClient(String(host).trim());
    onTestFinished(() => client.close());
    let acknowledged = 0;
    const writing = (async () => {
      for (let number = 1; ; number++) {
        const fields = { text: { stringValue: `${number} `.repeat(MIB).slice(0, MIB - 1000) } };
        const writes = ['a', 'b', 'c'].map((id) => ({ update: { name: `${ROOT}/kept/${id}`, fields } }));
        const { code } = await client.call('Commit', { database: DATABASE, writes });
        if (code !== status.OK) return;
        acknowledged = number;
      }
    })();
    await expect.poll(() => acknowledged, { interval: 1 }).toBeGreaterThan(30);
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await Promise.all([exited, writing]);
    expect(statSync(`${file}-wal`).size).toBeGreaterThan(90 * MIB);

    const { texts, commit } = await openFirestore(open());
    const numbers = (await texts()).map((text) => Number.parseInt(text, 10));
    expect(numbers).toHaveLength(3);
    expect(new Set(numbers).size).toBe(1);
    expect([acknowledged, acknowledged + 1]).toContain(numbers[0]);
    for (let round = 0; round < 3; round++) await commit(`${round}`, 'a');
    expect(statSync(`${file}-wal`).size).toBeLessThan(40 * MIB);
  });
});
