// sessions/{sessionId}: one investigation of one alert.

import * as z from 'zod';
import { asObject } from '../text/json.ts';
import { chainSnapshotSchema } from './agent.ts';
import { failureSchema, TERMINAL_STATUSES, tokenUsageSchema } from './common.ts';
import type { Upcaster } from './documentType.ts';

/** The tenant of sessions that name none. */
export const DEFAULT_TENANT = 'default';

/** An alert as its adapter understood it. The body as it came is in sessions/{id}/alertBody/{n}. */
export const alertSchema = z.strictObject({
  /** Which adapter read it: `alertmanager`, `cloud-monitoring`, `json`, `text`. */
  source: z.string().min(1),
  title: z.string().min(1),
  status: z.enum(['firing', 'resolved', 'unknown']),
  severity: z.string().nullable(),
  /** What identifies the alert at its source (fingerprint, incident id); null when the source gives nothing. */
  identity: z.string().nullable(),
  summary: z.string().nullable(),
  /** Link to the alert at its source. */
  url: z.string().nullable(),
  /** Link to what people do about such an alert. */
  runbookUrl: z.string().nullable(),
  startedAt: z.date().nullable(),
  labels: z.record(z.string(), z.string()),
  bodyBytes: z.int().nonnegative(),
});
export type Alert = z.infer<typeof alertSchema>;

export const sessionSchema = z.strictObject({
  sessionId: z.string().min(1),
  tenantId: z.string().min(1),
  /** Who asked; null for sessions that an alert opened. */
  userId: z.string().min(1).nullable(),
  kind: z.enum(['investigation', 'chat']),
  /** `deferred`: stored, but not accepted yet: nothing runs and nothing looks after it. */
  status: z.enum(['deferred', 'in_progress', 'cancelling', ...TERMINAL_STATUSES]),
  /** Null for a session that began with a question. */
  alert: alertSchema.nullable(),
  /** The alert as the agents are shown it: cut at a limit and framed as data. Null with `alert`. */
  alertText: z.string().min(1).nullable(),
  chain: chainSnapshotSchema,
  currentStageId: z.string().min(1),
  /** A stage that runs beside the session's own end: the answer to a question. */
  openStage: z
    .strictObject({ stageId: z.string().min(1), deadline: z.date(), cancelling: z.boolean() })
    .nullable(),
  finalAnalysis: z.string().nullable(),
  executiveSummary: z.string().nullable(),
  /** What is known without a whole analysis, and why there is none. */
  partial: z.strictObject({ reason: z.string().min(1), text: z.string() }).nullable(),
  /** Totals of the executions that have ended. */
  tokens: tokenUsageSchema,
  failure: failureSchema.nullable(),
  /** Past this moment the session is ended as `timed_out`. */
  deadline: z.date(),
  /** Firestore's TTL policy deletes the session after this moment, and each document below it, which carries the same. */
  expireAt: z.date(),
  /** W3C trace context of the alert's message, if it had one. */
  traceparent: z.string().nullable(),
  createdAt: z.date(),
  endedAt: z.date().nullable(),
});
export type Session = z.infer<typeof sessionSchema>;

export const sessionUpcasters: Record<number, Upcaster> = {
  // Version 1 knew neither tenants nor chats nor links to runbooks.
  1: (session) => ({
    ...session,
    alert: { ...asObject(session.alert), runbookUrl: null },
    tenantId: DEFAULT_TENANT,
    userId: null,
    kind: 'investigation',
    openStage: null,
    partial: null,
  }),
};

/** sessions/{sessionId}/alertBody/{n}: the alert as it came, in pieces that fit a document. */
export const alertBodySchema = z.strictObject({
  sessionId: z.string().min(1),
  part: z.int().positive(),
  text: z.string(),
  expireAt: z.date(),
});
export type AlertBody = z.infer<typeof alertBodySchema>;
