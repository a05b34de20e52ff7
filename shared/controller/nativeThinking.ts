// NativeThinking: the model's own function calling and reasoning. An answer without calls is the final analysis.

import type { Controller } from './controller.ts';
import { assistantMessage, textMessage, thinkingEvents } from './drafts.ts';

export const nativeThinking: Controller = {
  request(conversation, turn) {
    return {
      model: turn.execution.agent.model,
      messages: conversation,
      tools: turn.mode === 'conclude' ? [] : turn.tools,
    };
  },

  interpret(response, turn) {
    const events = thinkingEvents(response);
    const message = assistantMessage(response, turn.execution.agent.model.model);

    // A concluding turn binds no tools; calls that come all the same are not run, their text is the conclusion.
    if (response.toolCalls.length > 0 && turn.mode === 'investigate') {
      if (response.text !== '') {
        events.push({ eventType: 'llm_response', content: response.text, metadata: {} });
      }
      return { events, message, next: { kind: 'call_tools', calls: response.toolCalls } };
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
    const { limits } = turn.execution.agent;
    events.push({
      eventType: 'final_analysis',
      content: response.text,
      metadata: {
        citations: [],
        ...(response.truncated && { truncated: true }),
        ...(turn.mode === 'conclude' && {
          forcedConclusion: true,
          iterationsUsed: limits.maxIterations,
          maxIterations: limits.maxIterations,
        }),
      },
    });
    return { events, message, next: { kind: 'conclude', analysis: response.text } };
  },

  observe(call, result) {
    return {
      role: 'tool',
      blocks: [
        {
          blockType: 'tool_result',
          toolUseId: call.callId,
          toolName: call.name,
          isError: result.isError,
          textContent: result.content,
        },
      ],
    };
  },

  explainFailure(reason) {
    return textMessage('user', `Error from previous attempt: ${reason} Please try again.`);
  },
};
