// droppedAlerts/{day}.{rule}.{tenant}: a rule of triage.yaml has dropped alerts of a tenant within a day.
// Written once, with the first of them: the alerts are counted by their fates.

import * as z from 'zod';
import { defineCollection } from '../../core/schema/defineCollection.ts';

const droppedAlertSchema = z.strictObject({
  messageId: z.string().min(1),
  /** The adapter that read it. */
  source: z.string().min(1),
  /** Without secrets. */
  title: z.string().min(1),
  at: z.date(),
});

/** Dropped alerts as they are stored. */
export const droppedAlertsSchema = z.strictObject({
  /** Null in documents of version 1, which counted the alerts of all tenants together. */
  tenantId: z.string().min(1).nullable(),
  /** The name of the rule; `default` if no rule matched. */
  rule: z.string().min(1),
  /** In UTC: `2026-11-05`. */
  day: z.string().min(1),
  /** Number of alerts, in documents of version 1; later ones have none. */
  count: z.int().nonnegative(),
  /** Why the first alert was dropped, for people. */
  text: z.string().min(1),
  /** The first alerts, in documents of version 1; in later ones the first alert, which is also `last`. */
  examples: z.array(droppedAlertSchema),
  last: droppedAlertSchema,
  expireAt: z.date(),
});
/** Alerts that a rule dropped within a day. */
export type DroppedAlerts = z.infer<typeof droppedAlertsSchema>;

export const droppedAlertsType = defineCollection({
  collection: 'droppedAlerts',
  name: 'droppedAlerts',
  version: 2,
  schema: droppedAlertsSchema,
  oldest: 1,
  upcast: (dropped) => ({ ...dropped, tenantId: null }),
  paths: {
    droppedAlerts: 'droppedAlerts',
    droppedAlertsOf: (day: string, rule: string, tenantId: string) =>
      `droppedAlerts/${day}.${rule}.${tenantId}`,
  },
  // Counts and error codes of a tenant's rejected alerts. They expire within days.
  owner: 'operators',
  erase: 'tenant',
});
