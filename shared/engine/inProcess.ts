// The queue within one process: delivers messages, again after failures, buries them, and sweeps.

import { type ConsumedTopic, MAX_DELIVERIES, type Publisher, TOPICS } from '../core/contract/publisher.ts';
import { RetryableError } from '../core/errors.ts';
import {
  createMemoryPublisher,
  type MemoryPublisher,
  type PublishedMessage,
} from '../store/memory/memoryPublisher.ts';
import type { Deliveries, Queue } from './queue.ts';

/** Milliseconds between two sweeps, as a schedule of Google Cloud has them. */
const SWEEP_MS = 60_000;
/** Milliseconds before the first redelivery; each further one waits twice as long, up to the longest. */
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

/** A queue within this process. */
export interface InProcessQueue extends Queue {
  /** All messages, in the order of their publication. */
  readonly published: readonly PublishedMessage[];
  /** Stops deliveries and sweeps, and waits for running ones. */
  close(): Promise<void>;
}

/** Deliveries that happen one after the other when their owner asks: for replays and tests. */
export interface DeliverySteps {
  /** Handles a delivery of a message of any topic. Rejects if it must be delivered again. */
  deliver(message: PublishedMessage, attempt: number): Promise<void>;
  /** Lets time pass before the next attempt. @throws what ends the deliveries. */
  pause(attempt: number, error: unknown): Promise<void> | void;
  /** Called with a message whose deliveries have all failed. @throws what ends the deliveries. */
  giveUp(message: PublishedMessage, error: unknown): Promise<void> | void;
  /** Holds the messages. Default: a new one. */
  publisher?: MemoryPublisher;
}

/** A queue that delivers when its owner asks. It sweeps and buries nothing. */
export interface SteppedQueue {
  readonly publisher: MemoryPublisher;
  /** Delivers all messages in the order of their publication, also those that are published meanwhile. */
  drain(): Promise<void>;
  /** The next message, which is then not delivered; undefined if none is left. */
  take(): PublishedMessage | undefined;
  /** Puts the message that was taken last in front of all others. */
  giveBack(): void;
}

/**
 * A queue whose messages live as long as the process; a store that outlives it keeps the runs, and the first
 * sweep of the next process continues those whose lease has ended. A timer of a redelivery keeps the process
 * alive, that of the sweep does not.
 * @param options.sweepMs milliseconds between two sweeps; the first one starts at once. Default: 60,000.
 * @param options.pauseMs milliseconds before the first redelivery. Default: 1,000.
 * @param options.steps deliveries in steps, in place of those that start by themselves.
 */
export function inProcess(options: { steps: DeliverySteps }): SteppedQueue;
export function inProcess(options?: { sweepMs?: number; pauseMs?: number }): InProcessQueue;
export function inProcess(
  options: { sweepMs?: number; pauseMs?: number; steps?: DeliverySteps } = {},
): InProcessQueue | SteppedQueue {
  return options.steps === undefined ? startQueue(options) : createSteps(options.steps);
}

function createSteps({
  deliver,
  pause,
  giveUp,
  publisher = createMemoryPublisher(),
}: DeliverySteps): SteppedQueue {
  let taken = 0;
  const take = () => (taken < publisher.published.length ? publisher.published[taken++] : undefined);
  return {
    publisher,
    take,
    giveBack() {
      taken--;
    },
    async drain() {
      for (let message = take(); message !== undefined; message = take()) {
        const next = message;
        const failed = await deliverRepeatedly((attempt) => deliver(next, attempt), MAX_DELIVERIES, pause);
        if (failed !== undefined) await giveUp(next, failed.error);
      }
    },
  };
}

/** Delivers until that succeeds. @returns the last error if all attempts have failed. */
async function deliverRepeatedly(
  deliver: (attempt: number) => Promise<void>,
  attempts: number,
  pause: DeliverySteps['pause'],
): Promise<{ error: unknown } | undefined> {
  for (let attempt = 1; ; attempt++) {
    try {
      await deliver(attempt);
      return undefined;
    } catch (error) {
      if (attempt === attempts) return { error };
      await pause(attempt, error);
    }
  }
}

function startQueue({
  sweepMs = SWEEP_MS,
  pauseMs = FIRST_PAUSE_MS,
}: {
  sweepMs?: number;
  pauseMs?: number;
}): InProcessQueue {
  const memory = createMemoryPublisher();
  const running = new Set<Promise<void>>();
  const pauses = new Map<NodeJS.Timeout, () => void>();
  let deliveries: Deliveries | undefined;
  let sweeps: NodeJS.Timeout | undefined;
  let isClosed = false;

  const pause = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(end, ms);
      pauses.set(timer, end);
      function end(): void {
        clearTimeout(timer);
        pauses.delete(timer);
        resolve();
      }
    });

  const track = (work: Promise<void>): void => {
    running.add(work);
    void work.finally(() => running.delete(work));
  };

  const pauseBefore = (attempt: number, error: unknown): Promise<void> => {
    const backOff = Math.min(LONGEST_PAUSE_MS, pauseMs * 2 ** (attempt - 1));
    return pause((error instanceof RetryableError ? error.retryAfterMs : undefined) ?? backOff);
  };

  /** A closed queue starts nothing: a message that waits for its next delivery is left to the sweep. */
  const repeat = (handle: (attempt: number) => Promise<void>, attempts: number) =>
    deliverRepeatedly(async (attempt) => (isClosed ? undefined : handle(attempt)), attempts, pauseBefore);

  const deliver = async (message: PublishedMessage, { work, bury }: Deliveries): Promise<void> => {
    const failed = await repeat((attempt) => work(toPush(message, attempt)), MAX_DELIVERIES);
    if (failed === undefined) return;
    const attributes = { CloudPubSubDeadLetterSourceDeliveryCount: String(MAX_DELIVERIES) };
    await repeat(() => bury(toPush({ ...message, attributes }, 1)), Number.POSITIVE_INFINITY);
  };

  const publisher: Publisher = {
    ...memory,
    async publish(topic: ConsumedTopic, data, attributes) {
      const id = await memory.publish(topic, data, attributes);
      // Others can have published meanwhile.
      const message = memory.published.findLast((one) => one.id === id);
      if (topic === TOPICS.iterations && message !== undefined && deliveries !== undefined && !isClosed)
        track(deliver(message, deliveries));
      return id;
    },
  };

  return {
    kind: 'in-process',
    topic: null,
    publisher,
    published: memory.published,
    deliverTo(given) {
      deliveries = given;
      const sweep = () => track(given.sweep().then(ignore, ignore));
      sweep();
      sweeps = setInterval(sweep, sweepMs).unref();
    },
    async close() {
      isClosed = true;
      clearInterval(sweeps);
      for (const end of [...pauses.values()]) end();
      await Promise.all(running);
    },
  };
}

/** The next sweep repeats the work of one that failed; the engine has logged the failure. */
const ignore = (): void => {};

/** The body of a push request. */
function toPush({ id, data, attributes }: PublishedMessage, deliveryAttempt: number): unknown {
  const message = {
    messageId: id,
    data: data.toString('base64'),
    attributes,
    publishTime: new Date().toISOString(),
  };
  return { deliveryAttempt, message };
}
