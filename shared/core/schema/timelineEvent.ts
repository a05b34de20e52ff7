// sessions/{sessionId}/timeline/{executionId}.{seq}: an event as text (`content`) and data (`metadata`).

import * as z from 'zod';
import type { ErrorCode } from '../errors.ts';
import { citationSchema } from './block.ts';
import { openSet } from './common.ts';
import { BELOW_SESSION, defineCollection } from './defineCollection.ts';
import { numberedId } from './ids.ts';
import { storedResultSchema } from './storedResult.ts';

/** The statuses of an event. */
export const EVENT_STATUSES = ['completed', 'failed', 'cancelled', 'timed_out'] as const;
/** The status of an event. */
export type EventStatus = (typeof EVENT_STATUSES)[number];

const common = {
  sessionId: z.string().min(1),
  stageId: z.string().min(1),
  executionId: z.string().min(1),
  /** The execution whose call created this one; null for an agent of a stage. */
  parentExecutionId: z.string().min(1).nullable(),
  sequenceNumber: z.int().positive(),
  /** The iteration of the event; null in events of schema version 1 that did not store it. */
  iteration: z.int().positive().nullable(),
  status: z.enum(EVENT_STATUSES),
  content: z.string().min(1),
  expireAt: z.date(),
  createdAt: z.date(),
};

/** A source of an answer. `uri` or `title` is empty when there is none; `kind` is absent for web pages. */
export const sourceSchema = z.strictObject({
  uri: z.string(),
  title: z.string(),
  kind: z.enum(['retrieved_context', 'maps']).optional(),
});
/** A source of an answer. */
export type GroundingSource = z.infer<typeof sourceSchema>;
/**
 * A piece of an answer and its sources. Offsets are UTF-16 units into the visible text of the answer; absent
 * when they could not be verified. `groundingChunkIndices` are positions in the `sources` of the same event.
 */
export const supportSchema = z.strictObject({
  startIndex: z.int().nonnegative().optional(),
  endIndex: z.int().nonnegative().optional(),
  text: z.string(),
  groundingChunkIndices: z.array(z.int().nonnegative()),
});
/** A piece of an answer and its sources. */
export type GroundingSupport = z.infer<typeof supportSchema>;
/** `resultIndex` is a position in the `sources` of the answer's first grounding event, as are the others. */
const citation = citationSchema.omit({ snippet: true, providerData: true }).extend({
  /** Further sources of the same text. */
  otherResultIndices: z.array(z.int().nonnegative()).optional(),
});
/** A citation of a final analysis. */
export type Citation = z.infer<typeof citation>;

/** Codes of `notice` events, which inform about the circumstances of an investigation. */
const NOTICE_CODES = [
  'runbook_used',
  'model_fallback',
  'model_outage',
  'quota_reached',
  'seen_before',
  'tool_changed',
  'tool_missing',
  'tool_scope',
  'budget_reached',
  'budget_low',
  'approval_requested',
  'approval_decided',
  'server_missing',
  'partial_result',
  'own_alert',
  'not_firing',
  'cancel_requested',
  'paused',
  'resumed',
  'guidance_unread',
  'collect_skipped',
  'tier_changed',
  'runbook_missing',
  'alert_repeated',
  'alert_resolved',
  'alert_acknowledged',
  'alert_settling',
  'triaged',
  'way_checked',
  'also_firing',
  'what_changed',
  'late_change',
  'alert_joined',
  'alert_split',
  'reinvestigation',
  'budget_has_room',
  'work_claimed',
  'work_released',
  'work_noted',
  'work_done',
  'work_resolved',
  'work_reviewed',
  'verdict',
  'outcome',
] as const;
/** The code of a `notice` event. */
export type NoticeCode = (typeof NOTICE_CODES)[number];

/** Metadata that every event can have. */
const anyEvent = {
  /** Number of secrets that were masked in the content. */
  masked: z.int().positive().optional(),
};

const toolCall = {
  ...anyEvent,
  toolName: z.string().min(1),
  callId: z.string().min(1),
  arguments: z.string(),
};
const toolResult = {
  ...anyEvent,
  toolName: z.string().min(1),
  callId: z.string().min(1),
  isError: z.boolean(),
  truncated: z.boolean(),
  durationMs: z.int().nonnegative().nullable(),
  /** The execution that the call created. */
  childExecutionId: z.string().min(1).optional(),
  /** The location of the whole result, if the content is only a part of it. */
  stored: storedResultSchema.optional(),
  /** Set when the call was interrupted: whether it took effect is unknown. */
  outcome: z.literal('unknown').optional(),
};

/**
 * The source of the events of native tools. Events that were stored for a time have the provider's name,
 * `google`; both are read.
 */
export const NATIVE_TOOL_SOURCE = 'gemini';
const nativeToolSource = z.string().min(1);

/** Metadata by event type. `arguments`, `payload`, `output` are JSON: Firestore nests no arrays. */
const eventMetadata = {
  llm_thinking: z.strictObject({
    ...anyEvent,
    source: z.enum(['native', 'react']),
    /** Whether its provider signed the thought; the signature is only in the message. */
    signed: z.literal(true).optional(),
  }),
  llm_response: z.strictObject(anyEvent),
  llm_tool_call: z.strictObject({
    ...toolCall,
    /** The execution that the call created. */
    childExecutionId: z.string().min(1).optional(),
  }),
  tool_result: z.strictObject(toolResult),
  mcp_tool_call: z.strictObject({ ...toolCall, server: z.string() }),
  mcp_tool_summary: z.strictObject({
    ...anyEvent,
    toolName: z.string(),
    callId: z.string(),
    originalBytes: z.int(),
    /** Number of the event that holds the result which is summarised. */
    summaryOf: z.int().positive().optional(),
  }),
  error: z.strictObject({
    ...anyEvent,
    code: openSet<ErrorCode>(),
    retryable: z.boolean(),
    recoverable: z.boolean(),
    iteration: z.int().positive(),
  }),
  user_question: z.strictObject({ ...anyEvent, askedBy: z.string() }),
  user_guidance: z.strictObject({
    ...anyEvent,
    givenBy: z.string(),
    /** Number of the guidance in its session, from 1. */
    number: z.int().positive().optional(),
  }),
  notice: z.strictObject({
    ...anyEvent,
    code: openSet<NoticeCode>(),
    /** The runbook, model, tool or server it is about. */
    subject: z.string().optional(),
    /** The model that `subject` takes over from, both as `provider/model`, and why. */
    from: z.string().optional(),
    reason: openSet<ErrorCode>().optional(),
    /** The approval that was requested or decided. */
    approvalId: z.string().min(1).optional(),
  }),
  action: z.strictObject({ ...anyEvent, actionType: z.string().min(1), payload: z.string().optional() }),
  task_assigned: z.strictObject({
    ...anyEvent,
    agentName: z.string().min(1),
    childExecutionId: z.string().min(1),
  }),
  executive_summary: z.strictObject(anyEvent),
  final_analysis: z.strictObject({
    ...anyEvent,
    /** The answer of an agent with structured output, as JSON text. */
    output: z.string().optional(),
    /** The fault of the last answer of such an agent, if it has no output. */
    outputFault: z.string().optional(),
    citations: z.array(citation),
    truncated: z.boolean().optional(),
    forcedConclusion: z.boolean().optional(),
    iterationsUsed: z.int().optional(),
    maxIterations: z.int().optional(),
  }),
  code_execution: z.strictObject({
    ...anyEvent,
    source: nativeToolSource,
    outcome: z.string().optional(),
  }),
  google_search_result: z.strictObject({
    ...anyEvent,
    source: nativeToolSource,
    queries: z.array(z.string()),
    sources: z.array(sourceSchema),
    supports: z.array(supportSchema),
  }),
  url_context_result: z.strictObject({
    ...anyEvent,
    source: nativeToolSource,
    sources: z.array(sourceSchema),
    supports: z.array(supportSchema),
    statuses: z.array(z.strictObject({ uri: z.string(), status: z.string() })),
  }),
} as const;

/** The type of an event. */
export type EventType = keyof typeof eventMetadata;
/** @internal */
export const EVENT_TYPES = Object.keys(eventMetadata) as EventType[];

const event = <T extends EventType>(eventType: T) =>
  z.strictObject({ ...common, eventType: z.literal(eventType), metadata: eventMetadata[eventType] });

/** An event as it is stored, by its type. */
export const timelineEventSchema = z.discriminatedUnion('eventType', [
  event('llm_thinking'),
  event('llm_response'),
  event('llm_tool_call'),
  event('tool_result'),
  event('mcp_tool_call'),
  event('mcp_tool_summary'),
  event('error'),
  event('user_question'),
  event('user_guidance'),
  event('notice'),
  event('action'),
  event('task_assigned'),
  event('executive_summary'),
  event('final_analysis'),
  event('code_execution'),
  event('google_search_result'),
  event('url_context_result'),
]);
/** An event of a session's timeline. */
export type TimelineEvent = z.infer<typeof timelineEventSchema>;

/** Sorts by time. Events of the same time stay in their order, which is that of their ids. */
export function compareEvents(a: TimelineEvent, b: TimelineEvent): number {
  return a.createdAt.getTime() - b.createdAt.getTime();
}

/** An event before the runtime assigns its ids, number and time. */
export type EventDraft = {
  [T in EventType]: {
    eventType: T;
    content: string;
    metadata: z.infer<(typeof eventMetadata)[T]>;
    status?: EventStatus;
  };
}[EventType];

export const timelineEventType = defineCollection({
  collection: 'timeline',
  name: 'timelineEvent',
  version: 4,
  schema: timelineEventSchema,
  oldest: 3,
  // Version 4 renamed the source of native tools for a time; events keep the source that they have.
  upcast: (event) => event,
  paths: {
    timeline: (sessionId: string) => `sessions/${sessionId}/timeline`,
    event: (sessionId: string, executionId: string, sequenceNumber: number) =>
      `sessions/${sessionId}/timeline/${numberedId(executionId, sequenceNumber)}`,
  },
  ...BELOW_SESSION,
  indexes: { group: ['schemaVersion'] },
});
