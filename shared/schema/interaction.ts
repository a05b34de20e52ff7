// sessions/{sessionId}/interactions/{executionId}.{iteration}[.kind]: one record per model call, for debugging.
// It holds sizes and outcomes; what was said stands in messages and timeline.

import * as z from 'zod';
import { failureSchema, tokenUsageSchema } from './common.ts';

export const INTERACTION_TYPES = [
  'iteration',
  'forced_conclusion',
  'synthesis',
  'single_call',
  'executive_summary',
  'summarization',
] as const;

export const interactionSchema = z.strictObject({
  sessionId: z.string().min(1),
  executionId: z.string().min(1),
  iteration: z.int().positive(),
  interactionType: z.enum(INTERACTION_TYPES),
  /** The model asked for, and the version that answered, when it said so. */
  model: z.string(),
  modelVersion: z.string().nullable(),
  messageCount: z.int().nonnegative(),
  /** UTF-8 bytes of the contents sent and of the parts received. */
  requestBytes: z.int().nonnegative(),
  responseBytes: z.int().nonnegative(),
  toolCallCount: z.int().nonnegative(),
  codeExecutionCount: z.int().nonnegative(),
  groundingCount: z.int().nonnegative(),
  /** HTML of Google's search suggestions, for models with `storeSearchEntryPoint`. Foreign markup: never render it unboxed. */
  searchEntryPoint: z.string().nullable(),
  thinking: z.string().nullable(),
  tokens: tokenUsageSchema.nullable(),
  durationMs: z.int().nonnegative(),
  finishReason: z.string().nullable(),
  /** How often the provider was asked, and what each failed attempt said. */
  attempts: z.int().positive(),
  attemptErrors: z.array(z.string()),
  failure: failureSchema.nullable(),
  expireAt: z.date(),
  createdAt: z.date(),
});
export type Interaction = z.infer<typeof interactionSchema>;
