// sessions/{sessionId}: one investigation of one alert.

import * as z from 'zod';
import { chainSnapshotSchema } from './agent.ts';
import { failureSchema, TERMINAL_STATUSES, tokenUsageSchema } from './common.ts';

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
  startedAt: z.date().nullable(),
  labels: z.record(z.string(), z.string()),
  bodyBytes: z.int().nonnegative(),
});
export type Alert = z.infer<typeof alertSchema>;

export const sessionSchema = z.strictObject({
  sessionId: z.string().min(1),
  status: z.enum(['in_progress', 'cancelling', ...TERMINAL_STATUSES]),
  alert: alertSchema,
  /** The alert as the agents are shown it: cut at a limit and framed as data. */
  alertText: z.string().min(1),
  chain: chainSnapshotSchema,
  currentStageId: z.string().min(1),
  finalAnalysis: z.string().nullable(),
  executiveSummary: z.string().nullable(),
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

/** sessions/{sessionId}/alertBody/{n}: the alert as it came, in pieces that fit a document. */
export const alertBodySchema = z.strictObject({
  sessionId: z.string().min(1),
  part: z.int().positive(),
  text: z.string(),
  expireAt: z.date(),
});
export type AlertBody = z.infer<typeof alertBodySchema>;
