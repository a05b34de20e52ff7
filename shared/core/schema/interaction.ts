// sessions/{sessionId}/interactions/{executionId}.{iteration}[.kind]: one record per model call, for
// debugging. Contains sizes, outcomes and data stored nowhere else; the texts are in messages and timeline.

import * as z from 'zod';
import { failureSchema, tokenUsageSchema } from './common.ts';
import { SERVICE_TIERS } from './cost.ts';
import { BELOW_SESSION, defineCollection } from './defineCollection.ts';
import { pad } from './ids.ts';
import { sourceSchema, supportSchema } from './timelineEvent.ts';

const INTERACTION_TYPES = [
  'iteration',
  'forced_conclusion',
  'synthesis',
  'single_call',
  'executive_summary',
  'summarization',
] as const;

/** Code that the provider ran. Code or output can be missing. */
const codeExecutionSchema = z.strictObject({
  code: z.string().optional(),
  language: z.string().optional(),
  result: z.string().optional(),
  outcome: z.string().optional(),
});

/** One search, or the pages that were read. */
const groundingSchema = z.strictObject({
  kind: z.enum(['search', 'url_context']),
  queries: z.array(z.string()),
  sources: z.array(sourceSchema),
  supports: z.array(supportSchema),
  statuses: z.array(z.strictObject({ uri: z.string(), status: z.string() })),
});

/** The record of one model call. */
export const interactionSchema = z.strictObject({
  sessionId: z.string().min(1),
  executionId: z.string().min(1),
  iteration: z.int().positive(),
  interactionType: z.enum(INTERACTION_TYPES),
  /** The service tier that answered. Null where the model has none, and in interactions of version 2. */
  serviceTier: z.enum(SERVICE_TIERS).nullable(),
  /** The provider in the terms of OpenTelemetry: `gcp.gemini`. Null in interactions of version 2. */
  provider: z.string().min(1).nullable(),
  /** The requested model, and the version that answered, if the provider named it. */
  model: z.string(),
  modelVersion: z.string().nullable(),
  messageCount: z.int().nonnegative(),
  /** The last message of the request; the answer follows it. Null in interactions of version 1. */
  lastMessageId: z.string().min(1).nullable(),
  /** UTF-8 bytes of the request's body, and of the parts received. */
  requestBytes: z.int().nonnegative(),
  responseBytes: z.int().nonnegative(),
  toolCallCount: z.int().nonnegative(),
  codeExecutionCount: z.int().nonnegative(),
  groundingCount: z.int().nonnegative(),
  /** The code that the provider ran for the answer, in its order, cut to limits. */
  codeExecutions: z.array(codeExecutionSchema),
  /** The sources of the answer if no event shows them (ReAct), cut to limits. */
  groundings: z.array(groundingSchema),
  /** Google's search suggestions, with `storeSearchEntryPoint`. Untrusted HTML: only in a sandbox. */
  searchEntryPoint: z.string().nullable(),
  thinking: z.string().nullable(),
  tokens: tokenUsageSchema.nullable(),
  /** In US dollars, at the prices of the configuration. Null: unknown. */
  costUsd: z.number().nonnegative().nullable(),
  durationMs: z.int().nonnegative(),
  finishReason: z.string().nullable(),
  /** Number of attempts, and the error of each failed one. */
  attempts: z.int().positive(),
  attemptErrors: z.array(z.string()),
  /** Start and end of each attempt, in milliseconds since `createdAt`, and tier. Empty in version 2. */
  attemptTimes: z.array(
    z.strictObject({
      startedMs: z.int().nonnegative(),
      endedMs: z.int().nonnegative(),
      serviceTier: z.enum(SERVICE_TIERS).optional(),
    }),
  ),
  /** Whether the provider refused a signature, so that the request was repeated without. */
  repairedSignatures: z.boolean(),
  failure: failureSchema.nullable(),
  expireAt: z.date(),
  createdAt: z.date(),
});
/** The record of one model call. */
export type Interaction = z.infer<typeof interactionSchema>;

export const interactionType = defineCollection({
  collection: 'interactions',
  name: 'interaction',
  version: 3,
  schema: interactionSchema,
  oldest: 2,
  // Version 2 had neither tier and provider nor the times of attempts.
  upcast: (interaction) => ({ ...interaction, serviceTier: null, provider: null, attemptTimes: [] }),
  paths: {
    interactions: (sessionId: string) => `sessions/${sessionId}/interactions`,
    interaction: (sessionId: string, executionId: string, iteration: number, kind?: string) =>
      `sessions/${sessionId}/interactions/${executionId}.${pad(iteration, 3)}${kind ? `.${kind}` : ''}`,
  },
  ...BELOW_SESSION,
  indexes: { group: ['schemaVersion'] },
});
