// The unmodified client keeps what it holds, by extending ack deadlines by the real time of its own; so real
// time passes here for both, as little as a deadline allows: 10 s.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeSides } from '../official.ts';
import { type Bench, openBench } from './bench.ts';
import { type Cloud, startLocalCloudInRealTime, startOfficialCloud } from './clouds.ts';

const CLOUDS = [
  { name: 'the local cloud', isOfficial: false, start: startLocalCloudInRealTime },
  { name: 'the official emulator', isOfficial: true, start: startOfficialCloud },
];

describeSides('a stream of', CLOUDS, ({ start }) => {
  let cloud: Cloud;
  let bench: Bench;

  beforeAll(async () => {
    cloud = await start();
    bench = openBench(cloud);
  });
  afterAll(async () => {
    await bench.close();
    await cloud.stop();
  });

  it('gives a message to no other while its client extends the deadline', async () => {
    await bench.createTopic('topic');
    await bench.subscribe('topic', { ackDeadlineSeconds: 10 });
    const received: string[] = [];
    const acks: (() => void)[] = [];
    const subscription = bench.pubsub.subscription('topic', { streamingOptions: { maxStreams: 1 } });
    subscription.on('message', (message) => {
      received.push(String(message.data));
      acks.push(() => message.ack());
    });
    await bench.publish('topic', 'held');
    await cloud.until(() => received.includes('held'));
    // A message that is given to one who neither acks nor extends, later than the first: when it comes again,
    // the first deadline of the first message has passed.
    await bench.subscribe('topic', { ackDeadlineSeconds: 10 }, 'witness');
    await bench.publish('topic', 'left alone');
    expect(await bench.pull('witness')).toHaveLength(1);
    await cloud.until(async () => (await bench.pull('witness')).length > 0);
    expect(received.filter((text) => text === 'held')).toEqual(['held']);
    for (const ack of acks) ack();
    await subscription.close();
  });
});
