// Topics and subscriptions: what can be created, read, changed and deleted, and the errors.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeSides } from '../official.ts';
import { type Bench, ONCE, openBench } from './bench.ts';
import { CLOUDS, type Cloud } from './clouds.ts';

const INVALID_ARGUMENT = 3;
const NOT_FOUND = 5;
const ALREADY_EXISTS = 6;
const OUT_OF_RANGE = 11;

describeSides('resources of', CLOUDS, ({ start }) => {
  let cloud: Cloud;
  let bench: Bench;

  beforeAll(async () => {
    cloud = await start();
    bench = openBench(cloud);
    await bench.createTopic('topic');
    await bench.subscribe('topic');
  });
  afterAll(async () => {
    await bench.close();
    await cloud.stop();
  });

  const subscriptionOf = async (id: string) => {
    const [subscription] = await bench.subscriber.getSubscription(
      { subscription: bench.subscription(id) },
      ONCE,
    );
    return subscription;
  };
  const update = (id: string, paths: string[], settings: object) =>
    bench.subscriber.updateSubscription(
      { subscription: { name: bench.subscription(id), ...settings }, updateMask: { paths } },
      ONCE,
    );

  it('a topic is there after it was created, and cannot be created twice', async () => {
    const [topic] = await bench.publisher.getTopic({ topic: bench.topic('topic') }, ONCE);
    expect(topic.name).toBe(bench.topic('topic'));
    await expect(bench.createTopic('topic')).rejects.toMatchObject({
      code: ALREADY_EXISTS,
      details: 'Topic already exists',
    });
  });

  it.each(['ab', 'goog-topic', '1topic', 'a topic', 'a'.repeat(256), ''])('"%s" is no id', async (id) => {
    await expect(bench.createTopic(id)).rejects.toMatchObject({
      code: INVALID_ARGUMENT,
      details: `Invalid [topics] name: (name=${bench.topic(id)})`,
    });
    await expect(bench.subscribe('topic', {}, id || '?')).rejects.toMatchObject({ code: INVALID_ARGUMENT });
  });

  it('a missing resource is not found', async () => {
    const [topic, subscription] = [bench.topic('none'), bench.subscription('none')];
    const missing = [
      bench.publisher.getTopic({ topic }, ONCE),
      bench.publisher.deleteTopic({ topic }, ONCE),
      bench.publish('none', 'text'),
      bench.subscribe('none'),
      bench.subscribe('topic', { deadLetterPolicy: { deadLetterTopic: topic } }, 'with-none'),
      bench.subscriber.getSubscription({ subscription }, ONCE),
      bench.subscriber.deleteSubscription({ subscription }, ONCE),
      bench.subscriber.modifyPushConfig({ subscription, pushConfig: {} }, ONCE),
      update('none', ['labels'], {}),
      bench.pull('none'),
      bench.ack('none', 'x'),
    ];
    const codes = await Promise.all(missing.map((call) => Promise.resolve(call).catch(({ code }) => code)));
    expect(codes).toEqual(missing.map(() => NOT_FOUND));
  });

  it('a subscription has defaults, and cannot be created twice', async () => {
    expect(await subscriptionOf('topic')).toMatchObject({
      topic: bench.topic('topic'),
      pushConfig: { pushEndpoint: '' },
      ackDeadlineSeconds: 10,
      messageRetentionDuration: { seconds: '604800' },
      retryPolicy: null,
      deadLetterPolicy: null,
      enableMessageOrdering: false,
      detached: false,
    });
    await expect(bench.subscribe('topic')).rejects.toMatchObject({
      code: ALREADY_EXISTS,
      details: 'Subscription already exists',
    });
  });

  it('policies have defaults', async () => {
    const deadLetterTopic = bench.topic('topic');
    await bench.subscribe('topic', { retryPolicy: {}, deadLetterPolicy: { deadLetterTopic } }, 'policies');
    expect(await subscriptionOf('policies')).toMatchObject({
      retryPolicy: { minimumBackoff: { seconds: '10' }, maximumBackoff: { seconds: '600' } },
      deadLetterPolicy: { deadLetterTopic, maxDeliveryAttempts: 5 },
    });
  });

  it.each([
    ['an ack deadline over 600 s', { ackDeadlineSeconds: 601 }, INVALID_ARGUMENT],
    ['a retention under 10 minutes', { messageRetentionDuration: { seconds: 599 } }, INVALID_ARGUMENT],
    ['a retention over 31 days', { messageRetentionDuration: { seconds: 2_678_401 } }, INVALID_ARGUMENT],
    ['a back-off over 600 s', { retryPolicy: { minimumBackoff: { seconds: 601 } } }, INVALID_ARGUMENT],
    [
      'a minimum over the maximum',
      { retryPolicy: { minimumBackoff: { seconds: 2 }, maximumBackoff: { seconds: 1 } } },
      INVALID_ARGUMENT,
    ],
    ['an endpoint that is no URL', { pushConfig: { pushEndpoint: 'here' } }, INVALID_ARGUMENT],
    ['an endpoint that is not HTTP', { pushConfig: { pushEndpoint: 'ftp://host/path' } }, INVALID_ARGUMENT],
  ])('%s is refused', async (_, settings, code) => {
    await expect(bench.subscribe('topic', settings, 'refused')).rejects.toMatchObject({ code });
  });

  it.each([4, 101])('a dead-letter policy of %d attempts is refused', async (maxDeliveryAttempts) => {
    const deadLetterPolicy = { deadLetterTopic: bench.topic('topic'), maxDeliveryAttempts };
    const creation = bench.subscribe('topic', { deadLetterPolicy }, 'refused');
    await expect(creation).rejects.toMatchObject({ code: OUT_OF_RANGE });
  });

  it('an update changes the fields that its mask names', async () => {
    await bench.subscribe('topic', { ackDeadlineSeconds: 20, labels: { a: 'b' } }, 'updated');
    await update('updated', ['ack_deadline_seconds', 'retry_policy'], {
      ackDeadlineSeconds: 30,
      retryPolicy: {},
      labels: { not: 'named' },
    });
    expect(await subscriptionOf('updated')).toMatchObject({
      ackDeadlineSeconds: 30,
      retryPolicy: { minimumBackoff: { seconds: '10' } },
      labels: { a: 'b' },
    });
    await update('updated', ['retry_policy'], {});
    expect(await subscriptionOf('updated')).toMatchObject({ ackDeadlineSeconds: 30, retryPolicy: null });
  });

  it.each([[[]], [['topic']], [['enable_message_ordering']], [['nonsense']], [['ackDeadlineSeconds']]])(
    'an update of %j is refused',
    async (paths) => {
      await expect(update('topic', paths, {})).rejects.toMatchObject({ code: INVALID_ARGUMENT });
    },
  );

  it('lists have pages', async () => {
    const own = openBench(cloud);
    const ids = ['aaa', 'bbb', 'ccc'];
    for (const id of ids) await own.createTopic(id);
    for (const id of ids) await own.subscribe('aaa', {}, id);
    const project = `projects/${own.projectId}`;
    const pages = { ...ONCE, autoPaginate: false };
    const [first, next] = await own.publisher.listTopics({ project, pageSize: 2 }, pages);
    const [second] = await own.publisher.listTopics({ ...next, project, pageSize: 2 }, pages);
    const [ofTopic] = await own.publisher.listTopicSubscriptions({ topic: own.topic('aaa') }, ONCE);
    const [subscriptions] = await own.subscriber.listSubscriptions({ project }, ONCE);
    await own.close();
    expect([...first, ...second].map(({ name }) => name)).toEqual(ids.map(own.topic));
    expect(first).toHaveLength(2);
    expect(ofTopic.toSorted()).toEqual(ids.map(own.subscription));
    expect(subscriptions.map(({ name }) => name).toSorted()).toEqual(ids.map(own.subscription));
  });

  it('a deleted topic leaves its subscriptions and their messages', async () => {
    await bench.createTopic('doomed');
    await bench.subscribe('doomed');
    await bench.publish('doomed', 'left');
    await bench.publisher.deleteTopic({ topic: bench.topic('doomed') }, ONCE);
    expect(await subscriptionOf('doomed')).toMatchObject({ topic: '_deleted-topic_' });
    await expect(bench.publish('doomed', 'lost')).rejects.toMatchObject({ code: NOT_FOUND });

    await bench.createTopic('doomed');
    await bench.publish('doomed', 'of another topic');
    expect((await bench.pull('doomed')).map(({ text }) => text)).toEqual(['left']);
  });

  it('a subscription that is created again has nothing of the deleted one', async () => {
    await bench.createTopic('again');
    await bench.subscribe('again');
    await bench.publish('again', 'old');
    await bench.subscriber.deleteSubscription({ subscription: bench.subscription('again') }, ONCE);
    await expect(bench.pull('again')).rejects.toMatchObject({ code: NOT_FOUND });
    await bench.subscribe('again');
    await bench.publish('again', 'new');
    expect((await bench.pull('again')).map(({ text }) => text)).toEqual(['new']);
  });
});
