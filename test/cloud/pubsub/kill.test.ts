// A Pub/Sub on a file whose process is killed again and again, in the middle of publishing and pushing.

import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { freePorts } from '../../../local/processes/ports.ts';
import { openBench, startEndpoint } from './bench.ts';
import { startServerProcess } from './serverProcess.ts';

const ENDING = fileURLToPath(new URL('./fixtures/ending.ts', import.meta.url));
const LIVES = 6;
/** Publishes that were acked in one life of the server before it is killed. */
const PUBLISHES = 40;
/** The number of nacks before a message is acked, so that messages outlive several servers. */
const NACKS = 3;

it('loses no acked publish, delivers messages that are not acked, and keeps their attempts', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'inquest-cloud-'));
  const file = join(folder, 'cloud.sqlite');
  const [port = 0] = await freePorts(1);
  /** The attempts of each message, in the order in which they came. */
  const attempts = new Map<string, number[]>();
  const acked = new Set<string>();
  const endpoint = await startEndpoint(({ body }) => {
    const id = body.message.messageId;
    const seen = attempts.get(id) ?? [];
    attempts.set(id, [...seen, body.deliveryAttempt ?? 0]);
    if (seen.length < NACKS) return 500;
    acked.add(id);
    return 200;
  });
  let server = await startServerProcess(file, port);
  const bench = openBench({ host: `127.0.0.1:${port}` });
  onTestFinished(async () => {
    endpoint.stop();
    await server.kill();
    await bench.close();
    rmSync(folder, { recursive: true, force: true });
  });
  await bench.createTopic('topic');
  await bench.subscribe('topic', {
    pushConfig: { pushEndpoint: endpoint.url },
    ackDeadlineSeconds: 600,
    deadLetterPolicy: { deadLetterTopic: bench.topic('topic'), maxDeliveryAttempts: 100 },
  });

  const published: string[] = [];
  for (let life = 1; life <= LIVES; life++) {
    let isKilled = false;
    const until = published.length + PUBLISHES;
    const publishing = Array.from({ length: 4 }, async () => {
      while (!isKilled) {
        // What fails here may be stored or not.
        const ids = await bench.publish('topic', `${life}`).catch(() => []);
        published.push(...ids);
      }
    });
    await expect.poll(() => published.length, { interval: 1 }).toBeGreaterThan(until);
    await server.kill();
    isKilled = true;
    await Promise.all(publishing);
    server = await startServerProcess(file, port);
  }

  // With the attempts that were seen of each that is missing.
  const missing = () => published.filter((id) => !acked.has(id)).map((id) => [id, attempts.get(id)]);
  await expect.poll(missing).toEqual([]);
  expect(new Set(published).size).toBe(published.length);
  const notGrowing = [...attempts.values()].filter((seen) => !seen.every((n, i) => n > (seen[i - 1] ?? 0)));
  expect(notGrowing).toEqual([]);
});

it('keeps no process alive after it was stopped', async () => {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [ENDING], {
    timeout: 240_000,
  });
  expect({ stdout, stderr }).toEqual({ stdout: 'stopped\n', stderr: '' });
});
