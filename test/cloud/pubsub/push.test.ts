// Push: an endpoint's requests, and results of its answers. No deadline passes unless meant.

import { afterEach, beforeEach, expect, it } from 'vitest';
import { describeSides } from '../official.ts';
import { type Bench, ONCE, openBench } from './bench.ts';
import { CLOUDS, type Cloud } from './clouds.ts';

/** Long after anything here has happened. */
const ackDeadlineSeconds = 600;

describeSides('push of', CLOUDS, ({ start }) => {
  let cloud: Cloud;
  let bench: Bench;

  beforeEach(async () => {
    cloud = await start();
    bench = openBench(cloud);
  });
  afterEach(async () => {
    await bench.close();
    await cloud.stop();
  });

  const pushTo = (pushEndpoint: string) => ({ pushConfig: { pushEndpoint }, ackDeadlineSeconds });

  /** Publishes "last" and waits until it has come: what would have come before has come, too. */
  async function untilQuiet(topic: string, count: (text: string) => number): Promise<void> {
    await bench.publish(topic, 'last');
    await cloud.until(() => count('last') > 0);
  }

  it('a message comes as JSON, with its id, its time and its attributes', async () => {
    const endpoint = await bench.endpoint(() => 204);
    await bench.createTopic('topic');
    await bench.subscribe('topic', pushTo(`${endpoint.url}/path?query=1`));
    const [id] = await bench.publish('topic', { data: Buffer.from('größe'), attributes: { color: 'blue' } });
    await cloud.until(() => endpoint.pushes.length > 0);
    const [push] = endpoint.pushes;
    expect(push?.path).toBe('/path?query=1');
    expect(push?.headers['content-type']).toBe('application/json');
    expect(push?.body).toMatchObject({
      message: {
        data: Buffer.from('größe').toString('base64'),
        attributes: { color: 'blue' },
        messageId: id,
        message_id: id,
        publishTime: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/),
        publish_time: push?.body.message.publishTime,
      },
      subscription: bench.subscription('topic'),
    });
    // Clocks of machines are set anew at any time, so that it is today's and no more.
    const offMs = Date.parse(push?.body.message.publishTime ?? '') - Date.now();
    expect(Math.abs(offMs)).toBeLessThan(24 * 3_600_000);
  });

  it.each([102, 200, 201, 202, 204])('%d is an ack', async (status) => {
    const endpoint = await bench.endpoint((push, response) => {
      if (push.text !== 'message' || status !== 102) return status === 102 ? 200 : status;
      response.writeProcessing();
      return undefined;
    });
    await bench.createTopic('topic');
    await bench.subscribe('topic', pushTo(endpoint.url));
    await bench.publish('topic', 'message');
    await cloud.until(() => endpoint.count('message') > 0);
    await untilQuiet('topic', endpoint.count);
    expect(endpoint.count('message')).toBe(1);
  });

  it.each([302, 400, 404, 429, 500, 503, 'a cut connection'])(
    'after %s a message comes again',
    async (answer) => {
      const endpoint = await bench.endpoint((_, response) => {
        if (endpoint.pushes.length > 1) return 200;
        if (typeof answer === 'number') return answer;
        response.destroy();
        return undefined;
      });
      await bench.createTopic('topic');
      await bench.subscribe('topic', pushTo(endpoint.url));
      const [id] = await bench.publish('topic', 'message');
      await cloud.until(() => endpoint.count('message') > 1);
      await untilQuiet('topic', endpoint.count);
      expect(endpoint.pushes.map(({ body }) => body.message.messageId).slice(0, 2)).toEqual([id, id]);
      expect(endpoint.count('message')).toBe(2);
    },
  );

  it('every subscription of a topic gets a message, and counts its own attempts', async () => {
    const endpoint = await bench.endpoint(({ path, text }) =>
      path === '/failing' && endpoint.count(text) < 4 ? 500 : 200,
    );
    await bench.createTopic('topic');
    await bench.subscribe('topic', pushTo(`${endpoint.url}/working`), 'working');
    await bench.subscribe('topic', pushTo(`${endpoint.url}/failing`), 'failing');
    await bench.publish('topic', 'message');
    await cloud.until(() => endpoint.pushes.length >= 4);
    expect(endpoint.pushes.map(({ path }) => path).toSorted()).toEqual([
      ...Array(3).fill('/failing'),
      '/working',
    ]);
  });

  it('a message that fails too often becomes a dead letter', async () => {
    const endpoint = await bench.endpoint(({ path }) => (path === '/dead' ? 200 : 500));
    await bench.createTopic('dead');
    await bench.subscribe('dead', pushTo(`${endpoint.url}/dead`));
    await bench.createTopic('topic');
    const deadLetterPolicy = { deadLetterTopic: bench.topic('dead'), maxDeliveryAttempts: 6 };
    await bench.subscribe('topic', { ...pushTo(endpoint.url), deadLetterPolicy }, 'failing');
    await bench.publish('topic', { data: Buffer.from('message'), attributes: { color: 'blue' } });
    const dead = () => endpoint.pushes.find(({ path }) => path === '/dead');
    await cloud.until(() => dead() !== undefined);
    await untilQuiet('dead', endpoint.count);
    expect(endpoint.count('message')).toBe(7);
    expect(dead()?.text).toBe('message');
    expect(dead()?.body.message.attributes).toEqual({
      color: 'blue',
      CloudPubSubDeadLetterSourceDeliveryCount: '6',
      CloudPubSubDeadLetterSourceSubscription: 'failing',
      CloudPubSubDeadLetterSourceSubscriptionProject: bench.projectId,
      CloudPubSubDeadLetterSourceTopicPublishTime: endpoint.pushes[0]?.body.message.publishTime,
    });
  });

  it('a message that is under way when the endpoint changes comes again at the new one', async () => {
    const endpoint = await bench.endpoint(({ path }, response) => {
      if (path === '/new') return 200;
      held.push(() => response.writeHead(500).end());
      return undefined;
    });
    const held: (() => void)[] = [];
    await bench.createTopic('topic');
    await bench.subscribe('topic', pushTo(`${endpoint.url}/old`));
    await bench.publish('topic', 'message');
    await cloud.until(() => held.length === 1);
    const subscription = bench.subscription('topic');
    const pushConfig = { pushEndpoint: `${endpoint.url}/new` };
    await bench.subscriber.modifyPushConfig({ subscription, pushConfig }, ONCE);
    for (const answer of held) answer();
    await cloud.until(() => endpoint.pushes.length > 1);
    expect(endpoint.pushes.map(({ path }) => path)).toEqual(['/old', '/new']);
  });

  it('a push subscription becomes one to pull from, and back', async () => {
    const endpoint = await bench.endpoint(() => 200);
    const subscription = bench.subscription('topic');
    await bench.createTopic('topic');
    await bench.subscribe('topic', pushTo(endpoint.url));
    await bench.subscriber.modifyPushConfig({ subscription, pushConfig: {} }, ONCE);
    await bench.publish('topic', 'pulled');
    const [message] = await bench.pull('topic');
    expect(message?.text).toBe('pulled');
    await bench.ack('topic', message?.ackId ?? '');
    await bench.publish('topic', 'pushed');
    await bench.subscriber.modifyPushConfig(
      { subscription, pushConfig: { pushEndpoint: endpoint.url } },
      ONCE,
    );
    await cloud.until(() => endpoint.pushes.length > 0);
    expect(endpoint.pushes.map(({ text }) => text)).toEqual(['pushed']);
  });

  it('a deleted subscription is not pushed to any more', async () => {
    const endpoint = await bench.endpoint(({ path }) => (path === '/deleted' ? 500 : 200));
    await bench.createTopic('topic');
    await bench.subscribe('topic', pushTo(`${endpoint.url}/deleted`), 'deleted');
    await bench.publish('topic', 'message');
    await cloud.until(() => endpoint.pushes.length > 0);
    await bench.subscriber.deleteSubscription({ subscription: bench.subscription('deleted') }, ONCE);
    const before = endpoint.pushes.length;
    await bench.subscribe('topic', pushTo(endpoint.url), 'other');
    await untilQuiet('topic', endpoint.count);
    // One may have been on its way.
    expect(endpoint.count('message')).toBeLessThanOrEqual(before + 1);
    expect(endpoint.count('last')).toBe(1);
  });
});
