// A Pub/Sub whose process is killed with SIGKILL and started again on its file: what was not acked comes
// again, with its attempts, when it is due; what was acked does not.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { freePorts } from '../../../local/processes/ports.ts';
import { IS_LONG } from '../../support/fullTests.ts';
import { type Bench, openBench, startEndpoint } from './bench.ts';
import { type ServerProcess, startServerProcess } from './serverProcess.ts';

const HOUR_MS = 3_600_000;
/** Of the messages that wait in the tests of many. */
const MANY = IS_LONG ? 10_000 : 2_000;

let file: string;
let port: number;
let server: ServerProcess;
let bench: Bench;
beforeEach(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'inquest-restart-'));
  file = join(folder, 'cloud.db');
  [port = 0] = await freePorts(1);
  server = await startServerProcess(file, port);
  bench = openBench({ host: `127.0.0.1:${port}` });
  onTestFinished(async () => {
    await bench.close();
    await server.kill();
    rmSync(folder, { recursive: true, force: true });
  });
});

/** Kills the server and starts another, whose clock is `aheadMs` ahead. */
async function restart(aheadMs = 0): Promise<void> {
  await server.kill();
  await bench.close();
  server = await startServerProcess(file, port, aheadMs);
  bench = openBench({ host: `127.0.0.1:${port}` }, bench.projectId);
}

const texts = (messages: { text: string }[]) => messages.map(({ text }) => text);

it('a pulled message comes again when its lease or its back-off is over, and is a dead letter after its last attempt', async () => {
  await bench.createTopic('topic');
  await bench.createTopic('dead');
  await bench.subscribe('dead');
  await bench.subscribe('topic', {
    ackDeadlineSeconds: 600,
    retryPolicy: { minimumBackoff: { seconds: 600 }, maximumBackoff: { seconds: 600 } },
    deadLetterPolicy: { deadLetterTopic: bench.topic('dead'), maxDeliveryAttempts: 5 },
  });
  await bench.publish('topic', 'acked', 'failing');
  let aheadMs = 0;
  /** Started again at once it has nothing; an hour later what was due in between. */
  const passHour = async () => {
    await restart(aheadMs);
    expect(await bench.pull('topic')).toEqual([]);
    aheadMs += HOUR_MS;
    await restart(aheadMs);
  };
  for (let attempt = 1; attempt <= 5; attempt++) {
    const pulled = await bench.pull('topic');
    const failing = { text: 'failing', deliveryAttempt: attempt };
    expect(pulled).toMatchObject(attempt === 1 ? [{ text: 'acked' }, failing] : [failing]);
    if (attempt === 1) await bench.ack('topic', pulled[0]?.ackId ?? '');
    if (attempt % 2 === 1) {
      await bench.modify('topic', 0, pulled.at(-1)?.ackId ?? '');
    } else {
      // Its lease ends with its deadline, not with the process; then the back-off begins.
      await passHour();
      expect(await bench.pull('topic')).toEqual([]);
    }
    await passHour();
  }
  expect(await bench.pull('topic')).toEqual([]);
  expect(await bench.pull('dead')).toMatchObject([
    { text: 'failing', attributes: { CloudPubSubDeadLetterSourceDeliveryCount: '5' } },
  ]);
});

it('a push that was under way comes again at once, a failed one after its back-off, an acked one never', async () => {
  const endpoint = await startEndpoint(({ text }) => {
    if (text === 'hangs' && endpoint.count(text) < 3) return undefined;
    return text === 'fails' && endpoint.count(text) < 3 ? 500 : 200;
  });
  onTestFinished(endpoint.stop);
  const attempts = (text: string) =>
    endpoint.pushes.flatMap((push) => (push.text === text ? [push.body.deliveryAttempt] : []));
  const seen = () => ['acked', 'hangs', 'fails'].map(attempts);
  await bench.createTopic('topic');
  await bench.createTopic('dead');
  await bench.subscribe('topic', {
    pushConfig: { pushEndpoint: endpoint.url },
    ackDeadlineSeconds: 600,
    retryPolicy: { minimumBackoff: { seconds: 600 }, maximumBackoff: { seconds: 600 } },
    deadLetterPolicy: { deadLetterTopic: bench.topic('dead'), maxDeliveryAttempts: 100 },
  });
  await bench.publish('topic', 'acked', 'hangs', 'fails');
  await expect.poll(seen).toEqual([[1], [1], [1]]);
  // The answer is stored when a later message comes, whose own can be lost and repeated.
  await bench.publish('topic', 'marker');
  await expect.poll(() => endpoint.count('marker')).toBeGreaterThanOrEqual(1);

  await restart();
  await expect.poll(seen).toEqual([[1], [1, 2], [1]]);
  await restart(HOUR_MS);
  await expect.poll(seen).toEqual([[1], [1, 2, 3], [1, 2]]);
  await bench.publish('topic', 'another marker');
  await expect.poll(() => endpoint.count('another marker')).toBeGreaterThanOrEqual(1);
  await restart(2 * HOUR_MS);
  await expect.poll(seen).toEqual([[1], [1, 2, 3], [1, 2, 3]]);
});

it('messages of an ordering key keep their order', async () => {
  await bench.createTopic('topic');
  await bench.subscribe('topic', { enableMessageOrdering: true, ackDeadlineSeconds: 600 });
  const message = (text: string) => ({ data: Buffer.from(text), orderingKey: 'key' });
  await bench.publish('topic', ...['1', '2', '3'].map(message));
  const acked: string[] = [];
  for (let life = 1; life <= 3; life++) {
    const held = await bench.pull('topic');
    expect(texts(held)).toEqual([`${life}`]);
    await restart((2 * life - 1) * HOUR_MS);
    const again = await bench.pull('topic');
    expect(texts(again)).toEqual([`${life}`]);
    await bench.ack('topic', again[0]?.ackId ?? '');
    acked.push(...texts(again));
    await restart(2 * life * HOUR_MS);
  }
  expect(acked).toEqual(['1', '2', '3']);
  expect(await bench.pull('topic')).toEqual([]);
});

it(`${MANY} messages that wait are pushed and pulled, each once, and nothing else`, async () => {
  await bench.createTopic('topic');
  await bench.subscribe('topic', { ackDeadlineSeconds: 600 }, 'pulled');
  const endpoint = await startEndpoint(() => 200);
  onTestFinished(endpoint.stop);
  await bench.subscribe('topic', { ackDeadlineSeconds: 600 }, 'pushed');
  const published: string[] = [];
  while (published.length < MANY) {
    published.push(...(await bench.publish('topic', ...Array(1000).fill('x'.repeat(1000)))));
  }
  await restart();

  const pushConfig = { pushEndpoint: endpoint.url };
  await bench.subscriber.modifyPushConfig({ subscription: bench.subscription('pushed'), pushConfig });
  const pulled: string[] = [];
  for (let drained = false; !drained; ) {
    const [{ receivedMessages }] = await bench.subscriber.pull({
      subscription: bench.subscription('pulled'),
      maxMessages: 1000,
      returnImmediately: true,
    });
    const messages = receivedMessages ?? [];
    drained = messages.length === 0;
    if (drained) break;
    pulled.push(...messages.map(({ message }) => message?.messageId ?? ''));
    await bench.ack('pulled', ...messages.map(({ ackId }) => ackId ?? ''));
  }
  const pushed = () => endpoint.pushes.map(({ body }) => body.message.messageId);
  await expect.poll(() => pushed().length).toBeGreaterThanOrEqual(MANY);
  const inOrder = (ids: string[]) => ids.toSorted((left, right) => Number(left) - Number(right));
  expect(inOrder(pulled)).toEqual(published);
  expect(inOrder(pushed())).toEqual(published);
  await restart(HOUR_MS);
  expect(await bench.pull('pulled')).toEqual([]);
  await expect
    .poll(() => bench.publish('topic', 'last').then(() => endpoint.count('last')))
    .toBeGreaterThan(0);
  expect(inOrder(pushed()).slice(0, MANY)).toEqual(published);
});
