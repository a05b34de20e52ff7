// ReAct: thought, action and observation as plain text. No tools are bound, so it works with every model.

import type { Controller, Interpretation, Turn } from '../../contract/controller.ts';
import type { ConversationMessage, LlmResponse } from '../../contract/llm.ts';
import type { ToolCall } from '../../contract/tools.ts';
import {
  FORMAT_REMINDER,
  reactConclusionInstructions,
  reactInstructions,
  unknownToolObservation,
} from '../../prompt/react.ts';
import type { ToolResultBlock } from '../../schema/block.ts';
import type { MessageDraft } from '../../schema/message.ts';
import { textMessage } from '../../schema/textMessage.ts';
import type { EventDraft } from '../../schema/timelineEvent.ts';
import { parseJson } from '../../text/json.ts';
import { quote } from '../../text/quote.ts';
import { argumentsOf } from './actionInput.ts';
import { parseReactAnswer, type ReactAnswer } from './parseAnswer.ts';

/** Longest tool name that is quoted to the model, in characters. */
const MAX_QUOTE = 100;

/** The strategy `react`. */
export const react: Controller = {
  abilities: { tools: true, nativeTools: false, geminiOnly: false, combines: false },
  interactionType: 'iteration',
  loops: true,

  request(conversation, turn) {
    const instructions =
      turn.mode === 'conclude' ? reactConclusionInstructions() : reactInstructions(turn.tools);
    const messages = withInstructions(conversation.map(toTextMessage), instructions);
    return { model: turn.agent.model, messages, tools: [] };
  },

  interpret(response, turn) {
    const answer = parseReactAnswer(response.text);
    const events: EventDraft[] =
      answer.thought === ''
        ? []
        : [{ eventType: 'llm_thinking', content: answer.thought, metadata: { source: 'react' } }];

    const analysis = turn.mode === 'conclude' ? forcedAnalysis(answer, response) : answer.finalAnswer;
    if (analysis !== '' && (turn.mode === 'conclude' || answer.isFinalAnswer)) {
      events.push(finalAnalysis(analysis, response, turn));
      return { events, message: assistantMessage(response), next: { kind: 'conclude', analysis } };
    }
    const next = nextStep(answer, response, turn);
    const calls = next.kind === 'call_tools' ? next.calls : [];
    return { events, message: assistantMessage(response, calls), next };
  },

  explainFailure(reason) {
    return observation(`Error from previous attempt: ${reason}`);
  },
};

/** The analysis of a forced conclusion (seed: the final answer, else the thought, else the whole text). */
function forcedAnalysis(answer: ReactAnswer, response: LlmResponse): string {
  return answer.finalAnswer || answer.thought || response.text.trim();
}

function finalAnalysis(content: string, response: LlmResponse, turn: Turn): EventDraft {
  const { maxIterations } = turn.execution.limits;
  const forced = { forcedConclusion: true, iterationsUsed: maxIterations, maxIterations };
  return {
    eventType: 'final_analysis',
    content,
    metadata: {
      // Without native tools there are no sources to cite.
      citations: [],
      ...(response.truncated && { truncated: true }),
      ...(turn.mode === 'conclude' && forced),
    },
  };
}

/** The call of an answer, or feedback about its fault. */
function nextStep(answer: ReactAnswer, response: LlmResponse, turn: Turn): Interpretation['next'] {
  if (response.text.trim() === '') return emptyAnswerFeedback(response, turn);
  // A truncated input may still parse, as arguments that the model did not intend.
  if (response.truncated && !isWholeJson(answer.actionInput)) {
    return formatFeedback('MODEL_TRUNCATED', 'The answer was cut off before it was complete: be shorter.');
  }
  if (answer.isMalformed) return formatFeedback('MODEL_MALFORMED_CALL', answer.errorMessage);
  if (!turn.tools.some(({ name }) => name === answer.action)) {
    const reason = answer.errorMessage || `Unknown tool "${quote(answer.action, MAX_QUOTE)}".`;
    const messages = [textMessage('user', unknownToolObservation(reason, turn.tools))];
    return { kind: 'give_feedback', code: 'MODEL_MALFORMED_CALL', reason, messages };
  }
  const call: ToolCall = {
    callId: `call_${turn.execution.iteration}`,
    name: answer.action,
    arguments: JSON.stringify(argumentsOf(answer.actionInput)),
  };
  return { kind: 'call_tools', calls: [call] };
}

/** Feedback about an answer without text: it has function calls, which are not available, or nothing. */
function emptyAnswerFeedback(response: LlmResponse, turn: Turn): Interpretation['next'] {
  if (turn.mode === 'conclude' || response.toolCalls.length === 0) {
    return formatFeedback('MODEL_EMPTY_ANSWER', 'The answer held no text.');
  }
  const names = response.toolCalls.map(({ name }) => `"${quote(name, MAX_QUOTE)}"`).join(', ');
  return formatFeedback(
    'MODEL_MALFORMED_CALL',
    `The answer held a function call (${names}) and no text. Functions are not available here: write the call as text.`,
  );
}

function formatFeedback(
  code: Extract<Interpretation['next'], { kind: 'give_feedback' }>['code'],
  reason: string,
): Interpretation['next'] {
  const messages = [textMessage('user', `Your answer could not be used. ${reason}\n\n${FORMAT_REMINDER}`)];
  return { kind: 'give_feedback', code, reason, messages };
}

function isWholeJson(text: string): boolean {
  return text.startsWith('{') && parseJson(text) !== undefined;
}

/**
 * The raw text. The parsed call is stored beside it, so that it can be run after a crash; `request` omits it. The
 * provider's own form is kept for its signatures, unless it contains function calls, which would lack a result.
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

function observation(text: string): MessageDraft {
  return textMessage('user', `Observation: ${text}`);
}

/** A message as ReAct sends it: results as observations in the role `user`, of other messages the text only. */
function toTextMessage(message: ConversationMessage): ConversationMessage {
  if (message.role !== 'tool') {
    return { ...message, blocks: message.blocks.filter(({ blockType }) => blockType === 'text') };
  }
  const results = message.blocks.filter((block) => block.blockType === 'tool_result');
  return { role: 'user', blocks: results.flatMap((result) => observation(resultText(result)).blocks) };
}

function resultText({ toolName, textContent, isError }: ToolResultBlock): string {
  const content = textContent.trim() === '' ? '(no output)' : textContent;
  return isError ? `Error executing ${toolName}: ${content}` : content;
}

/** The conversation with the instructions appended to its system prompt. */
function withInstructions(
  conversation: readonly ConversationMessage[],
  instructions: string,
): ConversationMessage[] {
  const block = { blockType: 'text' as const, textContent: instructions };
  const [first, ...rest] = conversation;
  if (first?.role !== 'system') return [{ role: 'system', blocks: [block] }, ...conversation];
  return [{ ...first, blocks: [...first.blocks, block] }, ...rest];
}
