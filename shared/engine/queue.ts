// Queues of an engine: Pub/Sub, whose subscriptions call the program's functions.

import type { Publisher } from '../core/contract/publisher.ts';
import { TOPICS } from '../core/contract/publisher.ts';
import { readProjectId } from '../environment.ts';
import { createPubsubPublisher } from '../store/pubsub/pubsubPublisher.ts';

/** The work that messages lead to. Each function rejects if its message must be delivered again. */
export interface Deliveries {
  /** Runs the iteration of a message. */
  work(event: unknown): Promise<void>;
  /** Ends or repeats the iteration of a message whose deliveries all failed. */
  bury(event: unknown): Promise<void>;
  /** Repairs late runs. */
  sweep(): Promise<unknown>;
}

/** A queue of iterations. */
export interface Queue {
  /** `pubsub` or `in-process`. */
  readonly kind: 'pubsub' | 'in-process';
  /** The topic of iterations; null for a queue without one. */
  readonly topic: string | null;
  /** Puts iterations into the queue. */
  readonly publisher: Publisher;
  /** Starts deliveries within this process. Absent: subscriptions deliver, to `handlers`. */
  deliverTo?(deliveries: Deliveries): void;
  /** Stops deliveries of this process. Absent: there are none. */
  close?(): Promise<void>;
}

/**
 * A topic of Pub/Sub. `PUBSUB_EMULATOR_HOST` points it at an emulator.
 * @param topic the id of the topic, in the project of `options`.
 * @param options.projectId default: `GOOGLE_CLOUD_PROJECT`.
 * @param options.timeoutMs limit of one publication with all retries, in milliseconds. Default: 20,000.
 */
export function pubsub(topic: string, options: { projectId?: string; timeoutMs?: number } = {}): Queue {
  const { projectId = readProjectId(process.env), timeoutMs } = options;
  const publisher = createPubsubPublisher({
    projectId,
    topics: { [TOPICS.iterations]: topic },
    ...(timeoutMs !== undefined && { timeoutMs }),
  });
  return { kind: 'pubsub', topic, publisher };
}
