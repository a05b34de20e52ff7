// The spans of a commit. Each derives from one stored document, so that any subset of documents, in any
// order, gives the same spans. Pure. The names of attributes without `inquest.` are those of the
// OpenTelemetry registry.

import { readSessionAlert } from '../../alerts/schema/alert.ts';
import { ASKED_TWICE } from '../../contract/backgroundModel.ts';
import { SKILLS } from '../../core/contract/skills.ts';
import type { Write } from '../../core/contract/store.ts';
import type { Attributes, Recording, Span, SpanEvent } from '../../core/contract/telemetry.ts';
import { deriveSpanId, deriveTraceId } from '../../core/kernel/session/spanIds.ts';
import { isTerminal, type TokenUsage } from '../../core/schema/common.ts';
import {
  executionType,
  interactionType,
  sessionType,
  stageType,
  timelineEventType,
} from '../../core/schema/coreDocuments.ts';
import type { Execution } from '../../core/schema/execution.ts';
import type { Interaction } from '../../core/schema/interaction.ts';
import type { Session } from '../../core/schema/session.ts';
import type { Stage } from '../../core/schema/stage.ts';
import type { TimelineEvent } from '../../core/schema/timelineEvent.ts';
import { limitText } from '../../text/limitText.ts';

/** A stored document, with the last segment of its path. */
export interface StoredDocument {
  /** The name of its type. */
  type: string;
  id: string;
  value: unknown;
}

/** Longest content of an attribute, in UTF-8 bytes. */
const CONTENT_BYTES = 8_000;
/** Longest name of a tool, in characters. Models write names. */
const MAX_NAME_CHARACTERS = 200;
/** The `error.type` of a call without answer: unknown tool, denied, cancelled or interrupted. */
export const NO_ANSWER = 'no_answer';

type Content = Parameters<Recording['spans']>[0];
type Draft = Omit<Span, 'sessionId' | 'traceId' | 'kind' | 'events'> & Partial<Pick<Span, 'kind' | 'events'>>;

const MAKERS: Record<string, (value: never, id: string, content: Content) => Draft[]> = {
  [sessionType.name]: sessionSpan,
  [stageType.name]: stageSpan,
  [executionType.name]: agentSpan,
  [interactionType.name]: attemptSpans,
  [timelineEventType.name]: toolSpans,
};

/** The collections of a session whose documents give spans, with the types of their documents. */
export const TRACED = {
  stages: stageType,
  executions: executionType,
  interactions: interactionType,
  timeline: timelineEventType,
} as const;

/** States of a message that is neither sent nor given up. */
const OPEN_DELIVERIES: readonly string[] = ['pending', 'sending', 'awaited'];

/** Whether a message was sent or given up. */
export const isSettled = (state: string): boolean => !OPEN_DELIVERIES.includes(state);

/** The documents with spans that a commit created or changed. */
export function listSpanDocuments(writes: readonly Write[]): StoredDocument[] {
  return writes.flatMap(({ op, path, type, value }) =>
    op === 'delete' || op === 'add' || MAKERS[type.name] === undefined
      ? []
      : [{ type: type.name, id: path.slice(path.lastIndexOf('/') + 1), value }],
  );
}

/** The finished spans of documents, in their order. @param content whether attributes hold content. */
export function buildSpans(documents: readonly StoredDocument[], content: Content = 'none'): Span[] {
  return documents.flatMap(({ type, id, value }) => {
    const make = MAKERS[type];
    if (make === undefined) return [];
    const { sessionId } = value as { sessionId: string };
    return make(value as never, id, content).map((draft) => ({
      kind: 'internal',
      events: [],
      ...draft,
      sessionId,
      traceId: deriveTraceId(sessionId),
      attributes: { 'gen_ai.conversation.id': sessionId, ...draft.attributes },
    }));
  });
}

/** Fields that change after the end, such as sums with questions' tokens, are not in the span. */
function sessionSpan({ sessionId, status, chain, ...session }: Session): Draft[] {
  const { endedAt, createdAt, deferral, tenantId, traceparent, failure } = session;
  const alert = readSessionAlert(session);
  if (endedAt === null || !isTerminal(status)) return [];
  return [
    {
      spanId: deriveSpanId(sessionId, 'session'),
      name: `invoke_workflow ${chain.name}`,
      startedAt: deferral?.startedAt ?? createdAt,
      endedAt,
      ...(failure !== null && { error: failure.code }),
      ...(traceparent !== null && { link: traceparent }),
      attributes: {
        'gen_ai.operation.name': 'invoke_workflow',
        'gen_ai.workflow.name': chain.name,
        'inquest.session.status': status,
        'inquest.tenant': tenantId,
        'inquest.alert.source': alert?.source,
        'inquest.alert.severity': alert?.severity ?? undefined,
        'error.type': failure?.code,
      },
    },
  ];
}

function stageSpan({ sessionId, stageId, name, kind, status, createdAt, endedAt }: Stage): Draft[] {
  if (endedAt === null) return [];
  return [
    {
      spanId: deriveSpanId(sessionId, 'stage', stageId),
      parentSpanId: deriveSpanId(sessionId, 'session'),
      name: `stage ${name}`,
      startedAt: createdAt,
      endedAt,
      ...(status === 'completed' ? {} : { error: status }),
      attributes: { 'inquest.stage.kind': kind, 'inquest.stage.status': status },
    },
  ];
}

function agentSpan(execution: Execution, _id: string, content: Content): Draft[] {
  const { sessionId, stageId, executionId, parentExecutionId, agentName, status, failure } = execution;
  const { createdAt, endedAt, tokens, cost, finalAnalysis, waits } = execution;
  if (endedAt === null) return [];
  return [
    {
      spanId: deriveSpanId(sessionId, 'agent', executionId),
      parentSpanId:
        parentExecutionId === null
          ? deriveSpanId(sessionId, 'stage', stageId)
          : deriveSpanId(sessionId, 'child', executionId),
      name: `invoke_agent ${agentName}`,
      startedAt: createdAt,
      endedAt,
      ...(failure !== null && { error: failure.code }),
      events: waits.map(waitEvent),
      attributes: {
        'gen_ai.operation.name': 'invoke_agent',
        'gen_ai.agent.name': agentName,
        'gen_ai.agent.id': executionId,
        ...tokenAttributes(tokens),
        'inquest.cost.usd': cost.usd,
        'inquest.execution.status': status,
        'inquest.execution.iterations': execution.iteration,
        'error.type': failure?.code,
        ...(content === 'masked' &&
          finalAnalysis !== null && { 'gen_ai.output.messages': outputMessages(finalAnalysis) }),
      },
    },
  ];
}

function waitEvent({ kind, from, to }: Execution['waits'][number]): SpanEvent {
  const seconds = Math.max(0, to.getTime() - from.getTime()) / 1000;
  return {
    name: 'inquest.wait',
    at: from,
    attributes: { 'inquest.wait.kind': kind, 'inquest.wait.seconds': seconds },
  };
}

function outputMessages(text: string): string {
  const content = limitText(text, CONTENT_BYTES).content;
  return JSON.stringify([{ role: 'assistant', parts: [{ type: 'text', content }], finish_reason: 'stop' }]);
}

/** The attempts of a model call. A call of older code has one span, for all of its attempts. */
function attemptSpans(interaction: Interaction, id: string): Draft[] {
  const { sessionId, executionId, createdAt, durationMs, failure, attempts, attemptErrors } = interaction;
  const { model, modelVersion, provider, finishReason, tokens, costUsd, attemptTimes } = interaction;
  const times = attemptTimes.length > 0 ? attemptTimes : [{ startedMs: 0, endedMs: durationMs }];
  return times.map(({ startedMs, endedMs, serviceTier: tier }, index) => {
    const isLast = index === times.length - 1;
    const [code] = (attemptErrors[index] ?? '').split(':');
    const error = isLast ? failure?.code : code || undefined;
    return {
      spanId: deriveSpanId(sessionId, 'attempt', id, index),
      parentSpanId: deriveSpanId(sessionId, 'agent', executionId),
      name: `generate_content ${model}`,
      kind: 'client',
      startedAt: new Date(createdAt.getTime() + startedMs),
      endedAt: new Date(createdAt.getTime() + endedMs),
      ...(error !== undefined && { error }),
      attributes: {
        'gen_ai.operation.name': 'generate_content',
        'gen_ai.provider.name': provider ?? undefined,
        'gen_ai.request.model': model,
        'gen_ai.request.stream': true,
        'inquest.interaction.type': interaction.interactionType,
        'inquest.attempt': index + 1,
        'inquest.service_tier': (isLast && interaction.serviceTier) || tier,
        'error.type': error,
        ...(isLast && {
          'inquest.attempts': attempts,
          'inquest.asked_twice': attemptErrors.filter((one) => one.endsWith(ASKED_TWICE)).length || undefined,
          'gen_ai.response.model': modelVersion ?? undefined,
          'gen_ai.response.finish_reasons': finishReason === null ? undefined : [finishReason],
          ...(tokens !== null && tokenAttributes(tokens)),
          'inquest.cost.usd': costUsd ?? undefined,
        }),
      },
    };
  });
}

function tokenAttributes({ input, output, thinking, cached }: TokenUsage): Attributes {
  return {
    'gen_ai.usage.input_tokens': input,
    'gen_ai.usage.output_tokens': output + thinking,
    'gen_ai.usage.cache_read.input_tokens': cached,
    'gen_ai.usage.reasoning.output_tokens': thinking,
  };
}

/** A tool's call, below it its server's request if it ran. It ends when its result is stored. */
function toolSpans(event: TimelineEvent, _id: string, content: Content): Draft[] {
  if (event.eventType !== 'tool_result') return [];
  const { sessionId, executionId, sequenceNumber, createdAt: endedAt, status } = event;
  const { callId, durationMs, childExecutionId, isError } = event.metadata;
  const toolName = event.metadata.toolName.slice(0, MAX_NAME_CHARACTERS);
  const startedAt = new Date(endedAt.getTime() - (durationMs ?? 0));
  const failure = durationMs === null ? NO_ANSWER : 'tool_error';
  const error = status === 'timed_out' ? 'timeout' : isError ? failure : undefined;
  const spanId =
    childExecutionId === undefined
      ? deriveSpanId(sessionId, 'tool', executionId, sequenceNumber)
      : deriveSpanId(sessionId, 'child', childExecutionId);
  const shared = { startedAt, endedAt, ...(error !== undefined && { error }) };
  const attributes = {
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': toolName,
    'gen_ai.tool.call.id': callId,
    'error.type': error,
  };
  const [server = '', ...rest] = toolName.split('.');
  const tool: Draft = {
    ...shared,
    spanId,
    parentSpanId: deriveSpanId(sessionId, 'agent', executionId),
    name: `execute_tool ${toolName}`,
    attributes: {
      ...attributes,
      'gen_ai.tool.type': 'function',
      ...(content === 'masked' && {
        'gen_ai.tool.call.result': limitText(event.content, CONTENT_BYTES).content,
      }),
    },
  };
  if (rest.length === 0 || server === SKILLS || durationMs === null) return [tool];
  const name = rest.join('.');
  const request: Draft = {
    ...shared,
    spanId: deriveSpanId(sessionId, 'mcp', executionId, sequenceNumber),
    parentSpanId: spanId,
    name: `tools/call ${name}`,
    kind: 'client',
    attributes: {
      ...attributes,
      'gen_ai.tool.name': name,
      'mcp.method.name': 'tools/call',
      'inquest.server': server,
    },
  };
  return [tool, request];
}
