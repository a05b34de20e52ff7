// The calls that check claims: a JSON answer each, whose fields are read again where the verdict is decided.

import type { Controller } from '../../../core/contract/controller.ts';
import { isNative } from '../../../core/contract/modelFacts.ts';
import { assistantMessage, eventsBeforeAnswer } from '../../../core/controllers/drafts.ts';
import { readOutputText } from '../../../core/controllers/readOutput.ts';
import { textMessage } from '../../../core/schema/textMessage.ts';
import type { JsonObject } from '../../../text/json.ts';

/** The controller of a call whose answer fits a schema, without agent. Wrong answers are requested again. */
export function claimsCheck(schema: JsonObject): Controller {
  return {
    abilities: { tools: false, bindsTools: false, nativeTools: false, geminiOnly: false, combines: false },
    interactionType: 'single_call',
    loops: false,
    verbatim: false,

    request(messages, { agent: { model } }) {
      const request = { model, messages, tools: [], nativeTools: [] };
      return isNative(model.provider) ? { ...request, responseSchema: schema } : request;
    },

    interpret(response, { mode }) {
      const events = eventsBeforeAnswer(response);
      const message = assistantMessage(response);
      const reading = readOutputText(response.text, schema);
      if (!reading.ok) {
        const reason = reading.faults.join(' ');
        const feedback = textMessage(
          'user',
          `Your answer does not fit. ${reason} Answer with the JSON object only.`,
        );
        const again = mode === 'investigate' ? { asksAgain: true as const } : {};
        const messages = [feedback];
        return {
          events,
          message,
          next: { kind: 'give_feedback', code: 'OUTPUT_INVALID', reason, messages, ...again },
        };
      }
      const analysis = JSON.stringify(reading.output);
      return { events, message, next: { kind: 'conclude', analysis } };
    },

    explainFailure: (reason) => textMessage('user', `Error from previous attempt: ${reason}`),
  };
}
