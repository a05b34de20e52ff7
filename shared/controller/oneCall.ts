// Synthesis and SingleCall: one question, one answer, no loop. A failure ends the execution.

import type { Controller } from '../contract/controller.ts';
import { textMessage } from '../schema/textMessage.ts';
import { assistantMessage, eventsBeforeAnswer, finalAnalysis } from './drafts.ts';

/**
 * A controller that asks once. Function tools are never bound.
 * @param options.nativeTools whether the agent's native tools are (seed: only the Gemini-native synthesis has them).
 */
export function oneCall(options: {
  interactionType: 'synthesis' | 'single_call';
  nativeTools: boolean;
}): Controller {
  return {
    interactionType: options.interactionType,
    loops: false,

    request(conversation, { execution: { agent } }) {
      return {
        model: agent.model,
        messages: conversation,
        tools: [],
        nativeTools: options.nativeTools ? agent.nativeTools : [],
      };
    },

    interpret(response, turn) {
      const events = eventsBeforeAnswer(response);
      const message = assistantMessage(response, turn.execution.agent.model);
      if (response.text.trim() === '') {
        const reason = 'The answer held no text, so there is no analysis.';
        return {
          events,
          message,
          next: { kind: 'give_feedback', code: 'MODEL_EMPTY_ANSWER', reason, messages: [] },
        };
      }
      events.push(finalAnalysis(response));
      return { events, message, next: { kind: 'conclude', analysis: response.text } };
    },

    // Nothing is called, so nothing is observed; results that a reader finds all the same stay text.
    observe: (call, result) => textMessage('user', `${call.name}: ${result.content}`),
    explainFailure: (reason) => textMessage('user', `Error from previous attempt: ${reason}`),
  };
}
