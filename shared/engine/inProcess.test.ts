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

it('delivers in steps when its owner asks, with messages that are published meanwhile', async () => {
  const events: string[] = [];
  const queue = inProcess({
    steps: {
      async deliver({ data }, attempt) {
        events.push(`${data} ${attempt}`);
        if (data.toString() === 'a') await queue.publisher.publish(TOPICS.alerts, Buffer.from('c'), {});
        if (data.toString() === 'b') throw new Error('down');
      },
      pause: (attempt) => void events.push(`pause ${attempt}`),
      giveUp: ({ data }, error) => void events.push(`${data} ${(error as Error).message}`),
    },
  });
  for (const data of ['0', 'a', 'b']) await queue.publisher.publish(TOPICS.iterations, Buffer.from(data), {});
  expect(queue.take()?.data.toString()).toBe('0');
  expect(queue.take()?.data.toString()).toBe('a');
  queue.giveBack();
  expect(events).toEqual([]);
  await queue.drain();
  const failures = Array.from({ length: MAX_DELIVERIES - 1 }, (_, index) => [
    `b ${index + 1}`,
    `pause ${index + 1}`,
  ]);
  expect(events).toEqual(['a 1', ...failures.flat(), `b ${MAX_DELIVERIES}`, 'b down', 'c 1']);
  expect(queue.take()).toBeUndefined();
});

it('ends the deliveries in steps with what a pause throws', async () => {
  const queue = inProcess({
    steps: {
      deliver: () => Promise.reject(new Error('a bug')),
      pause(_, error) {
        throw error;
      },
      giveUp() {},
    },
  });
  await queue.publisher.publish(TOPICS.iterations, Buffer.from('x'), {});
  await expect(queue.drain()).rejects.toThrow('a bug');
});
