// sessions/{sessionId}/interactions/{executionId}.{iteration}[.kind]: one record per model call, for debugging.
// It holds sizes and outcomes; the texts are in messages and timeline.

import * as z from 'zod';
import { failureSchema, tokenUsageSchema } from './common.ts';

const INTERACTION_TYPES = [
  'iteration',
  'forced_conclusion',
  'synthesis',
  'single_call',
  'executive_summary',
  'summarization',
] as const;

/** The record of one model call. */
export const interactionSchema = z.strictObject({
  sessionId: z.string().min(1),
  executionId: z.string().min(1),
  iteration: z.int().positive(),
  interactionType: z.enum(INTERACTION_TYPES),
  /** The requested model, and the version that answered, if the provider named it. */
  model: z.string(),
  modelVersion: z.string().nullable(),
  messageCount: z.int().nonnegative(),
  /** UTF-8 bytes sent and received, of contents and parts. */
  requestBytes: z.int().nonnegative(),
  responseBytes: z.int().nonnegative(),
  toolCallCount: z.int().nonnegative(),
  codeExecutionCount: z.int().nonnegative(),
  groundingCount: z.int().nonnegative(),
  /** HTML of Google's search suggestions, for models with `storeSearchEntryPoint`. Untrusted markup: render it sandboxed only. */
  searchEntryPoint: z.string().nullable(),
  thinking: z.string().nullable(),
  tokens: tokenUsageSchema.nullable(),
  durationMs: z.int().nonnegative(),
  finishReason: z.string().nullable(),
  /** Number of attempts, and the error of each failed one. */
  attempts: z.int().positive(),
  attemptErrors: z.array(z.string()),
  failure: failureSchema.nullable(),
  expireAt: z.date(),
  createdAt: z.date(),
});
/** The record of one model call. */
export type Interaction = z.infer<typeof interactionSchema>;
