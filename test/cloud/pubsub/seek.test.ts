// Snapshots and Seek, on both clouds: what was acked comes back, what was not is gone.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { describeSides } from '../official.ts';
import { type Bench, ONCE, openBench } from './bench.ts';
import { CLOUDS, type Cloud } from './clouds.ts';

const INVALID_ARGUMENT = 3;
const NOT_FOUND = 5;
const ALREADY_EXISTS = 6;
const FAILED_PRECONDITION = 9;
const NAME = `snapshot-${process.pid}`;

describeSides('seek of', CLOUDS, ({ start, isOfficial }) => {
  let cloud: Cloud;
  let bench: Bench;
  let snapshot: string;

  beforeEach(async () => {
    cloud = await start();
    bench = openBench(cloud);
    snapshot = `projects/${bench.projectId}/snapshots/${NAME}`;
    await bench.createTopic('topic');
  });
  afterEach(async () => {
    await bench.close();
    await cloud.stop();
  });

  const capture = (id = 'topic') =>
    bench.subscriber.createSnapshot({ name: snapshot, subscription: bench.subscription(id) }, ONCE);
  const seek = (target: object, id = 'topic') =>
    bench.subscriber.seek({ subscription: bench.subscription(id), ...target }, ONCE);
  /** Pulls and acks until these texts have come. */
  const takes = async (texts: string[], id = 'topic') => {
    const taken: string[] = [];
    await cloud.until(async () => {
      const pulled = await bench.pull(id);
      if (pulled.length > 0) await bench.ack(id, ...pulled.map(({ ackId }) => ackId));
      taken.push(...pulled.map(({ text }) => text));
      return taken.length >= texts.length;
    });
    expect(taken.toSorted()).toEqual(texts.toSorted());
  };
  const publishTime = async (text: string) => {
    const id = `watch-${text}`;
    await bench.subscriber.createSubscription(
      { name: bench.subscription(id), topic: bench.topic('topic') },
      ONCE,
    );
    await bench.publish('topic', text);
    const request = { subscription: bench.subscription(id), maxMessages: 1 };
    const [{ receivedMessages }] = await bench.subscriber.pull(request, ONCE);
    return receivedMessages?.[0]?.message?.publishTime;
  };

  it('a snapshot is listed until it is deleted, and its name is taken once', async () => {
    await bench.subscribe('topic');
    const [made] = await capture();
    expect(made).toMatchObject({ name: snapshot, topic: bench.topic('topic') });
    await expect(capture()).rejects.toMatchObject({ code: ALREADY_EXISTS });
    const project = `projects/${bench.projectId}`;
    const list = async () =>
      (await bench.subscriber.listSnapshots({ project }, ONCE))[0].map(({ name }) => name);
    expect(await list()).toEqual([snapshot]);
    expect((await bench.publisher.listTopicSnapshots({ topic: bench.topic('topic') }, ONCE))[0]).toEqual([
      snapshot,
    ]);
    await bench.subscriber.deleteSnapshot({ snapshot }, ONCE);
    expect(await list()).toEqual([]);
    const gone = await Promise.allSettled([
      bench.subscriber.getSnapshot({ snapshot }, ONCE),
      bench.subscriber.deleteSnapshot({ snapshot }, ONCE),
      seek({ snapshot }),
    ]);
    for (const each of gone) expect(each).toMatchObject({ status: 'rejected', reason: { code: NOT_FOUND } });
  });

  it('brings back messages that were not acked when the snapshot was made, and later ones', async () => {
    await bench.subscribe('topic', { retainAckedMessages: true });
    await bench.publish('topic', 'before');
    await takes(['before']);
    await bench.publish('topic', 'waiting');
    await capture();
    await bench.publish('topic', 'after');
    await takes(['waiting', 'after']);
    await seek({ snapshot });
    await takes(['waiting', 'after']);
    await seek({ snapshot });
    await takes(['waiting', 'after']);
  });

  it('to a snapshot acks the messages that were acked in it', async () => {
    await bench.subscribe('topic');
    await bench.subscribe('topic', {}, 'other');
    await bench.publish('topic', 'acked');
    await takes(['acked'], 'other');
    await capture('other');
    await seek({ snapshot });
    await bench.publish('topic', 'next');
    await takes(['next']);
  });

  it('to a time brings back messages that were published since, if they are retained', async () => {
    await bench.subscribe('topic', { retainAckedMessages: true });
    await bench.subscribe('topic', {}, 'forgetful');
    await publishTime('first');
    await cloud.pass(20);
    const time = await publishTime('second');
    for (const id of ['topic', 'forgetful']) {
      await takes(['first', 'second'], id);
      await seek({ time }, id);
    }
    await bench.publish('topic', 'last');
    await takes(['second', 'last']);
    await takes(['last'], 'forgetful');
  });

  it('to a time to come acks everything', async () => {
    await bench.subscribe('topic');
    await bench.publish('topic', 'old');
    await seek({ time: { seconds: 32_503_680_000 } });
    await bench.publish('topic', 'new');
    await takes(['new']);
  });

  it('keeps the order of a key', async () => {
    await bench.subscribe('topic', { enableMessageOrdering: true, retainAckedMessages: true });
    await capture();
    const texts = ['1', '2', '3', '4'];
    await bench.publish('topic', ...texts.map((text) => ({ data: Buffer.from(text), orderingKey: 'key' })));
    for (const _ of ['at first', 'again']) {
      const taken: string[] = [];
      await cloud.until(async () => {
        const pulled = await bench.pull('topic', 1);
        if (pulled.length > 0) await bench.ack('topic', ...pulled.map(({ ackId }) => ackId));
        taken.push(...pulled.map(({ text }) => text));
        return taken.length === texts.length;
      });
      expect(taken).toEqual(texts);
      await seek({ snapshot });
    }
  });

  const settingsOf = (target: string): [string, object][] => {
    const settings: [string, object][] = [
      ['', {}],
      [', with exactly-once delivery', { enableExactlyOnceDelivery: true }],
    ];
    // The official emulator does not bring messages with ordering keys back by time.
    if (target === 'a time' && isOfficial) return settings;
    return [...settings, [', those of a key in their order', { enableMessageOrdering: true }]];
  };
  describe.each([
    ['a snapshot', () => ({ snapshot })],
    ['a time', () => ({ time: { seconds: 1000 } })],
  ])('to %s', (name, target) => {
    it.each(settingsOf(name))(
      'delivers again at once messages that subscribers are working on%s',
      async (_, settings) => {
        await bench.subscribe('topic', { ackDeadlineSeconds: 600, ...settings });
        const orderingKey = 'enableMessageOrdering' in settings ? 'key' : '';
        const texts = ['1', '2', '3'];
        await bench.publish('topic', ...texts.map((text) => ({ data: Buffer.from(text), orderingKey })));
        await capture();
        const held = await bench.pull('topic');
        expect(held.length).toBeGreaterThan(0);
        await seek(target());
        // The old ack ids do not ack what is to come again.
        await bench.ack('topic', ...held.map(({ ackId }) => ackId)).catch(() => {});
        await takes(texts);
        expect(await bench.pull('topic')).toEqual([]);
      },
    );

    it('delivers again at once messages that were nacked and wait', async () => {
      const backoff = { minimumBackoff: { seconds: 600 }, maximumBackoff: { seconds: 600 } };
      await bench.subscribe('topic', { retryPolicy: backoff });
      await bench.publish('topic', 'nacked');
      await capture();
      const held = await bench.pull('topic');
      await bench.modify('topic', 0, ...held.map(({ ackId }) => ackId));
      await seek(target());
      expect(await bench.pull('topic')).toMatchObject([{ text: 'nacked' }]);
    });
  });

  it('gives a stream its held messages again', async () => {
    await bench.subscribe('topic', { ackDeadlineSeconds: 600 });
    await bench.publish('topic', 'held');
    await capture();
    const subscription = bench.pubsub.subscription(bench.subscription('topic'));
    const taken: string[] = [];
    subscription.on('message', ({ data }) => void taken.push(String(data)));
    subscription.on('error', () => {});
    await cloud.until(() => taken.length === 1);
    await seek({ snapshot });
    await cloud.until(() => taken.length === 2);
    subscription.removeAllListeners('message');
    await subscription.close();
  });

  it('needs a target, and a snapshot of the same topic', async () => {
    await bench.subscribe('topic');
    await bench.createTopic('second');
    await bench.subscribe('second');
    await capture('second');
    await expect(seek({ snapshot })).rejects.toMatchObject({ code: FAILED_PRECONDITION });
    await expect(seek({})).rejects.toMatchObject({ code: INVALID_ARGUMENT });
    await expect(seek({ snapshot: 'junk' })).rejects.toMatchObject({ code: INVALID_ARGUMENT });
  });
});
