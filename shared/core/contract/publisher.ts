// The publisher port: publishes messages to the topics of the system.

/** Deliveries of an iteration's message until it is a dead letter, also in replays, evaluations, tests. */
export const MAX_DELIVERIES = 8;

/** The topics of the system. */
export const TOPICS = {
  alerts: 'alerts',
  /** Alerts that could not be handled. No function reads it: people do. */
  alertsDead: 'alerts-dead',
  iterations: 'iterations',
  iterationsDead: 'iterations-dead',
  /** Messages about sessions that are due at a destination. */
  deliveries: 'deliveries',
  /** Changes of resources, from log sinks, feeds and webhooks. */
  changes: 'changes',
} as const;
/** The name of a topic. */
export type Topic = (typeof TOPICS)[keyof typeof TOPICS];
/** A topic whose messages a function gets. To the other topics only Pub/Sub publishes. */
export type ConsumedTopic = Exclude<Topic, typeof TOPICS.alertsDead>;

/** Publishes messages. */
export interface Publisher {
  /**
   * Resolves with the message's id when the broker has accepted it. Bytes are sent as they are, anything else
   * as JSON.
   * @throws RetryableError `PUBLISH_FAILED`.
   */
  publish(topic: ConsumedTopic, data: unknown, attributes: Record<string, string>): Promise<string>;
  /** Loads the client in advance, to save time at the first publish. Optional; never fails. */
  warm(): void;
  /** Releases connections. */
  close(): Promise<void>;
}
