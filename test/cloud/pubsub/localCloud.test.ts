// The local cloud as production, where the official emulator differs or is too slow.

import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../../support/ownConfig.ts';
import { type Bench, ONCE, openBench, startEndpoint } from './bench.ts';
import { type LocalCloud, startLocalCloud } from './clouds.ts';

const INVALID_ARGUMENT = 3;
const FAILED_PRECONDITION = 9;
const UNIMPLEMENTED = 12;
const DAY_MS = 86_400_000;

let cloud: LocalCloud;
let bench: Bench;

beforeEach(async () => {
  cloud = await startLocalCloud();
  bench = openBench(cloud);
  await bench.createTopic('topic');
});
afterEach(async () => {
  await bench.close();
  await cloud.stop();
});

const pushTo = (pushEndpoint: string) => ({ pushConfig: { pushEndpoint }, ackDeadlineSeconds: 600 });

describe('push', () => {
  it('has the body and the headers of production', async () => {
    const endpoint = await bench.endpoint(() => 200);
    const deadLetterPolicy = { deadLetterTopic: bench.topic('topic') };
    await bench.subscribe('topic', { ...pushTo(endpoint.url), deadLetterPolicy });
    const [id] = await bench.publish('topic', { attributes: { color: 'blue' }, orderingKey: 'key' });
    await cloud.until(() => endpoint.pushes.length > 0);
    const [push] = endpoint.pushes;
    const time = push?.body.message.publishTime;
    expect(push?.body).toEqual({
      deliveryAttempt: 1,
      message: {
        attributes: { color: 'blue' },
        messageId: id,
        message_id: id,
        orderingKey: 'key',
        publishTime: time,
        publish_time: time,
      },
      subscription: bench.subscription('topic'),
    });
    expect(push?.headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': 'CloudPubSub-Google',
    });
  });

  it('counts a delivery whose connection breaks off, also one that was used before', async () => {
    const endpoint = await bench.endpoint(({ text }, response) => {
      if (text === 'first' || endpoint.count('dies') > 1) return 200;
      response.destroy();
      return undefined;
    });
    await bench.subscribe('topic', {
      ...pushTo(endpoint.url),
      deadLetterPolicy: { deadLetterTopic: bench.topic('topic') },
    });
    await bench.publish('topic', 'first');
    await cloud.until(() => endpoint.count('first') === 1);
    await bench.publish('topic', 'dies');
    await cloud.until(() => endpoint.count('dies') === 2);
    const attempts = endpoint.pushes.map(({ text, body }) => [text, body.deliveryAttempt]);
    expect(attempts).toEqual([
      ['first', 1],
      ['dies', 1],
      ['dies', 2],
    ]);
  });

  it('takes 203 for a failure, and waits longer after each', async () => {
    const endpoint = await bench.endpoint(() => 203);
    await bench.subscribe('topic', pushTo(endpoint.url));
    await bench.publish('topic', 'message');
    for (const [index, ms] of [100, 200, 400, 800].entries()) {
      await expect.poll(() => endpoint.pushes.length).toBe(index + 1);
      await cloud.clock.passWaitOf(ms);
    }
  });

  it('adds the retry policy to its own back-off', async () => {
    const endpoint = await bench.endpoint(() => 500);
    await bench.subscribe('topic', { ...pushTo(endpoint.url), retryPolicy: {} });
    await bench.publish('topic', 'message');
    for (const ms of [10_100, 20_200, 40_400, 80_800]) await cloud.clock.passWaitOf(ms);
  });

  it('continues while slow answers are awaited', async () => {
    const endpoint = await bench.endpoint(({ text }) => (text.startsWith('slow') ? undefined : 200));
    await bench.subscribe('topic', pushTo(endpoint.url));
    const slow = Array.from({ length: 20 }, (_, index) => `slow ${index}`);
    const fast = Array.from({ length: 20 }, (_, index) => `fast ${index}`);
    await bench.publish('topic', ...slow, ...fast);
    await cloud.until(() => endpoint.pushes.length === 40);
    expect(endpoint.pushes.map(({ text }) => text).toSorted()).toEqual([...slow, ...fast].toSorted());
  });

  // The official emulator waits for such an answer for more than a minute.
  it('a push that is not answered by its deadline is given up, and comes again', async () => {
    let given: 'up' | undefined;
    const endpoint = await bench.endpoint((_, response) => {
      if (endpoint.pushes.length > 1) return 200;
      response.on('close', () => {
        given = 'up';
      });
      return undefined;
    });
    await bench.subscribe('topic', { ...pushTo(endpoint.url), ackDeadlineSeconds: 10 });
    await bench.publish('topic', 'message');
    await cloud.until(() => endpoint.pushes.length === 1);
    await cloud.pass(9_999);
    expect(given).toBeUndefined();
    await cloud.pass(1);
    await cloud.until(() => given === 'up' && endpoint.pushes.length > 1);
    expect(endpoint.count('message')).toBe(2);
  });

  it('starts with few at once', async () => {
    const endpoint = await bench.endpoint(() => undefined);
    await bench.subscribe('topic', pushTo(endpoint.url));
    await bench.publish('topic', ...Array(20).fill('message'));
    await expect.poll(() => endpoint.pushes.length).toBe(3);
    // Had it sent more, they would have come with those before them.
    await bench.pull('topic').catch(() => undefined);
    expect(endpoint.pushes).toHaveLength(3);
  });
});

describe('a queue', () => {
  it('drops messages that are older than its retention', async () => {
    await bench.subscribe('topic', { ackDeadlineSeconds: 600 });
    await bench.publish('topic', 'old');
    cloud.clock.advance(4 * DAY_MS);
    await bench.publish('topic', 'new');
    cloud.clock.advance(3 * DAY_MS);
    expect((await bench.pull('topic')).map(({ text }) => text)).toEqual(['new']);
  });

  it('drops nothing that is being worked on', async () => {
    const settings = { ackDeadlineSeconds: 600, messageRetentionDuration: { seconds: 600 } };
    await bench.subscribe('topic', { ...settings, enableExactlyOnceDelivery: true });
    await bench.publish('topic', 'message');
    cloud.clock.advance(599_000);
    const [message] = await bench.pull('topic');
    cloud.clock.advance(2_000);
    expect(await bench.pull('topic')).toEqual([]);
    // It would fail for a message that is gone.
    await bench.ack('topic', message?.ackId ?? '');
  });

  it('waits by the retry policy after a nack and after a deadline', async () => {
    const retryPolicy = { minimumBackoff: { seconds: 100 }, maximumBackoff: { seconds: 150 } };
    await bench.subscribe('topic', { ackDeadlineSeconds: 10, retryPolicy });
    await bench.publish('topic', 'message');
    const [first] = await bench.pull('topic');
    await bench.modify('topic', 0, first?.ackId ?? '');
    cloud.clock.advance(99_999);
    expect(await bench.pull('topic')).toEqual([]);
    cloud.clock.advance(1);
    expect(await bench.pull('topic')).toHaveLength(1);
    cloud.clock.advance(10_000);
    cloud.clock.advance(149_999);
    expect(await bench.pull('topic')).toEqual([]);
    cloud.clock.advance(1);
    expect(await bench.pull('topic')).toHaveLength(1);
  });

  it('takes an ack that is late, until the message is given to another', async () => {
    await bench.subscribe('topic', { ackDeadlineSeconds: 10 });
    await bench.publish('topic', 'message');
    const [first] = await bench.pull('topic');
    cloud.clock.advance(10_000);
    const [second] = await bench.pull('topic');
    await bench.ack('topic', first?.ackId ?? '');
    cloud.clock.advance(10_000);
    await bench.ack('topic', second?.ackId ?? '');
    expect(await bench.pull('topic')).toEqual([]);
    expect(second?.text).toBe('message');
  });

  it('keeps delivering when the dead-letter topic is gone', async () => {
    await bench.createTopic('dead');
    await bench.subscribe('topic', { deadLetterPolicy: { deadLetterTopic: bench.topic('dead') } });
    await bench.publisher.deleteTopic({ topic: bench.topic('dead') }, ONCE);
    await bench.publish('topic', 'message');
    const attempts: number[] = [];
    for (let count = 0; count < 7; count++) {
      const [message] = await bench.pull('topic');
      attempts.push(message?.deliveryAttempt ?? 0);
      await bench.modify('topic', 0, message?.ackId ?? '');
    }
    expect(attempts).toEqual([1, 2, 3, 4, 5, 6, 7]);
  });

  it('gives one message of a key at a time, also when it fails', async () => {
    await bench.subscribe('topic', { enableMessageOrdering: true });
    const keyed = (text: string, orderingKey: string) => ({ data: Buffer.from(text), orderingKey });
    await bench.publish('topic', keyed('a1', 'a'), keyed('a2', 'a'), keyed('b1', 'b'), 'unordered');
    const first = await bench.pull('topic');
    expect(first.map(({ text }) => text)).toEqual(['a1', 'b1', 'unordered']);
    await bench.modify('topic', 0, first[0]?.ackId ?? '');
    const [again] = await bench.pull('topic');
    expect(again?.text).toBe('a1');
    await bench.ack('topic', again?.ackId ?? '');
    expect((await bench.pull('topic')).map(({ text }) => text)).toEqual(['a2']);
  });

  it('answers a pull with nothing after half a minute', async () => {
    await bench.subscribe('topic');
    const request = { subscription: bench.subscription('topic'), maxMessages: 1 };
    const pulling = bench.subscriber.pull(request, ONCE);
    await cloud.clock.passWaitOf(30_000);
    expect((await pulling)[0].receivedMessages).toEqual([]);
  });

  it('sends a stream no more than its client asked for', async () => {
    await bench.subscribe('topic', { ackDeadlineSeconds: 600 });
    await bench.publish('topic', ...Array(9).fill('message'));
    const stream = bench.subscriber.streamingPull();
    const received: { ackId?: string | null }[] = [];
    stream.on('data', ({ receivedMessages }) => received.push(...receivedMessages));
    stream.on('error', () => {});
    const limits = { maxOutstandingMessages: 3, streamAckDeadlineSeconds: 600 };
    stream.write({ subscription: bench.subscription('topic'), ...limits });
    await expect.poll(() => received.length).toBe(3);
    // What it is not sent is there for others.
    expect(await bench.pull('topic', 4)).toHaveLength(4);
    stream.write({ ackIds: received.map(({ ackId }) => ackId ?? '') });
    await expect.poll(() => received.length).toBe(5);
    stream.cancel();
  });
});

describe('a stream with exactly-once delivery', () => {
  it('confirms acks and deadlines that come on the stream', async () => {
    await bench.subscribe('topic', { ackDeadlineSeconds: 600, enableExactlyOnceDelivery: true });
    await bench.publish('topic', 'message');
    const stream = bench.subscriber.streamingPull();
    const answers: {
      receivedMessages?: { ackId: string }[];
      acknowledgeConfirmation?: object | null;
      modifyAckDeadlineConfirmation?: object | null;
    }[] = [];
    stream.on('data', (answer) => answers.push(answer));
    stream.on('error', () => {});
    stream.write({ subscription: bench.subscription('topic'), streamAckDeadlineSeconds: 600 });
    await expect.poll(() => answers.length).toBe(1);
    const ackId = answers[0]?.receivedMessages?.[0]?.ackId ?? '';
    const ackIds = [ackId];
    stream.write({ modifyDeadlineAckIds: ackIds, modifyDeadlineSeconds: [20] });
    await expect.poll(() => answers.length).toBe(2);
    stream.write({ ackIds });
    await expect.poll(() => answers.length).toBe(3);
    stream.write({ ackIds });
    await expect.poll(() => answers.length).toBe(4);
    stream.cancel();
    expect(answers[1]?.modifyAckDeadlineConfirmation).toMatchObject({ ackIds, invalidAckIds: [] });
    expect(answers[2]?.acknowledgeConfirmation).toMatchObject({ ackIds, invalidAckIds: [] });
    expect(answers[3]?.acknowledgeConfirmation).toMatchObject({ ackIds: [], invalidAckIds: ackIds });
  });

  it('ends with an error for a request that cannot be meant', async () => {
    await bench.subscribe('topic');
    const subscription = bench.subscription('topic');
    const wrong = [
      { streamAckDeadlineSeconds: 10 },
      { subscription, streamAckDeadlineSeconds: 9 },
      { subscription, streamAckDeadlineSeconds: 10, modifyDeadlineAckIds: ['1-1-1'] },
      { subscription, streamAckDeadlineSeconds: 10, ackIds: ['nonsense'] },
    ];
    for (const request of wrong) {
      const stream = bench.subscriber.streamingPull();
      const failed = new Promise((resolve) => stream.on('error', resolve));
      stream.write(request);
      expect(await failed).toMatchObject({ code: INVALID_ARGUMENT });
    }
  });
});

describe('limits of a message', () => {
  const attributes = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`key${index}`, 'value']));

  it.each([
    ['100 attributes', { attributes: attributes(100) }],
    ['a key of 256 bytes', { attributes: { ['ä'.repeat(128)]: '' } }],
    ['a value of 1024 bytes', { attributes: { key: 'v'.repeat(1024) } }],
    ['10 MB', { data: Buffer.alloc(10_000_000) }],
  ])('%s can be published', async (_, message) => {
    expect(await bench.publish('topic', message)).toHaveLength(1);
  });

  it.each([
    ['101 attributes', { attributes: attributes(101) }],
    ['a key of 257 bytes', { attributes: { [`${'ä'.repeat(128)}k`]: '' } }],
    ['an empty key', { attributes: { '': 'value' } }],
    ['a key of Google', { attributes: { googkey: 'value' } }],
    ['a value of 1025 bytes', { attributes: { key: 'v'.repeat(1025) } }],
    ['an ordering key of 1025 bytes', { data: Buffer.from('a'), orderingKey: 'k'.repeat(1025) }],
    ['more than 10 MB', { data: Buffer.alloc(10_000_001) }],
  ])('%s cannot', async (_, message) => {
    await expect(bench.publish('topic', message)).rejects.toMatchObject({ code: INVALID_ARGUMENT });
  });

  it('messages of a request are 10 MB together', async () => {
    const half = { data: Buffer.alloc(5_000_001) };
    await expect(bench.publish('topic', half, half)).rejects.toMatchObject({ code: INVALID_ARGUMENT });
  });
});

describe('settings', () => {
  it.each([
    ['BigQuery', { bigqueryConfig: { table: 'a.b.c' } }],
    ['unwrapped messages', { pushConfig: { pushEndpoint: 'http://host/', noWrapper: {} } }],
  ])('%s are not there', async (_, settings) => {
    await expect(bench.subscribe('topic', settings)).rejects.toMatchObject({ code: UNIMPLEMENTED });
  });

  it('an unknown RPC is answered as unimplemented', async () => {
    const snapshot = { name: `projects/${bench.projectId}/snapshots/none` };
    const updating = bench.subscriber.updateSnapshot({ snapshot, updateMask: { paths: ['labels'] } }, ONCE);
    await expect(updating).rejects.toMatchObject({
      code: UNIMPLEMENTED,
      details: expect.stringContaining('google.pubsub.v1.Subscriber.UpdateSnapshot'),
    });
  });

  it('a filter selects its messages, cannot change, and is refused when it is invalid', async () => {
    await bench.subscribe('topic', { filter: 'attributes.color = "blue"' });
    await bench.publish('topic', 'none', { data: Buffer.from('blue'), attributes: { color: 'blue' } });
    expect((await bench.pull('topic')).map(({ text }) => text)).toEqual(['blue']);
    const subscription = { name: bench.subscription('topic'), filter: '' };
    const changing = bench.subscriber.updateSubscription(
      { subscription, updateMask: { paths: ['filter'] } },
      ONCE,
    );
    await expect(changing).rejects.toMatchObject({ code: INVALID_ARGUMENT });
    await expect(bench.subscribe('topic', { filter: 'color is blue' }, 'bad')).rejects.toMatchObject({
      code: INVALID_ARGUMENT,
    });
  });

  it('a snapshot expires a week after its oldest message', async () => {
    await bench.subscribe('topic', { messageRetentionDuration: { seconds: 31 * 86_400 } });
    await bench.publish('topic', 'oldest');
    await cloud.pass(DAY_MS);
    const snapshot = `projects/${bench.projectId}/snapshots/snapshot`;
    const request = { name: snapshot, subscription: bench.subscription('topic') };
    await bench.subscriber.createSnapshot(request, ONCE);
    await cloud.pass(6 * DAY_MS - 1000);
    await bench.subscriber.getSnapshot({ snapshot }, ONCE);
    await cloud.pass(1000);
    await expect(bench.subscriber.getSnapshot({ snapshot }, ONCE)).rejects.toMatchObject({ code: 5 });
    await expect(bench.subscriber.createSnapshot(request, ONCE)).rejects.toMatchObject({
      code: FAILED_PRECONDITION,
    });
  });

  it.each([9, 601])('an ack deadline of %d s is refused', async (ackDeadlineSeconds) => {
    await expect(bench.subscribe('topic', { ackDeadlineSeconds })).rejects.toMatchObject({
      code: INVALID_ARGUMENT,
    });
  });

  it('a topic has labels that can be changed', async () => {
    const topic = { name: bench.topic('topic'), labels: { a: 'b' } };
    await bench.publisher.updateTopic({ topic, updateMask: { paths: ['labels'] } }, ONCE);
    expect((await bench.publisher.getTopic({ topic: topic.name }, ONCE))[0].labels).toEqual({ a: 'b' });
  });

  it('a detached subscription has nothing any more', async () => {
    await bench.subscribe('topic');
    await bench.publish('topic', 'message');
    await bench.publisher.detachSubscription({ subscription: bench.subscription('topic') }, ONCE);
    await expect(bench.pull('topic')).rejects.toMatchObject({ code: FAILED_PRECONDITION });
    const [attached] = await bench.publisher.listTopicSubscriptions({ topic: bench.topic('topic') }, ONCE);
    expect(attached).toEqual([]);
  });

  it('a push subscription cannot be pulled from', async () => {
    await bench.subscribe('topic', pushTo('http://127.0.0.1:1/'));
    await expect(bench.pull('topic')).rejects.toMatchObject({ code: FAILED_PRECONDITION });
  });
});

describe('a file', () => {
  /** Ends the cloud and starts another on the same file. */
  async function startOn(file: string): Promise<void> {
    await bench.close();
    await cloud.stop();
    cloud = await startLocalCloud(file, cloud.clock);
    const { projectId } = bench;
    bench = openBench(cloud, projectId);
  }
  function newFile(): string {
    const folder = temporaryFolder();
    return join(folder, 'cloud.sqlite');
  }

  it('keeps unacked messages with their attempts', async () => {
    const file = newFile();
    await startOn(file);
    await bench.createTopic('topic');
    const deadLetterPolicy = { deadLetterTopic: bench.topic('topic') };
    await bench.subscribe('topic', { deadLetterPolicy, ackDeadlineSeconds: 10 });
    const [first] = await bench.publish('topic', 'acked');
    await bench.ack('topic', (await bench.pull('topic'))[0]?.ackId ?? '');
    await bench.publish('topic', 'nacked', 'held');
    const [nacked, held] = await bench.pull('topic');
    await bench.modify('topic', 0, nacked?.ackId ?? '');

    await startOn(file);
    const messages = await bench.pull('topic');
    expect(messages).toMatchObject([{ text: 'nacked', deliveryAttempt: 2 }]);
    // Its subscriber may still be at work, and its ack counts.
    cloud.clock.advance(10_000);
    await bench.ack('topic', held?.ackId ?? '');
    await bench.ack('topic', messages[0]?.ackId ?? '');
    expect(await bench.pull('topic')).toEqual([]);
    const [next] = await bench.publish('topic', 'later');
    expect(Number(next)).toBe(Number(first) + 3);
  });

  it('has messages whose push was under way pushed again at once', async () => {
    const file = newFile();
    await startOn(file);
    await bench.createTopic('topic');
    const endpoint = await startEndpoint(() => (endpoint.pushes.length > 1 ? 200 : undefined));
    onTestFinished(endpoint.stop);
    const deadLetterPolicy = { deadLetterTopic: bench.topic('topic') };
    await bench.subscribe('topic', { ...pushTo(endpoint.url), deadLetterPolicy });
    await bench.publish('topic', 'message');
    await cloud.until(() => endpoint.pushes.length === 1);
    await startOn(file);
    await expect.poll(() => endpoint.pushes.length).toBe(2);
    expect(endpoint.pushes.map(({ body }) => body.deliveryAttempt)).toEqual([1, 2]);
  });

  it('with ten thousand messages is emptied', async () => {
    const file = newFile();
    await startOn(file);
    await bench.createTopic('topic');
    await bench.subscribe('topic', { ackDeadlineSeconds: 600 });
    for (let part = 0; part < 10; part++) await bench.publish('topic', ...Array(1000).fill(`${part}`));
    await startOn(file);
    const ids = new Set<string>();
    for (;;) {
      const messages = await bench.pull('topic', 1000);
      if (messages.length === 0) break;
      for (const { ackId } of messages) ids.add(ackId);
      await bench.ack('topic', ...messages.map(({ ackId }) => ackId));
    }
    expect(ids.size).toBe(10_000);
  });
});
