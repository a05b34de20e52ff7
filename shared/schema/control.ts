// User input to a session: watching, pausing, guidance, approvals and feedback.

import * as z from 'zod';
import { nameSchema } from './common.ts';

/** sessions/{sessionId}/control/state: read together with an execution. It can change after the session has ended. */
export const controlSchema = z.strictObject({
  sessionId: z.string().min(1),
  /** The time until which a user watches the session; null without a watcher. */
  watchedUntil: z.date().nullable(),
  paused: z.boolean(),
  /** Number of guidance documents. */
  guidance: z.int().nonnegative(),
  expireAt: z.date(),
});
/** The watch and pause state of a session. */
export type Control = z.infer<typeof controlSchema>;

/** sessions/{sessionId}/guidance/{n}: information from a user for the agents. */
export const guidanceSchema = z.strictObject({
  sessionId: z.string().min(1),
  number: z.int().positive(),
  text: z.string().min(1),
  givenBy: z.string().min(1),
  expireAt: z.date(),
  createdAt: z.date(),
});
/** Information from a user for the agents. */
export type Guidance = z.infer<typeof guidanceSchema>;

/**
 * The statuses of an approval. `expired`: there was no decision in time. `ended`: its execution ended before a
 * decision.
 */
const APPROVAL_STATUSES = ['pending', 'approved', 'denied', 'expired', 'ended'] as const;
/** The status of an approval. */
export type ApprovalStatus = (typeof APPROVAL_STATUSES)[number];

/**
 * approvals/{approvalId}: a tool call that runs only after approval. Changed once, in the batch that changes its
 * execution; the execution is authoritative, this document only shows the state.
 */
export const approvalSchema = z.strictObject({
  approvalId: z.string().min(1),
  sessionId: z.string().min(1),
  executionId: z.string().min(1),
  agentName: nameSchema,
  callId: z.string().min(1),
  /** `server.tool` and its arguments (JSON text), as they will run. */
  toolName: z.string().min(1),
  arguments: z.string(),
  status: z.enum(APPROVAL_STATUSES),
  /** When the approval expires. */
  until: z.date(),
  decidedBy: z.string().min(1).nullable(),
  decidedAt: z.date().nullable(),
  reason: z.string().nullable(),
  expireAt: z.date(),
  createdAt: z.date(),
});
/** The approval of one tool call. */
export type Approval = z.infer<typeof approvalSchema>;

/** sessions/{sessionId}/feedback/{id}: a user's rating of the analysis. */
export const feedbackSchema = z.strictObject({
  sessionId: z.string().min(1),
  verdict: z.enum(['helpful', 'not_helpful']),
  comment: z.string().nullable(),
  givenBy: z.string().min(1),
  expireAt: z.date(),
  createdAt: z.date(),
});
/** A user's rating of the analysis. */
export type Feedback = z.infer<typeof feedbackSchema>;
