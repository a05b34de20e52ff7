import { describe, expect, it } from 'vitest';
import { PushQueue } from './pushQueue.ts';

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);

function start() {
  const abort = new AbortController();
  let overruns = 0;
  const queue = new PushQueue<number>(abort.signal, () => {
    overruns += 1;
  });
  return { abort, queue, overruns: () => overruns };
}

async function readAll(queue: PushQueue<number>): Promise<number[]> {
  const found = [];
  for await (const item of queue.read()) found.push(item);
  return found;
}

describe('a reader of pushed items', () => {
  it('gets them in order, also those that come while it reads, until the end', async () => {
    const { queue } = start();
    queue.push([1, 2]);
    const reading = readAll(queue);
    queue.push([3]);
    await Promise.resolve();
    queue.push([4, 5]);
    queue.end();
    expect(await reading).toEqual([1, 2, 3, 4, 5]);
  });

  it('gets the first events, however many they are, and 5,000 more', async () => {
    const { queue, overruns } = start();
    queue.push(numbers(300_000));
    queue.limit();
    queue.push(numbers(5_000));
    queue.end();
    expect(await readAll(queue)).toHaveLength(305_000);
    expect(overruns()).toBe(0);
  });

  it('that is further behind is released with nothing kept for it, whether it comes back or not', async () => {
    const { queue, overruns } = start();
    queue.push([1]);
    queue.limit();
    for (const number of numbers(20_000)) queue.push([number]);
    expect(overruns()).toBe(1);
    await expect(queue.read().next()).rejects.toThrow('too far behind');
  });

  it('gets an error after the pending events, and nothing after an abort', async () => {
    const { queue, abort } = start();
    queue.push([1]);
    queue.fail(new Error('lost'));
    const reader = queue.read();
    expect(await reader.next()).toEqual({ value: 1, done: false });
    await expect(reader.next()).rejects.toThrow('lost');
    queue.push([2]);
    abort.abort();
    expect(await readAll(queue)).toEqual([]);
  });
});
