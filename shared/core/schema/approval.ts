// approvals/{approvalId}: a tool call that waits for a person's decision.

import * as z from 'zod';
import { nameSchema } from './common.ts';
import { defineCollection } from './defineCollection.ts';

/**
 * The statuses of an approval. `expired`: there was no decision in time. `ended`: its execution ended before
 * a decision.
 */
const APPROVAL_STATUSES = ['pending', 'approved', 'denied', 'expired', 'ended'] as const;
/** The status of an approval. */
export type ApprovalStatus = (typeof APPROVAL_STATUSES)[number];

/**
 * approvals/{approvalId}: a tool call that runs only after approval. Changed once, in the batch that changes
 * its execution; the execution is authoritative, this document only shows the state.
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
  /** Of the decision, by the storing service (`core/contract/signatures.ts`); null without a person's. */
  signature: z.string().min(1).nullable(),
  reason: z.string().nullable(),
  expireAt: z.date(),
  createdAt: z.date(),
});
/** The approval of one tool call. */
export type Approval = z.infer<typeof approvalSchema>;

export const approvalType = defineCollection({
  collection: 'approvals',
  name: 'approval',
  version: 2,
  schema: approvalSchema,
  oldest: 1,
  // Decisions of version 1 had no signature.
  upcast: (approval) => ({ ...approval, signature: null }),
  paths: { approvals: 'approvals', approval: (approvalId: string) => `approvals/${approvalId}` },
  owner: 'session',
  erase: 'field',
  indexes: { fields: ['status', 'sessionId'] },
});
