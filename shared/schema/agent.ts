// What an agent is once configuration is resolved: the snapshot a session carries, so that a redeploy
// in the middle of an investigation changes nothing about it.

import * as z from 'zod';
import { nameSchema } from './common.ts';

export const STRATEGIES = [
  'react',
  'native-thinking',
  'synthesis',
  'synthesis-native-thinking',
  'single-call',
] as const;
export const strategySchema = z.enum(STRATEGIES);
export type Strategy = z.infer<typeof strategySchema>;

export const THINKING_LEVELS = ['minimal', 'low', 'medium', 'high'] as const;

/** Tools that Gemini runs itself, while it answers. */
export const NATIVE_TOOLS = ['google_search', 'code_execution', 'url_context'] as const;
export type NativeTool = (typeof NATIVE_TOOLS)[number];

/** A model and how to ask it. Absent fields leave the provider's default. */
export const modelSchema = z.strictObject({
  /** `google` is asked by its own client, every other provider through LangChain. */
  provider: z.string().regex(/^[a-z][a-z0-9_-]{0,62}$/, 'must be lower case, for example google or openai'),
  /** The provider's model id, for example `gemini-3.8-flash`. */
  model: z.string().min(1),
  maxOutputTokens: z.int().positive().optional(),
  thinkingLevel: z.enum(THINKING_LEVELS).optional(),
  /** Whether thought summaries are asked for. */
  includeThoughts: z.boolean(),
  /** Whether interactions keep Google's search suggestions (HTML), which its terms want shown beside grounded results. */
  storeSearchEntryPoint: z.boolean().optional(),
});
export type ModelSettings = z.infer<typeof modelSchema>;

/** Limits that hold for one execution. Durations in milliseconds, sizes in UTF-8 bytes. */
export const limitsSchema = z.strictObject({
  maxIterations: z.int().positive(),
  iterationTimeoutMs: z.int().positive(),
  toolTimeoutMs: z.int().positive(),
  /** A longer tool result is cut to this size before it is stored and sent. */
  toolResultBytes: z.int().positive(),
  /** What happens at the iteration limit when the last interaction failed. */
  afterFailure: z.enum(['fail', 'conclude']),
});
export type Limits = z.infer<typeof limitsSchema>;

export const agentSnapshotSchema = z.strictObject({
  name: nameSchema,
  description: z.string().optional(),
  strategy: strategySchema,
  /** What the agent is told about its job; becomes part of the system prompt. */
  instructions: z.string(),
  model: modelSchema,
  /** Servers (`kubernetes`) or single tools (`kubernetes.get_logs`) it may use. */
  tools: z.array(z.string()),
  nativeTools: z.array(z.enum(NATIVE_TOOLS)),
  /** Whether native tools are bound beside function tools, instead of only where there are none. */
  combineNativeTools: z.boolean(),
  limits: limitsSchema,
});
export type AgentSnapshot = z.infer<typeof agentSnapshotSchema>;

export const stagePlanSchema = z.strictObject({
  name: nameSchema,
  agents: z.array(agentSnapshotSchema).min(1),
  /** Combines the results of several agents; null for one agent. */
  synthesis: agentSnapshotSchema.nullable(),
});
export type StagePlan = z.infer<typeof stagePlanSchema>;

export const chainSnapshotSchema = z.strictObject({
  name: nameSchema,
  stages: z.array(stagePlanSchema).min(1),
});
export type ChainSnapshot = z.infer<typeof chainSnapshotSchema>;
