// The publisher port: hand a message to a topic and know that it was taken.

export const TOPICS = {
  alerts: 'alerts',
  iterations: 'iterations',
  iterationsDead: 'iterations-dead',
} as const;
export type Topic = (typeof TOPICS)[keyof typeof TOPICS];

export interface Publisher {
  /**
   * Resolves with the message's id when the broker has taken it. Bytes are sent as they are, anything else as JSON.
   * @throws RetryableError `PUBLISH_FAILED`.
   */
  publish(topic: Topic, data: unknown, attributes: Record<string, string>): Promise<string>;
  close(): Promise<void>;
}
