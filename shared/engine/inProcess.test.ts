import { expect, it } from 'vitest';
import { MAX_DELIVERIES, TOPICS } from '../core/contract/publisher.ts';
import { RetryableError } from '../core/errors.ts';
import { readPubsubEvent } from '../core/kernel/pubsubEvent.ts';
import { inProcess } from './inProcess.ts';

function readBody(event: unknown): string {
  const reading = readPubsubEvent(event);
  return reading.ok ? Buffer.from(reading.message.data).toString() : 'malformed';
}

it('delivers each of several messages that are published at once', async () => {
  const queue = inProcess();
  const delivered: string[] = [];
  queue.deliverTo?.({
    work: async (event) => void delivered.push(readBody(event)),
    bury: async () => {},
    sweep: async () => {},
  });
  await Promise.all(
    ['1', '2', '3'].map((data) => queue.publisher.publish(TOPICS.iterations, Buffer.from(data), {})),
  );
  await queue.close();
  expect(delivered.sort()).toEqual(['1', '2', '3']);
});

it('delivers a message again until its deliveries are used up, and buries it until that succeeds', async () => {
  const queue = inProcess({ pauseMs: 0 });
  const calls: string[] = [];
  let burials = 0;
  const done = new Promise<void>((resolve) =>
    queue.deliverTo?.({
      async work(event) {
        const reading = readPubsubEvent(event);
        calls.push(`work ${reading.ok && reading.message.deliveryAttempt}`);
        throw new RetryableError('STORE_UNAVAILABLE', 'down', { retryAfterMs: 0 });
      },
      async bury(event) {
        const reading = readPubsubEvent(event);
        const count = reading.ok && reading.message.attributes.CloudPubSubDeadLetterSourceDeliveryCount;
        calls.push(`bury ${count}`);
        if (++burials === 1) throw new Error('down');
        resolve();
      },
      sweep: () => Promise.reject(new Error('a failed sweep is repeated by the next')),
    }),
  );
  await queue.publisher.publish(TOPICS.iterations, Buffer.from('x'), {});
  await done;
  await queue.close();
  const works = Array.from({ length: MAX_DELIVERIES }, (_, index) => `work ${index + 1}`);
  expect(calls).toEqual([...works, 'bury 8', 'bury 8']);
});
