// ReAct: thought, action and observation as plain text. Nothing is bound, so it works with every model, and its reasoning is read.

import type { Controller, Interpretation, Turn } from '../../contract/controller.ts';
import type { ConversationMessage, LlmResponse } from '../../contract/llm.ts';
import type { ToolCall } from '../../contract/tools.ts';
import {
  FORMAT_REMINDER,
  reactConclusionInstructions,
  reactInstructions,
  unknownToolObservation,
} from '../../prompt/react.ts';
import type { MessageDraft } from '../../schema/message.ts';
import { textMessage } from '../../schema/textMessage.ts';
import type { EventDraft } from '../../schema/timelineEvent.ts';
import { argumentsOf } from './actionInput.ts';
import { parseReactAnswer, type ReactAnswer } from './parseAnswer.ts';

/** Longest tool name that is quoted to the model, in characters. */
const MAX_QUOTE = 100;

export const react: Controller = {
  interactionType: 'iteration',
  loops: true,

  request(conversation, turn) {
    const instructions =
      turn.mode === 'conclude' ? reactConclusionInstructions() : reactInstructions(turn.tools);
    const messages = withInstructions(conversation.map(textOnly), instructions);
    return { model: turn.execution.agent.model, messages, tools: [] };
  },

  interpret(response, turn) {
    const answer = parseReactAnswer(response.text);
    const events: EventDraft[] =
      answer.thought === ''
        ? []
        : [{ eventType: 'llm_thinking', content: answer.thought, metadata: { source: 'react' } }];
    const model = turn.execution.agent.model.model;

    const analysis = turn.mode === 'conclude' ? forcedAnswer(answer, response) : answer.finalAnswer;
    if (analysis !== '' && (turn.mode === 'conclude' || answer.isFinalAnswer)) {
      events.push(finalAnalysis(analysis, response, turn));
      return { events, message: assistantMessage(response, model), next: { kind: 'conclude', analysis } };
    }
    const next = nextStep(answer, response, turn);
    const calls = next.kind === 'call_tools' ? next.calls : [];
    return { events, message: assistantMessage(response, model, calls), next };
  },

  observe(call, result) {
    const content = result.content.trim() === '' ? '(no output)' : result.content;
    return observation(result.isError ? `Error executing ${call.name}: ${content}` : content);
  },

  explainFailure(reason) {
    return observation(`Error from previous attempt: ${reason}`);
  },
};

/** Seed, forced conclusion of ReAct: the final answer, else the thought, else whatever was written. */
function forcedAnswer(answer: ReactAnswer, response: LlmResponse): string {
  return answer.finalAnswer || answer.thought || response.text.trim();
}

function finalAnalysis(content: string, response: LlmResponse, turn: Turn): EventDraft {
  const { maxIterations } = turn.execution.agent.limits;
  const forced = { forcedConclusion: true, iterationsUsed: maxIterations, maxIterations };
  return {
    eventType: 'final_analysis',
    content,
    metadata: {
      // Native tools are not bound, so there is nothing to cite.
      citations: [],
      ...(response.truncated && { truncated: true }),
      ...(turn.mode === 'conclude' && forced),
    },
  };
}

/** The one call of an answer, or what is wrong with it. */
function nextStep(answer: ReactAnswer, response: LlmResponse, turn: Turn): Interpretation['next'] {
  if (response.text.trim() === '') return withoutText(response, turn);
  // An input that was cut off may still read as arguments, of another call than was meant.
  if (response.truncated && !isWholeJson(answer.actionInput)) {
    return formatFault('MODEL_TRUNCATED', 'The answer was cut off before it was complete: be shorter.');
  }
  if (answer.isMalformed) return formatFault('MODEL_MALFORMED_CALL', answer.errorMessage);
  if (!turn.tools.some(({ name }) => name === answer.action)) {
    const reason = answer.errorMessage || `Unknown tool "${quote(answer.action)}".`;
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

/** Only function calls, which were not asked for, or nothing at all. */
function withoutText(response: LlmResponse, turn: Turn): Interpretation['next'] {
  if (turn.mode === 'conclude' || response.toolCalls.length === 0) {
    return formatFault('MODEL_EMPTY_ANSWER', 'The answer held no text.');
  }
  const names = response.toolCalls.map(({ name }) => `"${quote(name)}"`).join(', ');
  return formatFault(
    'MODEL_MALFORMED_CALL',
    `The answer held a function call (${names}) and no text. Functions are not available here: write the call as text.`,
  );
}

function formatFault(
  code: Extract<Interpretation['next'], { kind: 'give_feedback' }>['code'],
  reason: string,
): Interpretation['next'] {
  const messages = [textMessage('user', `Your answer could not be used. ${reason}\n\n${FORMAT_REMINDER}`)];
  return { kind: 'give_feedback', code, reason, messages };
}

function isWholeJson(text: string): boolean {
  try {
    return text.startsWith('{') && JSON.parse(text) !== null;
  } catch {
    return false;
  }
}

/**
 * The raw text. The call it means is stored beside it, so that it can be run after a crash; `request` leaves it out.
 * The provider's parts are kept for their signatures, unless there are function calls in them: those have no result.
 */
function assistantMessage(response: LlmResponse, model: string, calls: ToolCall[] = []): MessageDraft {
  const { text, parts, toolCalls } = response;
  const replayable = parts.length > 0 && toolCalls.length === 0;
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
    ...(replayable && { provider: { provider: 'google' as const, model, parts } }),
  };
}

function observation(text: string): MessageDraft {
  return textMessage('user', `Observation: ${text}`);
}

function textOnly(message: ConversationMessage): ConversationMessage {
  return { ...message, blocks: message.blocks.filter(({ blockType }) => blockType === 'text') };
}

/** The conversation with the instructions at the end of its system prompt. */
function withInstructions(
  conversation: readonly ConversationMessage[],
  instructions: string,
): ConversationMessage[] {
  const block = { blockType: 'text' as const, textContent: instructions };
  const [first, ...rest] = conversation;
  if (first?.role !== 'system') return [{ role: 'system', blocks: [block] }, ...conversation];
  return [{ ...first, blocks: [...first.blocks, block] }, ...rest];
}

function quote(name: string): string {
  return name.length > MAX_QUOTE ? `${name.slice(0, MAX_QUOTE)}…` : name;
}
