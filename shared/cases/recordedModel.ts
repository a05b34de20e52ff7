// The stored answers of models, as a client returns them.

import type { CallReport, CodeExecution, Grounding, LlmClient, LlmResponse } from '../core/contract/llm.ts';
import { type InquestError, RetryableError, TerminalError } from '../core/errors.ts';
import { OUTPUT_TOOL } from '../core/prompts/structuredOutput.ts';
import { isOwnCall, NOT_RUN } from '../core/schema/block.ts';
import type { Interaction } from '../core/schema/interaction.ts';
import type { TimelineEvent } from '../core/schema/timelineEvent.ts';
import { callKey } from '../kits/forks/answeredCalls.ts';
import { CALL_REASON } from '../masking/answer/refuseSecrets.ts';
import { asObject, parseJson } from '../text/json.ts';
import type { RecordedSession } from './recordedSession.ts';

/** Failures that a repeated call cannot pass, whatever provider reports them. */
const TERMINAL = new Set<string>([
  'MODEL_BAD_REQUEST',
  'MODEL_CREDENTIALS',
  'MODEL_UNKNOWN',
  'MODEL_BLOCKED',
  'CONFIG_INVALID',
  'DOCUMENT_INVALID',
  'BUDGET_REACHED',
]);

class NotRecorded extends TerminalError {}

/**
 * A client that answers the calls of one iteration as the record has them.
 * @param request.isSummary whether a request asks for the summary of a large result.
 */
export function recordedModel(
  recorded: RecordedSession,
  { executionId, iteration }: Pick<Interaction, 'executionId' | 'iteration'>,
): LlmClient {
  const own = recorded.interactions
    .filter((one) => one.executionId === executionId && one.iteration === iteration)
    .toSorted((a, b) => a.createdAt.getTime() - b.createdAt.getTime());
  const summaries = own.filter(({ interactionType }) => interactionType === 'summarization');
  // Several of an iteration: calls during an outage of the model, then the one that ended it.
  const calls = own.filter(({ interactionType }) => interactionType !== 'summarization');
  return {
    generate(request, { report }) {
      const [, user] = request.messages;
      const isSummary =
        summaries.length > 0 &&
        request.tools.length === 0 &&
        request.messages.length === 2 &&
        user?.role === 'user';
      const call = isSummary ? summaries.shift() : calls.shift();
      if (call === undefined)
        return Promise.reject(
          new NotRecorded(
            'CASE_INVALID',
            `the record has no call of a model in iteration ${iteration} of ${executionId}`,
          ),
        );
      fillReport(report, call);
      const response = isSummary ? findRecordedSummary(call, recorded) : findStoredAnswer(call, recorded);
      // Otherwise the failure would be an outage, which the model is asked again after.
      if (response === undefined && calls.length === 0) report.answerStarted = true;
      return response === undefined ? Promise.reject(toRecordedFailure(call)) : Promise.resolve(response);
    },
  };
}

function fillReport(report: CallReport, call: Interaction): void {
  Object.assign(report, {
    requestBytes: call.requestBytes,
    responseBytes: call.responseBytes,
    attempts: call.attempts,
    attemptErrors: [...call.attemptErrors],
    ...(call.tokens !== null && { usage: call.tokens }),
    ...(call.provider !== null && { provider: call.provider }),
    ...(call.serviceTier !== null && { serviceTier: call.serviceTier }),
    ...(call.repairedSignatures && { repairedSignatures: true }),
    ...(call.finishReason !== null && { finishReason: call.finishReason }),
  });
}

function toRecordedFailure({ failure }: Interaction): InquestError {
  const { code, message } = failure ?? {
    code: 'MODEL_UNAVAILABLE' as const,
    message: 'no answer is recorded',
  };
  return TERMINAL.has(code) ? new TerminalError(code, message) : new RetryableError(code, message);
}

/** The stored answer of an iteration; undefined if its call failed. */
function findStoredAnswer(call: Interaction, recorded: RecordedSession): LlmResponse | undefined {
  const { executionId, iteration } = call;
  const messages = [...(recorded.conversations.get(executionId)?.values() ?? [])];
  // A chat starts with the answers to earlier questions.
  const message = messages.findLast((one) => one.role === 'assistant' && one.iteration === iteration);
  if (message === undefined) return undefined;
  const { replay } = message;
  const isText = recorded.agents.get(executionId)?.agent.strategy === 'react';
  const parts = replay?.provider === 'google' ? parseJson(replay.data) : undefined;
  const texts = (kind: 'text' | 'thinking') =>
    Array.isArray(parts)
      ? parts
          .map(asObject)
          .filter(
            (part) => (part.thought === true) === (kind === 'thinking') && typeof part.text === 'string',
          )
          .map((part) => part.text)
          .join('')
      : message.blocks.flatMap((block) => (block.blockType === kind ? [block.textContent] : [])).join('');
  const events = recorded.timeline.filter(
    (event) => event.executionId === executionId && event.iteration === iteration,
  );
  const analysis = events.find((event) => event.eventType === 'final_analysis');
  const isFaulty = call.failure?.code === 'OUTPUT_INVALID' && call.toolCallCount > 0;
  const given = isFaulty ? texts('text') : analysis?.metadata.output;
  const output = isText || replay !== undefined ? undefined : given;
  const calls = isText ? [] : [...message.blocks.filter(isOwnCall), ...outputCalls(output)];
  return {
    text: isFaulty && output !== undefined ? '' : texts('text'),
    thinking: isText ? (call.thinking ?? '') : texts('thinking'),
    toolCalls: calls.map(({ toolUseId, toolName, input }) => ({
      callId: toolUseId,
      name: toolName,
      arguments: input,
    })),
    blocks: isText ? message.blocks.filter((block) => !isOwnCall(block)) : message.blocks,
    ...(replay !== undefined && { replay }),
    groundings: listGroundings(call, events),
    citations: analysis?.metadata.citations ?? [],
    codeExecutions: call.codeExecutions as CodeExecution[],
    searchEntryPoint: call.searchEntryPoint,
    usage: call.tokens,
    finishReason: call.finishReason,
    modelVersion: call.modelVersion,
    finishMessage: null,
    truncated: analysis?.metadata.truncated === true || call.failure?.code === 'MODEL_TRUNCATED',
    refused: listRefusedParts(events, recorded),
  };
}

/** The refused parts of an answer. Stored texts do not show them: models can also quote marks. */
function listRefusedParts(
  events: readonly TimelineEvent[],
  { results }: RecordedSession,
): NonNullable<LlmResponse['refused']> {
  return {
    sentences: events.flatMap((event) =>
      event.eventType === 'error' && event.metadata.code === 'TAINT_BLOCKED' ? [event.content] : [],
    ),
    callIds: events.flatMap((event) => {
      if (event.eventType !== 'llm_tool_call' && event.eventType !== 'mcp_tool_call') return [];
      const { callId } = event.metadata;
      const { block, text } = results.get(callKey(event.executionId, callId)) ?? {};
      return block?.noAnswer && text?.startsWith(`${NOT_RUN} ${CALL_REASON}`) ? [callId] : [];
    }),
  };
}

/** The call with a model's structured answer: the stored message has its readable text instead. */
function outputCalls(output: string | undefined) {
  if (output === undefined) return [];
  return [{ toolUseId: OUTPUT_TOOL, toolName: OUTPUT_TOOL, input: output }];
}

/** The sources of an answer: those of its events, or of its record where no event shows them. */
function listGroundings(call: Interaction, events: readonly TimelineEvent[]): Grounding[] {
  if (call.groundings.length > 0) return call.groundings.map((one) => ({ ...one, citations: [] }));
  return events.flatMap((event): Grounding[] => {
    if (event.eventType === 'google_search_result') {
      const { queries, sources, supports } = event.metadata;
      return [{ kind: 'search', queries, sources, supports, statuses: [], citations: [] }];
    }
    if (event.eventType !== 'url_context_result') return [];
    const { sources, supports, statuses } = event.metadata;
    return [{ kind: 'url_context', queries: [], sources, supports, statuses, citations: [] }];
  });
}

/** The recorded summary of a large result. */
function findRecordedSummary(call: Interaction, { timeline }: RecordedSession): LlmResponse | undefined {
  if (call.failure !== null) return undefined;
  const event = timeline.find(
    (one) =>
      one.eventType === 'mcp_tool_summary' &&
      one.executionId === call.executionId &&
      one.iteration === call.iteration,
  );
  return {
    ...plainAnswer(event?.content ?? ''),
    thinking: call.thinking ?? '',
    usage: call.tokens,
    finishReason: call.finishReason,
    modelVersion: call.modelVersion,
  };
}

/** An answer of text. */
export const plainAnswer = (text: string): LlmResponse => ({
  text,
  thinking: '',
  toolCalls: [],
  blocks: text === '' ? [] : [{ blockType: 'text', textContent: text }],
  groundings: [],
  citations: [],
  codeExecutions: [],
  searchEntryPoint: null,
  usage: null,
  finishReason: null,
  modelVersion: null,
  finishMessage: null,
  truncated: false,
});
