// sessions/{sessionId}/work/{n}: actions of people about a session, each entry once, in order.

import * as z from 'zod';
import { BELOW_SESSION, defineCollection } from '../../core/schema/defineCollection.ts';
import { pad } from '../../core/schema/ids.ts';
import { reviewSchema } from '../../search/review.ts';

/** The execution id of events about the work of people. Their numbers are those of the entries. */
export const WORK_EVENTS = 'work';

/**
 * The kinds of entries. `claim`: a person works on it. `release`: that person no longer does. `note`: a
 * remark. `action`: a change that a person made outside of Inquest. `resolve`: the problem is solved.
 * `review`: a rating of the analysis.
 */
export const WORK_KINDS = ['claim', 'release', 'note', 'action', 'resolve', 'review'] as const;
/** The kind of an entry. */
export type WorkKind = (typeof WORK_KINDS)[number];

/** The most entries of a session. */
export const MAX_WORK = 500;

/** The most characters of a text that a person gives. The stored text is masked, so it can be longer. */
export const MAX_WORK_TEXT = 10_000;
const text = z.string().min(1);

/** An entry. Entries are never changed. */
export const workSchema = z.strictObject({
  sessionId: z.string().min(1),
  /** From 1, without gaps. */
  number: z.int().positive(),
  kind: z.enum(WORK_KINDS),
  /** Null where the kind needs none. */
  text: text.nullable(),
  /** Only of a `review`. */
  review: reviewSchema.nullable(),
  /** Name of the person. */
  by: z.string().min(1),
  expireAt: z.date(),
  createdAt: z.date(),
});
/** An entry. */
export type WorkEntry = z.infer<typeof workSchema>;

export const workType = defineCollection({
  collection: 'work',
  name: 'work',
  version: 2,
  schema: workSchema,
  paths: {
    allWork: (sessionId: string) => `sessions/${sessionId}/work`,
    work: (sessionId: string, number: number) => `sessions/${sessionId}/work/${pad(number, 4)}`,
  },
  ...BELOW_SESSION,
});
