// The publisher port: hand a message to a topic and know that it was taken.

export const TOPICS = {
  alerts: 'alerts',
  iterations: 'iterations',
  iterationsDead: 'iterations-dead',
} as const;
export type Topic = (typeof TOPICS)[keyof typeof TOPICS];

export interface Publisher {
  /**
   * Resolves when the broker has taken the message. `data` is sent as JSON.
   * @throws RetryableError `PUBLISH_FAILED`.
   */
  publish(topic: Topic, data: unknown, attributes: Record<string, string>): Promise<void>;
  close(): Promise<void>;
}
