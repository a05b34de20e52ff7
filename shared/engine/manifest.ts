// What an engine needs on Google Cloud, for those who deploy it.

import { MAX_DELIVERIES } from '../core/contract/publisher.ts';
import { TerminalError } from '../core/errors.ts';
import { ENGINE_COLLECTIONS, ENGINE_PARTS } from '../lists/engineFeatures.ts';
import { describeIndexes, type FirestoreIndexes } from '../lists/indexes.ts';
import type { Queue } from './queue.ts';

/** Seconds of the longest call of a function that an event triggers, and of the longest acknowledgement. */
const LONGEST_CALL_SECONDS = 540;
const LONGEST_ACK_SECONDS = 600;

/** Topics, subscriptions, schedule, time limits, rights and indexes. `JSON.stringify` it for Terraform. */
export interface EngineManifest {
  /** The topics to create, by their ids. */
  topics: readonly string[];
  /** The push subscriptions, each to the function that is its handler. */
  subscriptions: readonly {
    topic: string;
    handler: 'work' | 'bury';
    /** Seconds until Cloud Run ends a call, and until Pub/Sub delivers a message again. */
    timeoutSeconds: number;
    ackDeadlineSeconds: number;
    /** Where messages go after this number of deliveries; null: they are delivered until they expire. */
    deadLetters: { topic: string; maxDeliveryAttempts: number } | null;
  }[];
  /** The schedule, which calls its handler by HTTP POST. */
  schedule: { handler: 'sweep'; everySeconds: number; timeoutSeconds: number };
  /** Roles of the service account in the project, and the topics that it publishes to. */
  rights: { roles: readonly string[]; publishes: readonly string[] };
  /** Indexes and TTL policies of the database, as a firestore.indexes.json has them. */
  indexes: FirestoreIndexes;
}

/** The manifest. @throws TerminalError `CONFIG_INVALID` for a queue without a topic. */
export function describeDeployment({ topic }: Pick<Queue, 'topic'>): EngineManifest {
  if (topic === null)
    throw new TerminalError('CONFIG_INVALID', 'manifest: the queue has no topic; use pubsub(topic)');
  const dead = `${topic}-dead`;
  return {
    topics: [topic, dead],
    subscriptions: [
      {
        topic,
        handler: 'work',
        timeoutSeconds: LONGEST_CALL_SECONDS,
        ackDeadlineSeconds: LONGEST_ACK_SECONDS,
        deadLetters: { topic: dead, maxDeliveryAttempts: MAX_DELIVERIES },
      },
      {
        topic: dead,
        handler: 'bury',
        timeoutSeconds: 60,
        ackDeadlineSeconds: LONGEST_ACK_SECONDS,
        deadLetters: null,
      },
    ],
    schedule: { handler: 'sweep', everySeconds: 60, timeoutSeconds: 300 },
    rights: { roles: ['roles/datastore.user'], publishes: [topic] },
    indexes: describeIndexes(ENGINE_COLLECTIONS, ENGINE_PARTS),
  };
}
