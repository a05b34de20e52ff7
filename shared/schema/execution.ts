// sessions/{sessionId}/executions/{executionId}: one agent's run and all the state an iteration needs to go on.

import * as z from 'zod';
import { agentSnapshotSchema } from './agent.ts';
import { failureSchema, TERMINAL_STATUSES, tokenUsageSchema } from './common.ts';
import type { Upcaster } from './documentType.ts';

/** Who works on the execution now. The holder renews `until` while it lives; past it anybody may take over. */
export const leaseSchema = z.strictObject({ holder: z.string().min(1), until: z.date() });
export type Lease = z.infer<typeof leaseSchema>;

/**
 * A tool call the model asked for in the current iteration. Its arguments stand in the assistant message.
 * The sequence numbers of its result are reserved when the answer is stored, so that results may be
 * committed in any order and the timeline still reads call, result, call, result.
 */
export const pendingCallSchema = z.strictObject({
  /** Position in the answer, from 0; last part of the idempotency key. */
  index: z.int().nonnegative(),
  callId: z.string().min(1),
  /** `server.tool`. */
  name: z.string(),
  /** Whether the call may be repeated after a crash (MCP `readOnlyHint`, or configured so). */
  readOnly: z.boolean(),
  state: z.enum(['requested', 'running', 'done', 'failed', 'unknown']),
  resultEvent: z.int().positive(),
  resultMessage: z.int().positive(),
});
export type PendingCall = z.infer<typeof pendingCallSchema>;

export const executionSchema = z.strictObject({
  sessionId: z.string().min(1),
  stageId: z.string().min(1),
  executionId: z.string().min(1),
  agent: agentSnapshotSchema,
  status: z.enum(['pending', 'active', ...TERMINAL_STATUSES]),
  /** The iteration that is to run or is running, from 1. `maxIterations + 1` is the forced conclusion. */
  iteration: z.int().positive(),
  /** Highest iteration whose message is known to have been delivered. Below `iteration`: the successor may never have been published. */
  publishedIteration: z.int().nonnegative(),
  lease: leaseSchema.nullable(),
  /** The iteration is not to start before: what failed asked for a pause. */
  notBefore: z.date().nullable(),
  /** Calls of the stored answer of this iteration; empty while the model has not answered it. */
  pendingCalls: z.array(pendingCallSchema),
  /** Last event and message numbers that are taken or reserved. */
  lastEvent: z.int().nonnegative(),
  lastMessage: z.int().nonnegative(),
  lastInteractionFailed: z.boolean(),
  lastErrorMessage: z.string().nullable(),
  consecutiveTimeouts: z.int().nonnegative(),
  tokens: tokenUsageSchema,
  deadline: z.date(),
  expireAt: z.date(),
  failure: failureSchema.nullable(),
  finalAnalysis: z.string().nullable(),
  traceparent: z.string().nullable(),
  createdAt: z.date(),
  startedAt: z.date().nullable(),
  endedAt: z.date().nullable(),
});
export type Execution = z.infer<typeof executionSchema>;

export const executionUpcasters: Record<number, Upcaster> = {
  // Version 1 had a flag for cancellations that nothing ever set.
  1: ({ cancelRequested: _, ...kept }) => kept,
};
