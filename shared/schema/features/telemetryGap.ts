// sessions/{sessionId}/telemetry/{reason}: spans of the session possibly were not exported; the sweep exports them.

import * as z from 'zod';
import { openSet } from '../common.ts';

/** A gap as it is stored. */
export const telemetryGapSchema = z.strictObject({
  sessionId: z.string().min(1),
  reason: openSet<'ended' | 'failed' | 'interrupted'>(),
  /** From when on the sweep exports the session. */
  dueAt: z.date(),
  createdAt: z.date(),
  expireAt: z.date(),
});
