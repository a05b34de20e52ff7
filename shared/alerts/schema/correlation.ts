// correlations/{labels}.{period}: the alerts of a period that have the same values in the labels that
// triage.yaml names. Written only by increments, so that any number of processes can add concurrently.

import * as z from 'zod';
import { defineCollection } from '../../core/schema/defineCollection.ts';
import { documentTitle, documentTitleSchema } from '../../core/schema/documentTitle.ts';
import { definePart } from '../../core/schema/parts.ts';

/** A related alert. */
export const relatedAlertSchema = z.strictObject({
  /** The session that it opened or joined. */
  sessionId: z.string().min(1),
  /** Without secrets, as are all other texts here. */
  title: z.string().min(1),
  severity: z.string().nullable(),
  /** When it started; null if its source does not state it. */
  startedAt: z.date().nullable(),
  /** When its message was published. */
  at: z.date(),
});
/** A related alert. */
export type RelatedAlert = z.infer<typeof relatedAlertSchema>;

/** The keys under which alerts that share labels are found. */
const correlationKeysSchema = z.strictObject({
  keys: z.array(z.strictObject({ id: z.string().min(1), windowMs: z.int().positive() })),
  at: z.date(),
});
/** The keys under which alerts that share labels are found, and when the alert was published. */
export type CorrelationKeys = z.infer<typeof correlationKeysSchema>;

/** The related alerts of a session. */
export const correlationPart = definePart(
  'session',
  'correlation',
  z.strictObject({
    /** The keys under which related alerts are noted. */
    keys: correlationKeysSchema.optional(),
    /** The alerts that were reported at about the same time, when its latest stage started: at most ten. */
    alsoFiring: z.array(relatedAlertSchema).optional(),
  }),
);

/** Alerts that share labels, as they are stored. */
export const correlationSchema = z.strictObject({
  /** Names the alert that was added last, for people (documentTitle.ts). */
  title: documentTitleSchema,
  tenantId: z.string().min(1),
  /** Number of alerts. A redelivered alert can be counted again. */
  count: z.int().nonnegative(),
  alerts: z.array(relatedAlertSchema),
  expireAt: z.date(),
});
/** Alerts of a period that share labels. */
export type Correlation = z.infer<typeof correlationSchema>;

/** The title of a correlation. @param alertTitle of the alert that is added. */
export const correlationTitle = (alertTitle: string): string =>
  documentTitle(`Same labels as: ${alertTitle}`);

export const correlationType = defineCollection({
  collection: 'correlations',
  name: 'correlation',
  version: 2,
  schema: correlationSchema,
  oldest: 1,
  // Version 1 had no title.
  upcast: ({ alerts, ...correlation }) => ({
    ...correlation,
    alerts,
    title: correlationTitle(z.array(relatedAlertSchema).parse(alerts).at(-1)?.title ?? 'no alert'),
  }),
  paths: { correlation: (id: string) => `correlations/${id}` },
  owner: 'tenant',
  erase: 'list',
  indexes: { fields: ['tenantId'] },
});
