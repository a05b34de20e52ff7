// User input to a session: watching, pausing, guidance and feedback.

import * as z from 'zod';
import { BELOW_SESSION, defineCollection } from './defineCollection.ts';
import { pad } from './ids.ts';

/** sessions/{sessionId}/control/state: read with an execution. It can change after the session's end. */
export const controlSchema = z.strictObject({
  sessionId: z.string().min(1),
  /** The time until which a user watches the session; null without a watcher. */
  watchedUntil: z.date().nullable(),
  paused: z.boolean(),
  /** Number of guidance documents. */
  guidance: z.int().nonnegative(),
  expireAt: z.date(),
});
/** The watch and pause state of a session. */
export type Control = z.infer<typeof controlSchema>;

/** sessions/{sessionId}/guidance/{n}: information from a user for the agents. */
export const guidanceSchema = z.strictObject({
  sessionId: z.string().min(1),
  number: z.int().positive(),
  text: z.string().min(1),
  givenBy: z.string().min(1),
  expireAt: z.date(),
  createdAt: z.date(),
});
/** Information from a user for the agents. */
export type Guidance = z.infer<typeof guidanceSchema>;

/** sessions/{sessionId}/feedback/{id}: a user's rating of the analysis. */
export const feedbackSchema = z.strictObject({
  sessionId: z.string().min(1),
  verdict: z.enum(['helpful', 'not_helpful']),
  comment: z.string().nullable(),
  givenBy: z.string().min(1),
  expireAt: z.date(),
  createdAt: z.date(),
});
/** A user's rating of the analysis. */
export type Feedback = z.infer<typeof feedbackSchema>;

export const controlType = defineCollection({
  collection: 'control',
  name: 'control',
  schema: controlSchema,
  paths: { control: (sessionId: string) => `sessions/${sessionId}/control/state` },
  ...BELOW_SESSION,
});

export const guidanceType = defineCollection({
  collection: 'guidance',
  name: 'guidance',
  schema: guidanceSchema,
  paths: {
    allGuidance: (sessionId: string) => `sessions/${sessionId}/guidance`,
    guidance: (sessionId: string, number: number) => `sessions/${sessionId}/guidance/${pad(number, 4)}`,
  },
  ...BELOW_SESSION,
});

export const feedbackType = defineCollection({
  collection: 'feedback',
  name: 'feedback',
  schema: feedbackSchema,
  paths: {
    feedback: (sessionId: string, feedbackId: string) => `sessions/${sessionId}/feedback/${feedbackId}`,
  },
  ...BELOW_SESSION,
});
