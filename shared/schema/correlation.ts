// correlations/{labels}.{period}: the alerts of a period that have the same values in labels which triage.yaml names.
// Written by increments alone, so that any number of processes may add at the same time.

import * as z from 'zod';

/** An alert beside another one. */
export const relatedAlertSchema = z.strictObject({
  /** The session that it opened, or that it joined. */
  sessionId: z.string().min(1),
  /** Without secrets, as are all other texts here. */
  title: z.string().min(1),
  severity: z.string().nullable(),
  /** When it began; null when its source does not say. */
  startedAt: z.date().nullable(),
  /** When its message was published. */
  at: z.date(),
});
/** An alert beside another one. */
export type RelatedAlert = z.infer<typeof relatedAlertSchema>;

/** Under which keys alerts are found that share labels with one. */
export const correlationKeysSchema = z.strictObject({
  keys: z.array(z.strictObject({ id: z.string().min(1), windowMs: z.int().positive() })),
  at: z.date(),
});
/** Under which keys alerts are found that share labels with one, and when it was published. */
export type CorrelationKeys = z.infer<typeof correlationKeysSchema>;

/** Alerts that share labels, as they are stored. */
export const correlationSchema = z.strictObject({
  tenantId: z.string().min(1),
  /** Number of alerts. One that is delivered again may count again. */
  count: z.int().nonnegative(),
  alerts: z.array(relatedAlertSchema),
  expireAt: z.date(),
});
/** Alerts of a period that share labels. */
export type Correlation = z.infer<typeof correlationSchema>;
