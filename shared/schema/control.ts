// What people do to a session while it runs: watch and pause it, guide its agents, decide about a call, rate an analysis.

import * as z from 'zod';

/** sessions/{sessionId}/control/state: read together with an execution; changes also after the session has ended. */
export const controlSchema = z.strictObject({
  sessionId: z.string().min(1),
  /** Until when a reader follows the session live; null when none does. */
  watchedUntil: z.date().nullable(),
  paused: z.boolean(),
  /** How many guidance documents there are. */
  guidance: z.int().nonnegative(),
  expireAt: z.date(),
});
export type Control = z.infer<typeof controlSchema>;

/** sessions/{sessionId}/guidance/{n}: what a person wants the agents to know. */
export const guidanceSchema = z.strictObject({
  sessionId: z.string().min(1),
  number: z.int().positive(),
  text: z.string().min(1),
  givenBy: z.string().min(1),
  expireAt: z.date(),
  createdAt: z.date(),
});
export type Guidance = z.infer<typeof guidanceSchema>;

/** sessions/{sessionId}/approvals/{approvalId}: a call that runs only if a person allows it. */
export const approvalSchema = z.strictObject({
  sessionId: z.string().min(1),
  executionId: z.string().min(1),
  approvalId: z.string().min(1),
  callId: z.string().min(1),
  /** `server.tool` and its arguments (JSON text), as they will run. */
  toolName: z.string().min(1),
  arguments: z.string(),
  status: z.enum(['pending', 'approved', 'denied', 'expired', 'ended']),
  /** Past this moment nothing can be decided any more. */
  until: z.date(),
  decidedBy: z.string().min(1).nullable(),
  decidedAt: z.date().nullable(),
  reason: z.string().nullable(),
  expireAt: z.date(),
  createdAt: z.date(),
});
export type Approval = z.infer<typeof approvalSchema>;

/** sessions/{sessionId}/feedback/{id}: what a reader thought of the analysis. */
export const feedbackSchema = z.strictObject({
  sessionId: z.string().min(1),
  verdict: z.enum(['helpful', 'not_helpful']),
  comment: z.string().nullable(),
  givenBy: z.string().min(1),
  expireAt: z.date(),
  createdAt: z.date(),
});
export type Feedback = z.infer<typeof feedbackSchema>;
