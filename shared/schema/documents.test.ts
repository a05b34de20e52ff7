import { Timestamp } from '@google-cloud/firestore';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import {
  sampleAlertBody,
  sampleEvent,
  sampleExecution,
  sampleInteraction,
  sampleMessage,
  sampleMessagePart,
  sampleRejectedMessage,
  sampleSession,
  sampleStage,
} from '../../test/support/samples.ts';
import {
  alertBodyType,
  executionType,
  interactionType,
  messagePartType,
  messageType,
  paths,
  rejectedMessageType,
  sessionType,
  stageType,
  timelineEventType,
} from './documents.ts';
import type { DocumentType } from './documentType.ts';
import { executionSchema } from './execution.ts';
import { interactionSchema } from './interaction.ts';
import { messagePartSchema, messageSchema } from './message.ts';
import { rejectedMessageSchema } from './rejectedMessage.ts';
import { alertBodySchema, sessionSchema } from './session.ts';
import { stageSchema } from './stage.ts';
import { EVENT_TYPES, timelineEventSchema } from './timelineEvent.ts';

type Row = { type: DocumentType<unknown>; schema: z.ZodType; samples: unknown[] };
const row = <T>(type: DocumentType<T>, schema: z.ZodType<T>, samples: T[]): Row => ({
  type: type as DocumentType<unknown>,
  schema,
  samples,
});

const rows: Row[] = [
  row(sessionType, sessionSchema, [
    sampleSession(),
    sampleSession({ status: 'failed', failure: { code: 'MODEL_QUOTA', message: 'none left' } }),
  ]),
  row(alertBodyType, alertBodySchema, [sampleAlertBody()]),
  row(stageType, stageSchema, [sampleStage()]),
  row(executionType, executionSchema, [
    sampleExecution(),
    sampleExecution({ lease: null, pendingCalls: [] }),
  ]),
  row(
    timelineEventType,
    timelineEventSchema,
    EVENT_TYPES.map((eventType) => sampleEvent(eventType)),
  ),
  row(messageType, messageSchema, [sampleMessage(), sampleMessage({ role: 'user', providerParts: null })]),
  row(messagePartType, messagePartSchema, [sampleMessagePart()]),
  row(interactionType, interactionSchema, [sampleInteraction()]),
  row(rejectedMessageType, rejectedMessageSchema, [sampleRejectedMessage()]),
];

/** What Firestore hands out for what it was given: its own timestamps instead of dates. */
function asFirestoreReads(value: unknown): unknown {
  if (value instanceof Date) return Timestamp.fromDate(value);
  if (Array.isArray(value)) return value.map(asFirestoreReads);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, asFirestoreReads(entry)]));
}

describe.each(rows)('$type.name', ({ type, schema, samples }) => {
  it('comes back as it was stored', () => {
    for (const sample of samples) {
      const stored = asFirestoreReads(type.encode(sample)) as Record<string, unknown>;
      expect(stored.schemaVersion).toBe(type.version);
      expect(type.decode(stored, 'path')).toEqual(sample);
    }
  });

  it('is refused without any of its fields: nothing stored has a default', () => {
    for (const sample of samples) {
      for (const field of Object.keys(sample as object)) {
        const { [field]: _, ...rest } = type.encode(sample);
        expect(() => type.decode(rest, 'path'), field).toThrow();
      }
    }
  });

  it('is refused with a field too many', () => {
    for (const sample of samples) {
      const stored = { ...type.encode(sample), surplus: 1 };
      expect(() => type.decode(stored, 'path')).toThrow('"surplus"');
    }
  });

  // A replaced document keeps a top-level field that the new value does not have, so there may be no such value.
  it('has no optional field at the top', () => {
    const options = schema instanceof z.ZodUnion ? schema.options : [schema];
    for (const option of options) {
      expect(option).toBeInstanceOf(z.ZodObject);
      for (const [field, value] of Object.entries((option as z.ZodObject).shape)) {
        expect(value, field).not.toBeInstanceOf(z.ZodOptional);
      }
    }
  });
});

/** A schema as one line of text: enough to see that a stored shape has changed. */
function outline(schema: z.core.$ZodType): string {
  if (schema instanceof z.ZodNullable) return `${outline(schema.unwrap())}|null`;
  if (schema instanceof z.ZodOptional) return `${outline(schema.unwrap())}?`;
  if (schema instanceof z.ZodArray) return `[${outline(schema.element)}]`;
  if (schema instanceof z.ZodRecord) return `{*: ${outline(schema.valueType)}}`;
  if (schema instanceof z.ZodUnion) return schema.options.map(outline).join(' | ');
  if (schema instanceof z.ZodEnum) return schema.options.join('|');
  if (schema instanceof z.ZodLiteral) return [...schema.values].join('|');
  if (schema instanceof z.ZodObject) return `{${fieldsOf(schema).join(', ')}}`;
  return schema._zod.def.type;
}

function fieldsOf(schema: z.core.$ZodType): string[] {
  if (schema instanceof z.ZodUnion) return [...new Set(schema.options.flatMap(fieldsOf))];
  if (!(schema instanceof z.ZodObject)) return [];
  return Object.entries(schema.shape).map(([field, value]) => `${field}: ${outline(value)}`);
}

// A change here is a change of what is stored: it needs a new version and an upcaster from the one before.
it('the stored shapes are these', () => {
  const shapes = rows.map(({ type, schema }) => [`${type.name} ${type.version}`, fieldsOf(schema)]);
  expect(Object.fromEntries(shapes)).toMatchInlineSnapshot(`
    {
      "alertBody 1": [
        "sessionId: string",
        "part: number",
        "text: string",
        "expireAt: date",
      ],
      "execution 2": [
        "sessionId: string",
        "stageId: string",
        "executionId: string",
        "agent: {name: string, description: string?, strategy: react|native-thinking|synthesis|synthesis-native-thinking|single-call, instructions: string, model: {provider: string, model: string, maxOutputTokens: number?, thinkingLevel: minimal|low|medium|high?, includeThoughts: boolean, storeSearchEntryPoint: boolean?}, tools: [string], nativeTools: [google_search|code_execution|url_context], combineNativeTools: boolean, limits: {maxIterations: number, iterationTimeoutMs: number, toolTimeoutMs: number, toolResultBytes: number, afterFailure: fail|conclude}}",
        "status: pending|active|completed|failed|cancelled|timed_out",
        "iteration: number",
        "publishedIteration: number",
        "lease: {holder: string, until: date}|null",
        "notBefore: date|null",
        "pendingCalls: [{index: number, callId: string, name: string, readOnly: boolean, state: requested|running|done|failed|unknown, resultEvent: number, resultMessage: number}]",
        "lastEvent: number",
        "lastMessage: number",
        "lastInteractionFailed: boolean",
        "lastErrorMessage: string|null",
        "consecutiveTimeouts: number",
        "tokens: {input: number, output: number, thinking: number, cached: number, total: number}",
        "deadline: date",
        "expireAt: date",
        "failure: {code: string, message: string}|null",
        "finalAnalysis: string|null",
        "traceparent: string|null",
        "createdAt: date",
        "startedAt: date|null",
        "endedAt: date|null",
      ],
      "interaction 1": [
        "sessionId: string",
        "executionId: string",
        "iteration: number",
        "interactionType: iteration|forced_conclusion|synthesis|single_call|executive_summary|summarization",
        "model: string",
        "modelVersion: string|null",
        "messageCount: number",
        "requestBytes: number",
        "responseBytes: number",
        "toolCallCount: number",
        "codeExecutionCount: number",
        "groundingCount: number",
        "searchEntryPoint: string|null",
        "thinking: string|null",
        "tokens: {input: number, output: number, thinking: number, cached: number, total: number}|null",
        "durationMs: number",
        "finishReason: string|null",
        "attempts: number",
        "attemptErrors: [string]",
        "failure: {code: string, message: string}|null",
        "expireAt: date",
        "createdAt: date",
      ],
      "message 1": [
        "sessionId: string",
        "executionId: string",
        "sequenceNumber: number",
        "role: system|user|assistant|tool",
        "blocks: [{sequence: number?, executionSide: provider|server|client?, provider: pipe?, providerData: string?, citations: [{type: web_search_result|url_citation|grounding_support, url: string?, title: string?, startIndex: number?, endIndex: number?, citedText: string?, resultIndex: number?, snippet: string?, providerData: string?}]?, blockType: text, textContent: string} | {sequence: number?, executionSide: provider|server|client?, provider: pipe?, providerData: string?, citations: [{type: web_search_result|url_citation|grounding_support, url: string?, title: string?, startIndex: number?, endIndex: number?, citedText: string?, resultIndex: number?, snippet: string?, providerData: string?}]?, blockType: thinking, textContent: string} | {sequence: number?, executionSide: provider|server|client?, provider: pipe?, providerData: string?, citations: [{type: web_search_result|url_citation|grounding_support, url: string?, title: string?, startIndex: number?, endIndex: number?, citedText: string?, resultIndex: number?, snippet: string?, providerData: string?}]?, toolUseId: string, toolName: string, input: string, blockType: tool_use} | {sequence: number?, executionSide: provider|server|client?, provider: pipe?, providerData: string?, citations: [{type: web_search_result|url_citation|grounding_support, url: string?, title: string?, startIndex: number?, endIndex: number?, citedText: string?, resultIndex: number?, snippet: string?, providerData: string?}]?, toolUseId: string, toolName: string, input: string, blockType: web_search_use} | {sequence: number?, executionSide: provider|server|client?, provider: pipe?, providerData: string?, citations: [{type: web_search_result|url_citation|grounding_support, url: string?, title: string?, startIndex: number?, endIndex: number?, citedText: string?, resultIndex: number?, snippet: string?, providerData: string?}]?, toolUseId: string, textContent: string, content: string?, result: string?, error: string?, errorCode: string?, results: [{title: string, url: string, pageAge: string?, kind: string?}]?, blockType: tool_result, toolName: string, isError: boolean} | pipe | {sequence: number?, executionSide: provider|server|client?, provider: pipe?, providerData: string?, citations: [{type: web_search_result|url_citation|grounding_support, url: string?, title: string?, startIndex: number?, endIndex: number?, citedText: string?, resultIndex: number?, snippet: string?, providerData: string?}]?, mimeType: string, data: string?, uri: string?, title: string?, blockType: image} | {sequence: number?, executionSide: provider|server|client?, provider: pipe?, providerData: string?, citations: [{type: web_search_result|url_citation|grounding_support, url: string?, title: string?, startIndex: number?, endIndex: number?, citedText: string?, resultIndex: number?, snippet: string?, providerData: string?}]?, mimeType: string, data: string?, uri: string?, title: string?, blockType: document}]",
        "providerParts: {provider: google, model: string, parts: string|null, partDocuments: number}|null",
        "expireAt: date",
        "createdAt: date",
      ],
      "messagePart 1": [
        "part: number",
        "text: string",
        "expireAt: date",
      ],
      "rejectedMessage 1": [
        "function: string",
        "messageId: string",
        "failure: {code: string, message: string}",
        "attributes: {*: string}",
        "dataBytes: number",
        "excerpt: string",
        "createdAt: date",
        "expireAt: date",
      ],
      "session 1": [
        "sessionId: string",
        "status: in_progress|cancelling|completed|failed|cancelled|timed_out",
        "alert: {source: string, title: string, status: firing|resolved|unknown, severity: string|null, identity: string|null, summary: string|null, url: string|null, startedAt: date|null, labels: {*: string}, bodyBytes: number}",
        "alertText: string",
        "chain: {name: string, stages: [{name: string, agents: [{name: string, description: string?, strategy: react|native-thinking|synthesis|synthesis-native-thinking|single-call, instructions: string, model: {provider: string, model: string, maxOutputTokens: number?, thinkingLevel: minimal|low|medium|high?, includeThoughts: boolean, storeSearchEntryPoint: boolean?}, tools: [string], nativeTools: [google_search|code_execution|url_context], combineNativeTools: boolean, limits: {maxIterations: number, iterationTimeoutMs: number, toolTimeoutMs: number, toolResultBytes: number, afterFailure: fail|conclude}}], synthesis: {name: string, description: string?, strategy: react|native-thinking|synthesis|synthesis-native-thinking|single-call, instructions: string, model: {provider: string, model: string, maxOutputTokens: number?, thinkingLevel: minimal|low|medium|high?, includeThoughts: boolean, storeSearchEntryPoint: boolean?}, tools: [string], nativeTools: [google_search|code_execution|url_context], combineNativeTools: boolean, limits: {maxIterations: number, iterationTimeoutMs: number, toolTimeoutMs: number, toolResultBytes: number, afterFailure: fail|conclude}}|null}]}",
        "currentStageId: string",
        "finalAnalysis: string|null",
        "executiveSummary: string|null",
        "tokens: {input: number, output: number, thinking: number, cached: number, total: number}",
        "failure: {code: string, message: string}|null",
        "deadline: date",
        "expireAt: date",
        "traceparent: string|null",
        "createdAt: date",
        "endedAt: date|null",
      ],
      "stage 1": [
        "sessionId: string",
        "stageId: string",
        "index: number",
        "name: string",
        "kind: investigation|synthesis|chat|exec_summary",
        "status: active|completed|failed|cancelled|timed_out",
        "expectedExecutions: [string]",
        "finishedExecutions: [string]",
        "expireAt: date",
        "createdAt: date",
        "endedAt: date|null",
      ],
      "timelineEvent 1": [
        "sessionId: string",
        "stageId: string",
        "executionId: string",
        "sequenceNumber: number",
        "status: streaming|completed|failed|cancelled|timed_out",
        "content: string",
        "expireAt: date",
        "createdAt: date",
        "eventType: llm_thinking",
        "metadata: {source: native|react}",
        "eventType: llm_response",
        "metadata: {}",
        "eventType: llm_tool_call",
        "metadata: {toolName: string, callId: string, arguments: string}",
        "eventType: tool_result",
        "metadata: {toolName: string, callId: string, isError: boolean, truncated: boolean, durationMs: number|null}",
        "eventType: mcp_tool_call",
        "metadata: {toolName: string, callId: string, arguments: string, server: string}",
        "eventType: mcp_tool_summary",
        "metadata: {toolName: string, callId: string, originalBytes: number}",
        "eventType: error",
        "metadata: {code: string, retryable: boolean, recoverable: boolean, iteration: number}",
        "eventType: user_question",
        "metadata: {askedBy: string}",
        "eventType: executive_summary",
        "eventType: final_analysis",
        "metadata: {citations: [{type: web_search_result|url_citation|grounding_support, url: string?, title: string?, startIndex: number?, endIndex: number?, citedText: string?, resultIndex: number?, otherResultIndices: [number]?}], truncated: boolean?, forcedConclusion: boolean?, iterationsUsed: number?, maxIterations: number?}",
        "eventType: code_execution",
        "metadata: {source: gemini, outcome: string?}",
        "eventType: google_search_result",
        "metadata: {source: gemini, queries: [string], sources: [{uri: string, title: string, kind: retrieved_context|maps?}], supports: [{startIndex: number?, endIndex: number?, text: string, groundingChunkIndices: [number]}]}",
        "eventType: url_context_result",
        "metadata: {source: gemini, sources: [{uri: string, title: string, kind: retrieved_context|maps?}], supports: [{startIndex: number?, endIndex: number?, text: string, groundingChunkIndices: [number]}], statuses: [{uri: string, status: string}]}",
      ],
    }
  `);
});

it('the paths are these', () => {
  expect([
    paths.session('s'),
    paths.alertBody('s', 1),
    paths.stage('s', '01-investigation'),
    paths.execution('s', '01-a'),
    paths.event('s', '01-a', 12),
    paths.message('s', '01-a', 12),
    paths.messagePart('s', '01-a', 12, 3),
    paths.interaction('s', '01-a', 4),
    paths.interaction('s', '01-a', 4, 'forced_conclusion'),
    paths.rejectedMessage('runIteration', 'a/b'),
  ]).toEqual([
    'sessions/s',
    'sessions/s/alertBody/001',
    'sessions/s/stages/01-investigation',
    'sessions/s/executions/01-a',
    'sessions/s/timeline/01-a.000012',
    'sessions/s/messages/01-a.000012',
    'sessions/s/messages/01-a.000012/parts/003',
    'sessions/s/interactions/01-a.004',
    'sessions/s/interactions/01-a.004.forced_conclusion',
    'rejectedMessages/runIteration.a_b',
  ]);
});
