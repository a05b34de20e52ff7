// NativeThinking: the model's own function calling and reasoning. An answer without calls is the final analysis.

import type { Controller } from '../contract/controller.ts';
import { boundNativeTools } from '../contract/modelFacts.ts';
import { textMessage } from '../schema/textMessage.ts';
import { assistantMessage, eventsBeforeAnswer, finalAnalysis } from './drafts.ts';
import { faultyCallResults } from './faultyCalls.ts';
import { nativeCallResults } from './nativeToolCalls.ts';

/** The strategy `native-thinking`. */
export const nativeThinking: Controller = {
  abilities: { tools: true, nativeTools: true, geminiOnly: true, combines: false },
  interactionType: 'iteration',
  loops: true,

  request(conversation, turn) {
    const { agent } = turn;
    const asked = { model: agent.model, messages: conversation };
    // A forced conclusion rests on what is known: no tools are bound, neither ours nor the provider's.
    if (turn.mode === 'conclude') return { ...asked, tools: [] };
    const nativeTools = boundNativeTools(agent, turn.tools);
    return { ...asked, tools: turn.tools, ...(nativeTools.length > 0 && { nativeTools }) };
  },

  interpret(response, turn) {
    const events = eventsBeforeAnswer(response);
    const message = assistantMessage(response);

    // A concluding turn binds no tools; calls that come all the same are not run, their text is the conclusion.
    if (response.toolCalls.length > 0 && turn.mode === 'investigate') {
      if (response.text.trim() !== '') {
        events.push({ eventType: 'llm_response', content: response.text, metadata: {} });
      }
      const { toolCalls: calls } = response;
      const answered = [
        ...nativeCallResults(response, turn.agent.nativeTools),
        ...faultyCallResults(calls, turn.tools),
      ];
      const next = { kind: 'call_tools' as const, calls, ...(answered.length > 0 && { answered }) };
      return { events, message, next };
    }

    if (response.text.trim() === '') {
      const reason = 'The answer held no text, so there is no conclusion.';
      return {
        events,
        message,
        next: {
          kind: 'give_feedback',
          code: 'MODEL_EMPTY_ANSWER',
          reason,
          messages: [nativeThinking.explainFailure(reason)],
        },
      };
    }
    const { maxIterations } = turn.execution.limits;
    const forced = { forcedConclusion: true, iterationsUsed: maxIterations, maxIterations };
    events.push(finalAnalysis(response, turn.mode === 'conclude' ? forced : {}));
    return { events, message, next: { kind: 'conclude', analysis: response.text } };
  },

  explainFailure(reason) {
    const sentence = /[.!?]$/.test(reason) ? reason : `${reason}.`;
    return textMessage('user', `Error from previous attempt: ${sentence} Please try again.`);
  },
};
