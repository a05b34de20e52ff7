// The publisher port in memory, for tests: keeps messages as a subscriber would receive them.

import type { ConsumedTopic, Publisher } from '../../core/contract/publisher.ts';
import { messageBytes } from '../messageBytes.ts';

/** A message as a subscriber receives it. */
export interface PublishedMessage {
  /** The number of the message, from 1, as text. */
  id: string;
  /** The topic that the message was published to. */
  topic: ConsumedTopic;
  /** The encoded body. */
  data: Buffer;
  /** The message's attributes; empty for none. */
  attributes: Record<string, string>;
}

/** A publisher that keeps its messages. */
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
