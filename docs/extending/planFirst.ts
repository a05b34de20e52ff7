// The strategy `plan-first`: native function calling, but the first calls run only beside a written plan.

import type { Controller } from '../../shared/core/contract/controller.ts';
import type { ConversationMessage } from '../../shared/core/contract/llm.ts';
import type { ToolCall, ToolResult } from '../../shared/core/contract/tools.ts';
import { eventsBeforeAnswer } from '../../shared/core/controllers/drafts.ts';
import { nativeThinking } from '../../shared/core/controllers/nativeThinking.ts';

/** The same bytes in every iteration: a changed system prompt misses the cache of the provider. */
const INSTRUCTIONS = [
  'Begin your first answer with "Plan:" and a numbered list of what you will check, most likely cause first.',
  'Call the tools of the first step in the same answer. Later answers need no plan.',
].join('\n');

const isPlan = (text: string): boolean => /^\W*plan\b/i.test(text);

/** The strategy `plan-first`. */
export const planFirst: Controller = {
  ...nativeThinking,

  request(conversation, input) {
    const request = nativeThinking.request(conversation, input);
    return { ...request, messages: request.messages.map(withInstructions) };
  },

  interpret(response, input) {
    const meaning = nativeThinking.interpret(response, input);
    const { next, events } = meaning;
    // The last iteration always concludes.
    if (input.mode === 'conclude' || next.kind === 'give_feedback') return meaning;

    if (next.kind === 'conclude') {
      if (!isPlan(response.text)) return meaning;
      const reason = 'A plan alone is no analysis: carry it out.';
      const messages = [nativeThinking.explainFailure(reason)];
      return {
        ...meaning,
        events: eventsBeforeAnswer(response),
        next: { kind: 'give_feedback', code: 'MODEL_MALFORMED_CALL', reason, messages },
      };
    }
    // Asked for once: an agent that cannot write plans still investigates.
    if (input.execution.iteration > 1) return meaning;
    if (!isPlan(response.text))
      return { ...meaning, next: { ...next, knownResults: next.calls.map(refuse) } };
    return {
      ...meaning,
      events: events.map((event) =>
        event.eventType === 'llm_response'
          ? { ...event, eventType: 'action', metadata: { actionType: 'plan' } }
          : event,
      ),
    };
  },
};

function withInstructions(message: ConversationMessage): ConversationMessage {
  if (message.role !== 'system') return message;
  return { ...message, blocks: [...message.blocks, { blockType: 'text', textContent: INSTRUCTIONS }] };
}

/** Providers refuse a call without a result, so a call that is not run gets one too. */
function refuse({ callId, name }: ToolCall): ToolResult {
  const content = 'Not run: write your plan first, then call again.';
  return { callId, name, content, isError: true, truncated: false, durationMs: 0, timedOut: false };
}
