// The alert of a session: a part of it, and its original body.

import * as z from 'zod';
import { BELOW_SESSION, defineCollection } from '../../core/schema/defineCollection.ts';
import { pad } from '../../core/schema/ids.ts';
import { definePart, readPart, type WithParts } from '../../core/schema/parts.ts';

/** The execution id of events about later reports of the alert's source. They have their own numbers. */
export const ALERT_EVENTS = 'alerts';

/** The state of an alert: `acknowledged` if people know it, `test` for a test of its source. */
export const ALERT_STATUSES = ['firing', 'resolved', 'acknowledged', 'test', 'unknown'] as const;
const alertStatusSchema = z.enum(ALERT_STATUSES);

/** A page about an alert. */
const alertLinkSchema = z.strictObject({ title: z.string().min(1), url: z.string().min(1) });
/** A page about an alert. */
export type AlertLink = z.infer<typeof alertLinkSchema>;

/** One alert of a group. */
const alertMemberSchema = z.strictObject({
  title: z.string().min(1),
  status: alertStatusSchema,
  severity: z.string().nullable(),
  /** The same in all messages about this alert of the group; null if the source provides none. */
  identity: z.string().nullable(),
  startedAt: z.date().nullable(),
});
/** One alert of a group. */
export type AlertMember = z.infer<typeof alertMemberSchema>;

/** An alert as its adapter parsed it. The original body is in sessions/{id}/alertBody/{n}. */
export const alertSchema = z.strictObject({
  /** The adapter that parsed it: `alertmanager`, `json`; see `ALERT_SOURCES`. */
  source: z.string().min(1),
  title: z.string().min(1),
  status: alertStatusSchema,
  severity: z.string().nullable(),
  /** The alert's identity at its source (fingerprint, incident id); null if the source provides none. */
  identity: z.string().nullable(),
  summary: z.string().nullable(),
  /** Link to the alert at its source. */
  url: z.string().nullable(),
  /** Link to the team's instructions for such an alert. */
  runbookUrl: z.string().nullable(),
  /** Further pages about it, such as dashboards: at most ten. */
  links: z.array(alertLinkSchema),
  startedAt: z.date().nullable(),
  labels: z.record(z.string(), z.string()),
  /** The alerts of a group, at most the first 30; empty for a single alert. */
  members: z.array(alertMemberSchema),
  bodyBytes: z.int().nonnegative(),
  /** Number of secrets that were masked in its body. */
  masked: z.int().nonnegative(),
});
/** An alert as its adapter parsed it. */
export type Alert = z.infer<typeof alertSchema>;

/** The alert as its adapter parsed it. A session that a question opened has none. */
export const alertPart = definePart('session', 'alert', alertSchema);

/** The alert of a session; null without one, and without a session. */
export const readSessionAlert = (session: WithParts | undefined): Alert | null =>
  (session && readPart(alertPart, session)) ?? null;

/** sessions/{sessionId}/alertBody/{n}: the original alert, in pieces that fit a document. */
export const alertBodySchema = z.strictObject({
  sessionId: z.string().min(1),
  part: z.int().positive(),
  text: z.string(),
  expireAt: z.date(),
});
/** A piece of an alert's original body. */
export type AlertBody = z.infer<typeof alertBodySchema>;

export const alertBodyType = defineCollection({
  collection: 'alertBody',
  name: 'alertBody',
  schema: alertBodySchema,
  paths: {
    alertBodies: (sessionId: string) => `sessions/${sessionId}/alertBody`,
    alertBody: (sessionId: string, part: number) => `sessions/${sessionId}/alertBody/${pad(part, 3)}`,
  },
  ...BELOW_SESSION,
});
