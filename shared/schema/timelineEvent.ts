// sessions/{sessionId}/timeline/{executionId}.{seq}: what happened, in words a person reads and data a program reads.

import * as z from 'zod';
import { citationSchema } from './block.ts';

export const EVENT_STATUSES = ['streaming', 'completed', 'failed', 'cancelled', 'timed_out'] as const;
export type EventStatus = (typeof EVENT_STATUSES)[number];

const common = {
  sessionId: z.string().min(1),
  stageId: z.string().min(1),
  executionId: z.string().min(1),
  sequenceNumber: z.int().positive(),
  status: z.enum(EVENT_STATUSES),
  content: z.string().min(1),
  expireAt: z.date(),
  createdAt: z.date(),
};

/** `title` is empty when there is none; `kind` is absent for web pages. */
const source = z.strictObject({
  uri: z.string(),
  title: z.string(),
  kind: z.enum(['retrieved_context', 'maps']).optional(),
});
export type GroundingSource = z.infer<typeof source>;
/**
 * Offsets are UTF-16 units into the visible text of the answer; absent when they could not be verified.
 * `groundingChunkIndices` are positions in the `sources` of the same event.
 */
const support = z.strictObject({
  startIndex: z.int().nonnegative().optional(),
  endIndex: z.int().nonnegative().optional(),
  text: z.string(),
  groundingChunkIndices: z.array(z.int().nonnegative()),
});
export type GroundingSupport = z.infer<typeof support>;
/** `resultIndex` is a position in the `sources` of the answer's first grounding event, as are the others. */
const citation = citationSchema.omit({ snippet: true, providerData: true }).extend({
  /** Further sources of the same text. */
  otherResultIndices: z.array(z.int().nonnegative()).optional(),
});
export type Citation = z.infer<typeof citation>;

const toolCall = { toolName: z.string().min(1), callId: z.string().min(1), arguments: z.string() };
const toolResult = {
  toolName: z.string().min(1),
  callId: z.string().min(1),
  isError: z.boolean(),
  truncated: z.boolean(),
  durationMs: z.int().nonnegative().nullable(),
};

/** Metadata by event type. `arguments` is a JSON string, because Firestore stores no nested arrays. */
export const eventMetadata = {
  llm_thinking: z.strictObject({ source: z.enum(['native', 'react']) }),
  llm_response: z.strictObject({}),
  llm_tool_call: z.strictObject(toolCall),
  tool_result: z.strictObject(toolResult),
  mcp_tool_call: z.strictObject({ ...toolCall, server: z.string() }),
  mcp_tool_summary: z.strictObject({ toolName: z.string(), callId: z.string(), originalBytes: z.int() }),
  error: z.strictObject({
    code: z.string().min(1),
    retryable: z.boolean(),
    recoverable: z.boolean(),
    iteration: z.int().positive(),
  }),
  user_question: z.strictObject({ askedBy: z.string() }),
  executive_summary: z.strictObject({}),
  final_analysis: z.strictObject({
    citations: z.array(citation),
    truncated: z.boolean().optional(),
    forcedConclusion: z.boolean().optional(),
    iterationsUsed: z.int().optional(),
    maxIterations: z.int().optional(),
  }),
  code_execution: z.strictObject({ source: z.literal('gemini'), outcome: z.string().optional() }),
  google_search_result: z.strictObject({
    source: z.literal('gemini'),
    queries: z.array(z.string()),
    sources: z.array(source),
    supports: z.array(support),
  }),
  url_context_result: z.strictObject({
    source: z.literal('gemini'),
    sources: z.array(source),
    supports: z.array(support),
    statuses: z.array(z.strictObject({ uri: z.string(), status: z.string() })),
  }),
} as const;

export type EventType = keyof typeof eventMetadata;
export const EVENT_TYPES = Object.keys(eventMetadata) as EventType[];

const event = <T extends EventType>(eventType: T) =>
  z.strictObject({ ...common, eventType: z.literal(eventType), metadata: eventMetadata[eventType] });

export const timelineEventSchema = z.discriminatedUnion('eventType', [
  event('llm_thinking'),
  event('llm_response'),
  event('llm_tool_call'),
  event('tool_result'),
  event('mcp_tool_call'),
  event('mcp_tool_summary'),
  event('error'),
  event('user_question'),
  event('executive_summary'),
  event('final_analysis'),
  event('code_execution'),
  event('google_search_result'),
  event('url_context_result'),
]);
export type TimelineEvent = z.infer<typeof timelineEventSchema>;

/** An event before the runtime gives it its place: what happened, without where and when. */
export type EventDraft = {
  [T in EventType]: {
    eventType: T;
    content: string;
    metadata: z.infer<(typeof eventMetadata)[T]>;
    status?: EventStatus;
  };
}[EventType];
