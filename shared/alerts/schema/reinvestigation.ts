// The part of a session that investigates a problem again, because it still fires.

import * as z from 'zod';
import { definePart } from '../../core/schema/parts.ts';

/** The previous session of a problem that has not been resolved since. */
const reinvestigatedSchema = z.strictObject({
  sessionId: z.string().min(1),
  endedAt: z.date(),
  /** Its findings, masked and cut; the record of its work without an analysis. Null without either. */
  text: z.string().min(1).nullable(),
  /** Whether `text` is an analysis. */
  isAnalysis: z.boolean(),
});
/** The previous session of a problem that has not been resolved since. */
export type Reinvestigated = z.infer<typeof reinvestigatedSchema>;

/** The session that this one investigates again. */
export const reinvestigationPart = definePart('session', 'reinvestigation', reinvestigatedSchema);
