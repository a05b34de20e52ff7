// Pull, acks, ack deadlines and streaming pull. The official emulator keeps its own time, so that the tests
// of deadlines wait there for 10 s, the least that a deadline can be.

import type { Message } from '@google-cloud/pubsub';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { describeSides } from '../official.ts';
import { type Bench, ONCE, openBench } from './bench.ts';
import { CLOUDS, type Cloud } from './clouds.ts';

const INVALID_ARGUMENT = 3;
const NOT_FOUND = 5;
const FAILED_PRECONDITION = 9;

describeSides('pull of', CLOUDS, ({ start }) => {
  let cloud: Cloud;
  let bench: Bench;

  beforeEach(async () => {
    cloud = await start();
    bench = openBench(cloud);
    await bench.createTopic('topic');
  });
  afterEach(async () => {
    await bench.close();
    await cloud.stop();
  });

  const texts = (messages: { text: string }[]) => messages.map(({ text }) => text).toSorted();

  it('ids of messages grow', async () => {
    const ids = [...(await bench.publish('topic', 'a', 'b')), ...(await bench.publish('topic', 'c'))];
    expect(ids.map(Number)).toEqual(ids.map(Number).toSorted((a, b) => a - b));
    expect(new Set(ids).size).toBe(3);
  });

  it.each([
    ['no messages', []],
    ['a message without data and attributes', [{}]],
    ['more than 1000 messages', Array(1001).fill('text')],
  ])('%s cannot be published', async (_, messages) => {
    await expect(bench.publish('topic', ...messages)).rejects.toMatchObject({ code: INVALID_ARGUMENT });
  });

  it('a message is not given to another while it is being worked on, and to none after its ack', async () => {
    await bench.subscribe('topic', { ackDeadlineSeconds: 600 });
    await bench.publish('topic', { data: Buffer.from([0xff, 0x00]), attributes: { color: 'blue' } });
    const [message] = await bench.pull('topic');
    expect(message).toMatchObject({ attributes: { color: 'blue' }, deliveryAttempt: 0 });
    expect(await bench.pull('topic')).toEqual([]);
    await bench.ack('topic', message?.ackId ?? '');
    await bench.ack('topic', message?.ackId ?? '');
    expect(await bench.pull('topic')).toEqual([]);
  });

  it('a pull waits for a message', async () => {
    await bench.subscribe('topic');
    const request = { subscription: bench.subscription('topic'), maxMessages: 1 };
    const pulling = bench.subscriber.pull(request, ONCE);
    await bench.publish('topic', 'message');
    const [{ receivedMessages }] = await pulling;
    expect(String(receivedMessages?.[0]?.message?.data)).toBe('message');
  });

  it('no more messages are pulled than asked for', async () => {
    await bench.subscribe('topic', { ackDeadlineSeconds: 600 });
    await bench.publish('topic', 'a', 'b', 'c');
    const messages = [...(await bench.pull('topic', 2)), ...(await bench.pull('topic', 2))];
    expect(texts(messages)).toEqual(['a', 'b', 'c']);
    const pulling = bench.pull('topic', 0);
    await expect(pulling).rejects.toMatchObject({ code: INVALID_ARGUMENT });
  });

  it('a nacked message comes again, with its attempts', async () => {
    await bench.createTopic('dead');
    const deadLetterPolicy = { deadLetterTopic: bench.topic('dead') };
    await bench.subscribe('topic', { deadLetterPolicy, ackDeadlineSeconds: 600 });
    await bench.subscribe('dead');
    await bench.publish('topic', 'message');
    const attempts: number[] = [];
    const nackAgain = async () => {
      for (const { ackId, deliveryAttempt } of await bench.pull('topic')) {
        attempts.push(deliveryAttempt);
        await bench.modify('topic', 0, ackId);
      }
      return attempts.length === 5;
    };
    await cloud.until(nackAgain);
    let dead: Awaited<ReturnType<typeof bench.pull>> = [];
    await cloud.until(async () => {
      // The official emulator looks for dead letters when a message is asked for.
      expect(await bench.pull('topic')).toEqual([]);
      dead = await bench.pull('dead');
      return dead.length > 0;
    });
    expect(attempts).toEqual([1, 2, 3, 4, 5]);
    expect(dead[0]).toMatchObject({
      text: 'message',
      attributes: { CloudPubSubDeadLetterSourceDeliveryCount: '5' },
    });
  });

  it('after its deadline a message comes again, unless it was extended', async () => {
    await bench.subscribe('topic', { ackDeadlineSeconds: 10 });
    await bench.publish('topic', 'late', 'extended');
    const first = await bench.pull('topic');
    const extended = first.find(({ text }) => text === 'extended');
    await bench.modify('topic', 600, extended?.ackId ?? '');
    await cloud.pass(10_000);
    const again: string[] = [];
    await cloud.until(async () => again.push(...texts(await bench.pull('topic'))) > 0);
    expect(again).toEqual(['late']);
  });

  it('ack ids and deadlines are checked', async () => {
    await bench.subscribe('topic');
    const wrong = { code: INVALID_ARGUMENT };
    await expect(bench.ack('topic', 'nonsense')).rejects.toMatchObject(wrong);
    await expect(bench.ack('topic')).rejects.toMatchObject(wrong);
    await expect(bench.modify('topic', 10)).rejects.toMatchObject(wrong);
    await expect(bench.modify('topic', -1, 'nonsense')).rejects.toMatchObject(wrong);
    await expect(bench.modify('topic', 601, 'nonsense')).rejects.toMatchObject(wrong);
  });

  it('with exactly-once delivery, the answer to an ack states whether it counted', async () => {
    await bench.subscribe('topic', { enableExactlyOnceDelivery: true });
    await bench.publish('topic', 'message');
    const [message] = await bench.pull('topic');
    const ackId = message?.ackId ?? '';
    await bench.ack('topic', ackId);
    const tooLate = {
      code: INVALID_ARGUMENT,
      statusDetails: [
        {
          reason: 'EXACTLY_ONCE_ACKID_FAILURE',
          domain: 'pubsub.googleapis.com',
          metadata: { [ackId]: 'PERMANENT_FAILURE_INVALID_ACK_ID' },
        },
      ],
    };
    await expect(bench.ack('topic', ackId)).rejects.toMatchObject(tooLate);
    await expect(bench.modify('topic', 10, ackId)).rejects.toMatchObject(tooLate);
  });

  describe('by a stream', () => {
    const received: Message[] = [];
    const failures: unknown[] = [];
    const listen = (options: object = {}, onMessage: (message: Message) => void = () => {}) => {
      received.length = 0;
      failures.length = 0;
      const subscription = bench.pubsub.subscription('topic', {
        streamingOptions: { maxStreams: 1 },
        ...options,
      });
      subscription.on('error', (error) => failures.push(error));
      subscription.on('message', (message: Message) => {
        received.push(message);
        onMessage(message);
      });
      return subscription;
    };
    const data = () => received.map((message) => String(message.data));

    it('messages are acked and nacked', async () => {
      await bench.subscribe('topic', { ackDeadlineSeconds: 600 });
      await bench.publish('topic', 'acked', 'nacked');
      const subscription = listen({}, (message) => {
        if (String(message.data) === 'acked' || data().length > 2) message.ack();
        else message.nack();
      });
      await cloud.until(() => data().length >= 3);
      await subscription.close();
      expect(data().toSorted()).toEqual(['acked', 'nacked', 'nacked']);
      expect(await bench.pull('topic')).toEqual([]);
    });

    it('messages come when the client can hold them', async () => {
      await bench.subscribe('topic', { ackDeadlineSeconds: 600 });
      const all = Array.from({ length: 9 }, (_, index) => `${index}`);
      await bench.publish('topic', ...all);
      const held: Message[] = [];
      let most = 0;
      const subscription = listen(
        { flowControl: { maxMessages: 3, allowExcessMessages: false } },
        (message) => {
          most = Math.max(most, held.push(message));
        },
      );
      await cloud.until(() => {
        if (held.length === 3) for (const message of held.splice(0)) message.ack();
        return received.length === 9;
      });
      await subscription.close();
      expect(most).toBe(3);
      expect(data().toSorted()).toEqual(all);
    });

    it('messages of a key come in their order', async () => {
      await bench.subscribe('topic', { enableMessageOrdering: true, ackDeadlineSeconds: 600 });
      const all = Array.from({ length: 20 }, (_, index) => `${index}`);
      for (const text of all) await bench.publish('topic', { data: Buffer.from(text), orderingKey: 'key' });
      const subscription = listen({}, (message) => message.ack());
      await cloud.until(() => received.length === 20);
      await subscription.close();
      expect(data()).toEqual(all);
    });

    it('with exactly-once delivery, an ack is confirmed', async () => {
      await bench.subscribe('topic', { enableExactlyOnceDelivery: true });
      const confirmed: string[] = [];
      const subscription = listen({}, (message) => {
        message.ackWithResponse().then(
          (answer) => confirmed.push(answer),
          (error) => failures.push(error),
        );
      });
      await bench.publish('topic', 'message');
      await cloud.until(() => confirmed.length > 0);
      await subscription.close();
      expect({ confirmed, failures }).toEqual({ confirmed: ['SUCCESS'], failures: [] });
    });

    it('the stream ends with an error when there is no such subscription, or it pushes', async () => {
      listen();
      await cloud.until(() => failures.length > 0);
      expect(failures[0]).toMatchObject({ code: NOT_FOUND });
      await bench.subscribe('topic', { pushConfig: { pushEndpoint: 'http://127.0.0.1:1/' } });
      listen();
      await cloud.until(() => failures.length > 0);
      expect(failures[0]).toMatchObject({ code: FAILED_PRECONDITION });
    });
  });
});
