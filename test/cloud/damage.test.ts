// A damaged file of the local cloud: found at the start, or when a statement meets it. Either way the message
// names the file and what to do, the process ends, and the file stays as it is for whoever can save something
// of it.

import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { status } from '@grpc/grpc-js';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { freePorts } from '../../local/processes/ports.ts';
import { type CloudDatabase, openDatabase } from '../../packages/local-cloud/src/database/database.ts';
import { openEngine } from '../../packages/local-cloud/src/firestore/engine/engine.ts';
import { rawClient } from '../../packages/local-cloud/src/localFirestore.fixture.ts';
import { createPubsubService } from '../../packages/local-cloud/src/pubsub/service.ts';
import { createTestClock } from '../support/testClock.ts';
import { ONCE, openBench } from './pubsub/bench.ts';

const HOST = fileURLToPath(new URL('../../packages/local-cloud/src/cloudHost.ts', import.meta.url));
const DATABASE = 'projects/demo-damage/databases/(default)';
const PAGE_BYTES = 8192;
const DAMAGED = 'is damaged: put a copy in its place, or remove it, or choose another file (--data)';

let file: string;
beforeEach(() => {
  const folder = mkdtempSync(join(tmpdir(), 'inquest-damage-'));
  file = join(folder, 'cloud.db');
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
});

/** A database with tables, 100 documents on pages of their own, and a topic. */
function fill(): CloudDatabase {
  const database = openDatabase(file);
  const engine = openEngine(database);
  createPubsubService(database, { clock: createTestClock() }).close();
  const writes = Array.from({ length: 100 }, (_, index) => ({
    key: { database: DATABASE, path: `c/${index}` },
    precondition: {},
    update: {
      fields: { text: { valueType: 'stringValue' as const, stringValue: 'x'.repeat(PAGE_BYTES) } },
      mask: undefined,
      transforms: [],
    },
  }));
  engine.commit(DATABASE, writes);
  return database;
}

/** Overwrites pages of the file, as a failing disk would. @param from 1 is the header's. */
function corrupt(from: number, to: number): void {
  const descriptor = openSync(file, 'r+');
  for (let page = from; page <= to; page++) {
    writeSync(descriptor, Buffer.alloc(PAGE_BYTES, 0xff), 0, PAGE_BYTES, (page - 1) * PAGE_BYTES);
  }
  closeSync(descriptor);
}

const pages = (): number => statSync(file).size / PAGE_BYTES;
/** Of the file and its log, for comparison. Reading the file may make an empty log. */
const contents = () =>
  [file, `${file}-wal`].map((path) =>
    createHash('sha256')
      .update(existsSync(path) ? readFileSync(path) : '')
      .digest('hex'),
  );

describe('at the start', () => {
  it.each<[string, () => void]>([
    ['a page in the middle', () => corrupt(40, 40)],
    ['the last page', () => corrupt(pages(), pages())],
  ])('is found: %s', async (_, damage) => {
    fill().close();
    damage();
    const before = contents();
    const ended = promisify(execFile)(process.execPath, [HOST, JSON.stringify({ file, ports: {} })]);
    await expect(ended).rejects.toMatchObject({ code: 1, stdout: '', stderr: `${file} ${DAMAGED}\n` });
    expect(contents()).toEqual(before);
  });

  it('leaves the log beside a damaged file as it is, so that neither is written over', () => {
    const database = fill();
    database.sql.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    database.sql.exec('CREATE TABLE in_the_log (a)');
    // As after a kill: the log was not put into the file.
    const saved = `${file}.saved`;
    copyFileSync(file, saved);
    copyFileSync(`${file}-wal`, `${saved}-wal`);
    database.close();
    copyFileSync(saved, file);
    copyFileSync(`${saved}-wal`, `${file}-wal`);
    corrupt(40, 40);
    const before = contents();
    expect(statSync(`${file}-wal`).size).toBeGreaterThan(0);
    expect(() => openDatabase(file)).toThrow(`${file} ${DAMAGED}`);
    expect(contents()).toEqual(before);
  });
});

describe('at run time', () => {
  async function serve() {
    fill().close();
    const [firestore = 0, pubsub = 0] = await freePorts(2);
    const options = JSON.stringify({ file, ports: { firestore, pubsub } });
    const child = spawn(process.execPath, [HOST, options], { stdio: ['ignore', 'pipe', 'pipe'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    const client = rawClient(`127.0.0.1:${firestore}`);
    const bench = openBench({ host: `127.0.0.1:${pubsub}` });
    onTestFinished(() => client.close());
    onTestFinished(() => bench.close());
    const name = `${DATABASE}/documents/c/0`;
    await expect.poll(async () => (await client.call('GetDocument', { name })).code).toBe(status.OK);
    return { child, client, bench };
  }
  async function ended(child: ChildProcess) {
    let text = '';
    child.stderr?.setEncoding('utf8').on('data', (chunk) => {
      text += chunk;
    });
    const [code] = await once(child, 'close');
    return { code, text };
  }

  it('ends the process after it answered the client, with one line, and writes nothing', async () => {
    const { child, client } = await serve();
    const end = ended(child);
    corrupt(10, pages());
    const before = readFileSync(file);
    const parent = `${DATABASE}/documents`;
    const structuredQuery = { from: [{ collectionId: 'c' }] };
    expect(await client.call('RunQuery', { parent, structuredQuery })).toMatchObject({
      code: status.DATA_LOSS,
      details: `${file} ${DAMAGED}`,
    });
    expect(await end).toEqual({ code: 1, text: `${file} ${DAMAGED}\n` });
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  it('ends it also when no client asks: a delivery meets the damage', async () => {
    const { child, bench } = await serve();
    await bench.createTopic('topic');
    await bench.subscribe('topic');
    const end = ended(child);
    corrupt(2, pages());
    // Pages that are in memory still serve; one of these requests meets another.
    const asked = async () => {
      await bench.publish('topic', 'x'.repeat(PAGE_BYTES)).catch(() => {});
      await bench.subscriber.listSnapshots({ project: `projects/${bench.projectId}` }, ONCE).catch(() => {});
      return child.exitCode;
    };
    await expect.poll(asked).toBe(1);
    expect(await end).toEqual({ code: 1, text: `${file} ${DAMAGED}\n` });
  });
});
