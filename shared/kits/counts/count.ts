// Counts of ended sessions for reports. The sweep adds a session to the counts of its tenant and day, each
// session once, and again by the difference when it has changed.

import * as z from 'zod';
import { putDocument, type Write } from '../../core/contract/store.ts';
import { BELOW_SESSION, defineCollection } from '../../core/schema/defineCollection.ts';
import type { CountRow } from '../../evidence/countRow.ts';

/** The groupings of a usage report. */
export const USAGE_GROUPINGS = ['day', 'chain', 'agent', 'model', 'tool'] as const;
/** A grouping of a usage report. */
export type UsageGrouping = (typeof USAGE_GROUPINGS)[number];
/** The groupings of counts: `review` and `score` are for the calibration report. */
export const COUNTED_BY = [...USAGE_GROUPINGS, 'review', 'score'] as const;
/** The rows of a session, or of many, by grouping. */
export type Counts = { [by in (typeof COUNTED_BY)[number]]?: CountRow[] };

const rowsSchema = z.array(
  z.strictObject({ key: z.string(), sums: z.record(z.string(), z.number()) }),
) satisfies z.ZodType<CountRow[]>;

/** sessions/{sessionId}/sessionCounts/{due|counted}: a session to count, and its counted rows. */
const sessionCountSchema = z.strictObject({
  sessionId: z.string().min(1),
  /** When the sweep counts it; null in `counted`, and after it was counted. */
  dueAt: z.date().nullable(),
  /** The rows that the counts contain; null in `due`. */
  counted: z.partialRecord(z.enum(COUNTED_BY), rowsSchema).nullable(),
  expireAt: z.date(),
});

export const sessionCountType = defineCollection({
  collection: 'sessionCounts',
  name: 'sessionCount',
  schema: sessionCountSchema,
  paths: {
    sessionCount: (sessionId: string, part: 'due' | 'counted') =>
      `sessions/${sessionId}/sessionCounts/${part}`,
  },
  ...BELOW_SESSION,
  indexes: { group: ['dueAt'] },
});

/** dayCounts/{tenantId}.{by}.{day}: the sums of the sessions of a tenant that were opened on a day. */
const dayCountSchema = z.strictObject({
  tenantId: z.string().min(1),
  rows: rowsSchema,
  /** When the first session was counted. */
  createdAt: z.date(),
  expireAt: z.date(),
});

export const dayCountType = defineCollection({
  collection: 'dayCounts',
  name: 'dayCount',
  schema: dayCountSchema,
  paths: {
    dayCounts: 'dayCounts',
    dayCount: (tenantId: string, by: keyof Counts, day: string) => `dayCounts/${tenantId}.${by}.${day}`,
  },
  owner: 'tenant',
  erase: 'tenant',
});

/**
 * The write that has a session counted, or counted again. It belongs to the batch that changes the session.
 */
export function countAgain({ sessionId, expireAt }: { sessionId: string; expireAt: Date }, now: Date): Write {
  const due = { sessionId, dueAt: now, counted: null, expireAt };
  return putDocument(sessionCountType.paths.sessionCount(sessionId, 'due'), sessionCountType, due);
}
