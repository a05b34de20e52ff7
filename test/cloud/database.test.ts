// The file of the local cloud: what is wrong with one that cannot be used, whose it is, a disk that is full, and what
// becomes of it when it is large.

import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { status } from '@grpc/grpc-js';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { type CloudDatabase, openDatabase } from '../../local/cloud/database.ts';
import { eraseDatabase } from '../../local/cloud/eraseDatabase.ts';
import { createFirestoreService } from '../../local/cloud/firestore/firestoreService.ts';
import { type CloudService, startGrpcServer, StatusError } from '../../local/cloud/grpcServer.ts';
import { createPubsubService } from '../../local/cloud/pubsub/service.ts';
import { createTestClock } from '../support/testClock.ts';
import { rawClient } from './localFirestore.ts';
import { openBench, startEndpoint } from './pubsub/bench.ts';

const HOST = fileURLToPath(new URL('../../local/cloud/cloudHost.ts', import.meta.url));
const KILLABLE = fileURLToPath(new URL('./fixtures/killable.ts', import.meta.url));
const MIB = 1024 * 1024;

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

function edit(path: string, statements: string): void {
  const sql = new DatabaseSync(path);
  sql.exec(statements);
  sql.close();
}

describe('a file that cannot be used is named, with what is wrong and what to do', () => {
  it.each<[string, () => string, string]>([
    ['a text', () => (writeFileSync(file, 'text '.repeat(1000)), file), 'is no database: choose another file'],
    [
      "another program's",
      () => (edit(file, 'CREATE TABLE mine (a)'), file),
      'is a database of another program: choose another file',
    ],
    [
      'one of a newer format',
      () => (fill(file), edit(file, 'PRAGMA user_version = 99'), file),
      'was written by a newer Inquest (format 99; this one reads format 1): use that one, or choose another file',
    ],
    [
      'one of an older format',
      () => (fill(file), edit(file, 'PRAGMA user_version = 0'), file),
      'was written by an older Inquest (format 0; this one reads format 1): use that one, or begin anew with --fresh',
    ],
    [
      'a damaged one',
      () => (fill(file), writeFileSync(file, readFileSync(file).fill(0xff, 4096, 8192)), file),
      'is damaged: put a copy in its place, or remove it, or choose another file',
    ],
    [
      'one that was cut',
      () => (fill(file), writeFileSync(file, readFileSync(file).subarray(0, 10_000)), file),
      'is damaged: put a copy in its place, or remove it, or choose another file',
    ],
    ['a folder', () => folder, "cannot be written: it has to be this user's own file"],
    [
      'one below a file',
      () => (writeFileSync(file, ''), join(file, 'below', 'cloud.db')),
      'cannot be made: a part of its path is no folder; choose another file',
    ],
  ])('%s', (_, make, fault) => {
    const path = make();
    const before = statSync(path, { throwIfNoEntry: false })?.isFile() ? readFileSync(path) : undefined;
    expect(() => openDatabase(path)).toThrow(`${path} ${fault}`);
    if (before !== undefined) expect(readFileSync(path).equals(before)).toBe(true);
  });

  // Root may write everything.
  it.skipIf(process.getuid?.() === 0)('one that may only be read', () => {
    fill(file);
    for (const path of [file, folder]) {
      execFile('chmod', ['a-w', path]);
      expect(() => openDatabase(file)).toThrow(`${file} cannot be written`);
      execFile('chmod', ['u+w', path]);
    }
  });

  it('one that another process has open, until that is gone', async () => {
    const child = spawn(process.execPath, [KILLABLE, file], { stdio: ['ignore', 'pipe', 'inherit'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    await once(child.stdout, 'data');
    const fault = `${file} is used by another process: end the system that runs on it, or choose another file`;
    expect(() => openDatabase(file)).toThrow(fault);
    expect(() => eraseDatabase(file)).toThrow(fault);
    child.kill('SIGKILL');
    await once(child, 'exit');
    openDatabase(file).close();
  });

  it('by the process that serves it, in one line', async () => {
    writeFileSync(file, 'text');
    const options = JSON.stringify({ file, ports: { firestore: 0 } });
    const ended = promisify(execFile)(process.execPath, [HOST, options]);
    await expect(ended).rejects.toMatchObject({
      code: 1,
      stdout: '',
      stderr: `${file} is no database: choose another file (--data)\n`,
    });
  });
});

describe('beginning anew', () => {
  it('removes a file of the local cloud, of whatever format, with what stands beside it', () => {
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

it('a file and its folder are for their owner alone', () => {
  const rights = (path: string) => (statSync(path).mode & 0o777).toString(8);
  const path = join(folder, 'made', 'below', 'cloud.db');
  const database = openDatabase(path);
  expect(['made', 'made/below'].map((name) => rights(join(folder, name)))).toEqual(['700', '700']);
  expect([path, `${path}-wal`].map(rights)).toEqual(['600', '600']);
  database.close();
  const copy = join(folder, 'copy.db');
  copyFileSync(path, copy);
  execFile('chmod', ['644', copy]);
  openDatabase(copy).close();
  expect(rights(copy)).toBe('600');
});
