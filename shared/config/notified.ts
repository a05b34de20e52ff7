// The destinations of a session.

import * as z from 'zod';
import { nameSchema } from '../core/schema/common.ts';
import { definePart, readPart, type WithParts } from '../core/schema/parts.ts';

/** The destinations of a session, and the events that each of them gets. */
const notifySchema = z.strictObject({
  to: nameSchema,
  /** `opened`, `approval`, `ended`, `failed`, `deferred`, `rejected`: an open set. */
  when: z.array(z.string().min(1)),
  /** Milliseconds of a digest that lists the sessions of a period; null for a message at each event. */
  digestMs: z.int().positive().nullable(),
  /** The verdicts with which it gets messages about the end, `not_checked` among them. Absent: all. */
  verdict: z.array(z.string().min(1)).optional(),
});
/** A destination of a session, and the events that it gets. */
export type Notify = z.infer<typeof notifySchema>;

/** The destinations that get messages about a session; they never change. */
export const notifyPart = definePart(
  'session',
  'deliveries',
  z.strictObject({ notify: z.array(notifySchema) }),
);

/** The destinations of a session, and the events that each of them gets; empty without any. */
export const listNotified = (session: WithParts): Notify[] => readPart(notifyPart, session)?.notify ?? [];
