// canaries/{topic}: the test alert that the sweep publishes every hour, and its arrival.

import * as z from 'zod';
import { defineCollection } from '../../core/schema/defineCollection.ts';

/** The canary as it is stored. */
const canarySchema = z.strictObject({
  /** Identifies canaries of this installation; never changes. 32 hexadecimal digits. */
  token: z.string().min(1),
  /** When the sweep published the first one. */
  since: z.date(),
  /** When the sweep published the last one. */
  sentAt: z.date(),
  /** `sentAt` of the last one that arrived; null before the first. */
  arrivedSentAt: z.date().nullable(),
  /** When it arrived; null before the first. */
  arrivedAt: z.date().nullable(),
  expireAt: z.date(),
});
/** The canary of a topic. */
export type Canary = z.infer<typeof canarySchema>;

export const canaryType = defineCollection({
  collection: 'canaries',
  name: 'canary',
  schema: canarySchema,
  paths: { canary: (topic: string) => `canaries/${topic}` },
  owner: 'operators',
  erase: { none: 'the test alert of the installation' },
});
