// Firestore in a file, whose process is killed with SIGKILL in the middle of writes: what was acknowledged is
// there, and every commit is there whole or not at all.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { type RawClient, rawClient } from '../../packages/local-cloud/src/localFirestore.fixture.ts';
import { IS_LONG } from '../support/fullTests.ts';

const KILLABLE = fileURLToPath(new URL('./fixtures/killable.ts', import.meta.url));
/** Of each of the two files. */
const KILLS = IS_LONG ? 25 : 7;
const folder = mkdtempSync(join(tmpdir(), 'inquest-kills-'));
const running = new Set<ChildProcess>();
afterAll(() => {
  for (const child of running) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

const database = 'projects/demo-kills/databases/(default)';
const IDS = ['a', 'b', 'c'];
/** Pages of the file that are the same before and after a commit would not be written. */
const textOf = (number: number) => `${number} `.repeat(10_000);
const name = (id: string) => `${database}/documents/together/${id}`;

async function serve(file: string) {
  const child = spawn(process.execPath, [KILLABLE, file], { stdio: ['ignore', 'pipe', 'inherit'] });
  running.add(child);
  const exited = once(child, 'exit');
  const [host] = (await once(createInterface(child.stdout), 'line')) as [string];
  const client = rawClient(host);
  return {
    client,
    async kill() {
      child.kill('SIGKILL');
      await exited;
      running.delete(child);
    },
  };
}

/** Writes the same number into all documents, one commit after another, until the server is gone. */
async function writeOn(
  client: RawClient,
  from: number,
  onAcknowledged: (count: number) => void,
): Promise<void> {
  for (let number = from; ; number++) {
    const fields = { number: { integerValue: String(number) }, text: { stringValue: textOf(number) } };
    const writes = IDS.map((id) => ({ update: { name: name(id), fields } }));
    const { code } = await client.call('Commit', { database, writes });
    if (code !== 0) return;
    onAcknowledged(number);
  }
}

it(`two files survive ${KILLS} kills each, in the middle of commits`, async () => {
  await Promise.all(['one.db', 'two.db'].map(surviveKills));
});

async function surviveKills(file: string): Promise<void> {
  let acknowledged = 0;
  for (let kill = 0; kill <= KILLS; kill++) {
    const server = await serve(join(folder, file));
    const { answers } = await server.client.call('BatchGetDocuments', { database, documents: IDS.map(name) });
    const numbers = answers.map(({ found }) => Number(found?.fields.number.integerValue ?? 0));
    expect(new Set(numbers).size).toBe(1);
    const texts = answers.map(({ found }) => found?.fields.text.stringValue ?? textOf(0));
    expect(texts.every((text) => text === textOf(numbers[0] as number))).toBe(true);
    // The last commit may have been stored without the client having been told.
    expect([acknowledged, acknowledged + 1]).toContain(numbers[0]);
    acknowledged = numbers[0] as number;
    const enough = Promise.withResolvers<void>();
    const goal = acknowledged + 1 + (kill % 7);
    const writing = writeOn(server.client, acknowledged + 1, (number) => {
      acknowledged = number;
      if (number >= goal) enough.resolve();
    });
    await enough.promise;
    await server.kill();
    await writing;
    server.client.close();
  }
}
