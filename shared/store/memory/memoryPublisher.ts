// The publisher port in memory, for simulation: it keeps what was published, as a subscriber would get it.

import type { Publisher, Topic } from '../../contract/publisher.ts';
import { messageBytes } from '../messageBytes.ts';

export interface PublishedMessage {
  id: string;
  topic: Topic;
  data: Buffer;
  attributes: Record<string, string>;
}

export interface MemoryPublisher extends Publisher {
  /** All messages, in the order they were published. */
  readonly published: PublishedMessage[];
}

/** A publisher that never fails. Message ids count from 1. */
export function createMemoryPublisher(): MemoryPublisher {
  const published: PublishedMessage[] = [];
  return {
    published,
    async publish(topic, data, attributes) {
      const id = String(published.length + 1);
      published.push({ id, topic, data: messageBytes(data), attributes: { ...attributes } });
      return id;
    },
    warm() {},
    async close() {},
  };
}
