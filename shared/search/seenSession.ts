// The part of a session that names earlier sessions about the same alert, or a similar one.

import * as z from 'zod';
import { definePart } from '../core/schema/parts.ts';

/** An earlier session about the same alert, or a similar one. */
export const seenSessionSchema = z.strictObject({
  sessionId: z.string().min(1),
  /** The key of its entry in the knowledge base. */
  key: z.string().min(1),
  title: z.string().min(1),
  /** Its findings, without secrets, cut. */
  text: z.string(),
  endedAt: z.date(),
  /** Whether its alert had the same identity; otherwise the alert was only similar. */
  isSame: z.boolean(),
});
/** An earlier session about the same alert, or a similar one. */
export type SeenSession = z.infer<typeof seenSessionSchema>;

/** Sessions about the same alert, or a similar one, that had ended before: the most similar first. */
export const seenPart = definePart(
  'session',
  'knowledge',
  z.strictObject({ seenBefore: z.array(seenSessionSchema) }),
);
