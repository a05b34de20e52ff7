// ReAct: thought, action and observation as plain text. No tools are bound, so it works with every model.

import { parseCallArguments } from '../../text/callArguments.ts';
import { quoteText } from '../../text/cut.ts';
import { objectOfInput, parseActionArguments } from '../../text/react/actionInput.ts';
import { parseConclusion } from '../../text/react/conclusion.ts';
import { isCopiedAnswer, isCopiedCall } from '../../text/react/copies.ts';
import { splitLedgerLines } from '../../text/react/ledgerLines.ts';
import { parseReactAnswer, type ReactAnswer } from '../../text/react/parseAnswer.ts';
import { checkArguments } from '../../text/schema/checkArguments.ts';
import type { Controller, Interpretation, IterationInput } from '../contract/controller.ts';
import { isLedgerCall, LEDGER } from '../contract/ledgerTool.ts';
import type { ConversationMessage, LlmResponse } from '../contract/llm.ts';
import type { ToolCall, ToolDefinition } from '../contract/tools.ts';
import type { ErrorCode } from '../errors.ts';
import { ownArguments } from '../prompts/builtInTools.ts';
import { changedToolText } from '../prompts/changedTools.ts';
import {
  copiedAnswerObservation,
  copiedCallObservation,
  FORMAT_REMINDER,
  faultyArgumentsObservation,
  reactConclusionInstructions,
  reactInstructions,
  unknownToolObservation,
} from '../prompts/react.ts';
import { innerCall } from '../prompts/toolSearch.ts';
import type { ToolResultBlock } from '../schema/block.ts';
import type { MessageDraft } from '../schema/message.ts';
import { textMessage } from '../schema/textMessage.ts';
import type { EventDraft } from '../schema/timelineEvent.ts';
import { ABILITIES } from './abilities.ts';
import { conclusionMetadata } from './drafts.ts';
import { withInstructions } from './withInstructions.ts';

/** Longest tool name that is quoted to the model, in characters. */
const MAX_QUOTE = 100;

/** The strategy `react`. */
export const react: Controller = {
  abilities: ABILITIES.react,
  interactionType: 'iteration',
  loops: true,
  verbatim: false,

  request(conversation, input) {
    const instructions =
      input.mode === 'conclude'
        ? reactConclusionInstructions()
        : reactInstructions(input.tools, input.dataNonce);
    const messages = withInstructions(conversation.map(toTextMessage), instructions);
    return { model: input.agent.model, messages, tools: [] };
  },

  interpret(response, input) {
    return input.mode === 'conclude' ? readConclusion(response, input) : readReactAnswer(response, input);
  },

  explainFailure(reason) {
    return observationMessage(`Error from previous attempt: ${reason}`);
  },
};

function readReactAnswer(response: LlmResponse, input: IterationInput): Interpretation {
  const keepsLedger = input.tools.some(isLedgerCall);
  const { text, statements } = keepsLedger ? splitLedgerLines(response.text) : NO_STATEMENTS(response.text);
  const answer = parseReactAnswer(text, (name) => findTool(name, input));
  const events = thoughtEvents(answer.thought);
  const stated = statements.map((json, index) => ({
    callId: `ledger_${input.execution.iteration}_${index + 1}`,
    name: LEDGER,
    arguments: json,
  }));
  if (answer.isFinalAnswer) {
    const meaning = concludeWith(answer.finalAnswer, events, response, input);
    // The execution ends: its statements need no answer.
    return { ...meaning, message: assistantMessage(response, stated) };
  }
  const isStatementOnly = stated.length > 0 && !answer.hasAction;
  const next: Interpretation['next'] = isStatementOnly
    ? { kind: 'call_tools', calls: [] }
    : nextStep(answer, response, input);
  if (next.kind !== 'call_tools') return { events, message: assistantMessage(response), next };
  const calls = [...stated, ...next.calls];
  return { events, message: assistantMessage(response, calls), next: { ...next, calls } };
}

const NO_STATEMENTS = (text: string) => ({ text, statements: [] });

/** A forced conclusion: the final answer, else the longest of thoughts and text, else all text. */
function readConclusion(response: LlmResponse, input: IterationInput): Interpretation {
  const { thought, finalAnswer, longestText } = parseConclusion(response.text);
  const events = thoughtEvents(thought);
  const raw = response.text.trim();
  if (raw === '')
    return { events, message: assistantMessage(response), next: emptyAnswerFeedback(response, input) };
  return concludeWith(finalAnswer || longestText || raw, events, response, input);
}

/** The end, unless the analysis is copied from untrusted text. */
function concludeWith(
  analysis: string,
  events: EventDraft[],
  response: LlmResponse,
  input: IterationInput,
): Interpretation {
  const message = assistantMessage(response);
  if (isCopiedAnswer(analysis, input.shown)) {
    const reason = 'The final answer stands in what you were shown, behind a "Final Answer".';
    return { events, message, next: feedbackStep('ANSWER_COPIED', reason, copiedAnswerObservation(reason)) };
  }
  events.push(finalAnalysis(analysis, response, input));
  return { events, message, next: { kind: 'conclude', analysis } };
}

function thoughtEvents(thought: string): EventDraft[] {
  if (thought === '') return [];
  return [{ eventType: 'llm_thinking', content: thought, metadata: { source: 'react' } }];
}

function findTool(name: string, { tools, hiddenTools = [] }: IterationInput): ToolDefinition | undefined {
  return [...tools, ...hiddenTools].find((tool) => tool.name === name);
}

function finalAnalysis(content: string, response: LlmResponse, input: IterationInput): EventDraft {
  return {
    eventType: 'final_analysis',
    content,
    metadata: {
      // Without native tools there are no sources to cite.
      citations: [],
      ...(response.truncated && { truncated: true }),
      ...conclusionMetadata(input),
    },
  };
}

/** The call of an answer, or feedback about its fault. */
function nextStep(answer: ReactAnswer, response: LlmResponse, input: IterationInput): Interpretation['next'] {
  if (response.text.trim() === '') return emptyAnswerFeedback(response, input);
  // A truncated input can still parse as arguments, but of a different call than intended.
  const object = objectOfInput(answer.actionInput);
  if (response.truncated && (object === undefined || object.isCompleted)) {
    return formatFeedback('MODEL_TRUNCATED', 'The answer was cut off before it was complete: be shorter.');
  }
  if (answer.isMalformed) return formatFeedback('MODEL_MALFORMED_CALL', answer.errorMessage);
  const name = quoteText(answer.action, MAX_QUOTE);
  const tool = findTool(answer.action, input);
  if (tool === undefined) {
    const changed = input.changedTools?.find((one) => one.name === answer.action);
    const unknown = changed === undefined ? `Unknown tool "${name}".` : changedToolText(changed);
    const reason = answer.errorMessage || unknown;
    return feedbackStep(
      'MODEL_MALFORMED_CALL',
      reason,
      unknownToolObservation(reason, input.tools, input.dataNonce),
    );
  }
  const args = parseActionArguments(answer.actionInput);
  const call = innerCall({ name: tool.name, arguments: JSON.stringify(args) });
  const called = findTool(call.name, input);
  const readOnly = called?.readOnly ?? tool.readOnly;
  const written = { name: tool.name, input: object?.raw ?? answer.actionInput, readOnly };
  const inner = { name: call.name, input: call.arguments, readOnly };
  if (isCopiedCall(written, input.shown) || (called !== tool && isCopiedCall(inner, input.shown))) {
    const reason = `The call of "${name}" stands, with its input, in what you were shown.`;
    return feedbackStep('ACTION_COPIED', reason, copiedCallObservation(reason));
  }
  const fault =
    called &&
    checkArguments(called.inputSchema, ownArguments(called.name, parseCallArguments(call.arguments)));
  if (called !== undefined && fault !== undefined) {
    const reason = `The arguments of "${quoteText(called.name, MAX_QUOTE)}" do not fit. ${fault}`;
    return feedbackStep(
      'MODEL_MALFORMED_CALL',
      reason,
      faultyArgumentsObservation(reason, called, input.dataNonce),
    );
  }
  const callId = `call_${input.execution.iteration}`;
  return {
    kind: 'call_tools',
    calls: [{ callId, ...call }],
  };
}

/** Feedback about an answer without text: it has function calls, which are not available, or nothing. */
function emptyAnswerFeedback(response: LlmResponse, input: IterationInput): Interpretation['next'] {
  if (input.mode === 'conclude' || response.toolCalls.length === 0) {
    return formatFeedback('MODEL_EMPTY_ANSWER', 'The answer held no text.');
  }
  const names = response.toolCalls.map(({ name }) => `"${quoteText(name, MAX_QUOTE)}"`).join(', ');
  return formatFeedback(
    'MODEL_MALFORMED_CALL',
    `The answer held a function call (${names}) and no text. Functions are not available here: write the call as text.`,
  );
}

function formatFeedback(code: ErrorCode, reason: string): Interpretation['next'] {
  return feedbackStep(code, reason, `Your answer could not be used. ${reason}\n\n${FORMAT_REMINDER}`);
}

function feedbackStep(code: ErrorCode, reason: string, text: string): Interpretation['next'] {
  return { kind: 'give_feedback', code, reason, messages: [textMessage('user', text)] };
}

/**
 * The raw text. The parsed call is stored beside it, so that it can be run after a crash; `request` omits it.
 * The provider's own form is kept for its signatures, unless it contains function calls, which would lack a
 * result.
 */
function assistantMessage(
  { text, replay, toolCalls }: LlmResponse,
  calls: readonly ToolCall[] = [],
): MessageDraft {
  const isReplayable = replay !== undefined && toolCalls.length === 0;
  return {
    role: 'assistant',
    blocks: [
      ...(text === '' ? [] : [{ blockType: 'text' as const, textContent: text }]),
      ...calls.map((call) => ({
        blockType: 'tool_use' as const,
        toolUseId: call.callId,
        toolName: call.name,
        input: call.arguments,
      })),
    ],
    ...(isReplayable && { replay }),
  };
}

function observationMessage(text: string): MessageDraft {
  return textMessage('user', `Observation: ${text}`);
}

/** A message as ReAct sends it: results as observations of `user`, of other messages only the text. */
function toTextMessage(message: ConversationMessage): ConversationMessage {
  if (message.role !== 'tool') {
    return { ...message, blocks: message.blocks.filter(({ blockType }) => blockType === 'text') };
  }
  const results = message.blocks.filter((block) => block.blockType === 'tool_result');
  return {
    role: 'user',
    blocks: results.flatMap((result) => observationMessage(formatObservation(result)).blocks),
  };
}

function formatObservation({ toolName, textContent, isError }: ToolResultBlock): string {
  const content = textContent.trim() === '' ? '(no output)' : textContent;
  return isError ? `Error executing ${toolName}: ${content}` : content;
}
