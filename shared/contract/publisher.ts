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
  /** Loads what publishing needs, while something else is waited for. Never needed, never fails. */
  warm(): void;
  close(): Promise<void>;
}
