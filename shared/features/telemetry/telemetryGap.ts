// sessions/{sessionId}/telemetry/{reason}: the work of the sweep for the telemetry of a session: exports
// spans that possibly were not exported, and counts ended parts. `counted` is the record of it.

import * as z from 'zod';
import { openSet } from '../../core/schema/common.ts';
import { BELOW_SESSION, defineCollection } from '../../core/schema/defineCollection.ts';

/**
 * `ended`: the session or a question has ended. `delivered`: a message was sent or given up. `failed`: a
 * request with spans failed. `interrupted`: a process died, or could have. `counted`: the parts of the
 * session that the metrics contain.
 */
export type GapReason = 'ended' | 'delivered' | 'failed' | 'interrupted' | 'counted';

/** A gap as it is stored. */
const telemetryGapSchema = z.strictObject({
  sessionId: z.string().min(1),
  reason: openSet<GapReason>(),
  /** From when on the sweep handles it; null for `counted`. */
  dueAt: z.date().nullable(),
  /** Whether the spans were exported, or are not to be, so that only metrics are missing. */
  isExported: z.boolean(),
  /** Only of `counted`: whether metrics contain the session, and ids of its counted parts. */
  counted: z
    .strictObject({ session: z.boolean(), executions: z.array(z.string()), deliveries: z.array(z.string()) })
    .nullable(),
  createdAt: z.date(),
  expireAt: z.date(),
});
/** A gap, or the record of the counted parts. */
export type TelemetryGap = z.infer<typeof telemetryGapSchema>;

export const telemetryGapType = defineCollection({
  collection: 'telemetry',
  name: 'telemetryGap',
  schema: telemetryGapSchema,
  paths: { telemetryGap: (sessionId: string, reason: string) => `sessions/${sessionId}/telemetry/${reason}` },
  ...BELOW_SESSION,
  indexes: { group: ['dueAt'] },
});
