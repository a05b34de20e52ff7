// Synthesis and SingleCall: one model call without a loop. A failure ends the execution.

import type { Abilities, Controller } from '../contract/controller.ts';
import { textMessage } from '../schema/textMessage.ts';
import { NO_ABILITIES } from './abilities.ts';
import { assistantMessage, eventsBeforeAnswer, finalAnalysis } from './drafts.ts';

/** A controller that calls the model once. It never binds function tools. */
export function oneCall(interactionType: 'synthesis' | 'single_call', abilities: Abilities): Controller {
  return {
    abilities,
    interactionType,
    loops: false,
    verbatim: true,

    request(conversation, { agent }) {
      return {
        model: agent.model,
        messages: conversation,
        tools: [],
        nativeTools: abilities.nativeTools ? agent.nativeTools : [],
      };
    },

    interpret(response) {
      const events = eventsBeforeAnswer(response);
      const message = assistantMessage(response);
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

    explainFailure: (reason) => textMessage('user', `Error from previous attempt: ${reason}`),
  };
}

/** The controller of executions that end after the calls they collect. It is never asked. */
export const ASKS_NO_MODEL: Controller = oneCall('single_call', NO_ABILITIES);
